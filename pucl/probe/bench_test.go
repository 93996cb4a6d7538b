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

// BenchmarkFit trains the linear probe for ten classes on 10,000 rows of 128 entries with the defaults: 10 epochs in
// batches of 1024. peers/step.py sets it beside others.
func BenchmarkFit(b *testing.B) {
	eng := enginetest.Found(b)
	const n, d = 10000, 128
	x, classes := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n { // as peers/rows.py has them
		classes[i] = i % 10
		row := x.RawRowView(i)
		for j := range row {
			row[j] = hashedAt(float64(i*d+j+1)) + 0.15*hashedAt(float64(classes[i]*d+j)+0.5)
		}
	}
	var p *Probe
	fit := func() {
		var err error
		if p, err = Fit(eng, x, classes, 10, Config{Seed: 1}); err != nil {
			b.Fatal(err)
		}
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
		loss += (floats.LogSumExp(logits.RawRowView(i)) - logits.At(i, class)) / n
	}
	b.ReportMetric(1e6*loss, "nats-millionths") // so that the digits are printed
}

// hashedAt turns a number into one from −1/2 to 1/2 that looks random.
func hashedAt(x float64) float64 {
	x = math.Sin(x) * 43758.5453
	return x - math.Floor(x) - 0.5
}
