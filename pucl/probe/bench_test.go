package probe

import (
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// BenchmarkFit trains the linear probe for ten classes on 10,000 rows of 128 entries by 10 epochs of Adam in batches
// of 1024. peers/step.py compares it with peers.
func BenchmarkFit(b *testing.B) { benchmarkFit(b, 10_000, Config{Epochs: 10, Seed: 1}) }

// BenchmarkConverge trains the linear probe for ten classes on 100,000 rows of 128 entries to convergence.
// peers/step.py compares it with scikit-learn.
func BenchmarkConverge(b *testing.B) { benchmarkFit(b, 100_000, Config{}) }

func benchmarkFit(b *testing.B, n int, config Config) {
	eng := enginetest.Found(b)
	x, classes := hashedRows(n, 128, 10)
	var p *Probe
	fit := func() {
		var err error
		p = expect.Must(Fit(eng, x, classes, 10, config))(b)
	}
	fit()
	var times []float64
	for b.Loop() {
		start := time.Now()
		fit()
		times = append(times, time.Since(start).Seconds()*1e3)
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "median-ms")
	logits := expect.Must(p.Logits(x))(b)
	loss := 0.0
	for i, class := range classes {
		loss += (floats.LogSumExp(logits.RawRowView(i)) - logits.At(i, class)) / float64(n)
	}
	b.ReportMetric(1e6*loss, "nats-millionths") // so that the digits are printed
}

// hashedRows returns rows of classes in turn, as peers/rows.py and testdata/make_logistic.py compute them.
func hashedRows(n, d, classes int) (x *mat.Dense, class []int) {
	x, class = mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		class[i] = i % classes
		row := x.RawRowView(i)
		for j := range row {
			row[j] = hashedAt(float64(i*d+j+1)) + 0.15*hashedAt(float64(class[i]*d+j)+0.5)
		}
	}
	return x, class
}

// hashedAt turns a number into one from −1/2 to 1/2 that looks random.
func hashedAt(x float64) float64 {
	x = math.Sin(x) * 43758.5453
	return x - math.Floor(x) - 0.5
}
