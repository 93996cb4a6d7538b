package evaluate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/prior"
	"gonum.org/v1/gonum/mat"
)

// Alignment and uniformity computed from matrices agree with the loss terms computed in the graph.
func TestAlignmentAndUniformityAgreeWithTheGraph(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	first, second := mat.NewDense(20, 5, nil), mat.NewDense(20, 5, nil)
	z := make([][]float64, 40)
	for i := range 20 {
		for j := range 5 {
			first.Set(i, j, rng.NormFloat64())
			second.Set(i, j, first.At(i, j)+0.3*rng.NormFloat64())
		}
		z[i], z[20+i] = first.RawRowView(i), second.RawRowView(i)
	}
	exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled *Node) (*Node, *Node) {
		v := pucl.Views{Z: z, Labeled: labeled}
		return pucl.Alignment(v), pucl.Uniformity(v)
	})
	out := expect.Must(exec.Call(z, make([]bool, 20)))(t)
	a := expect.Must(evaluate.Diagnose(first, second))(t)
	b := expect.Must(evaluate.Diagnose(second, first))(t)
	for _, m := range []struct {
		name      string
		got, want float64
	}{
		{"alignment", a.Alignment, out[0].Value().(float64)},
		{"uniformity", (a.Uniformity + b.Uniformity) / 2, out[1].Value().(float64)},
	} {
		expect.That(t, math.Abs(m.got-m.want) <= 1e-10*max(1, math.Abs(m.want)),
			"%s is %.15g, in the graph %.15g", m.name, m.got, m.want)
	}
}

// hashed returns a pseudo-random number from −1/2 to 1/2 that depends on x alone.
func hashed(x float64) float64 {
	x = math.Sin(x) * 43758.5453
	return x - math.Floor(x) - 0.5
}

// clusters returns n rows of 128 entries in ten overlapping classes, starting at row number first. peers/rows.py makes
// the same rows.
func clusters(first, n int) (rows *mat.Dense, classes []int) {
	const d = 128
	rows, classes = mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		classes[i] = (first + i) % 10
		row := rows.RawRowView(i)
		for j := range row {
			row[j] = hashed(float64((first+i)*d+j+1)) + 0.15*hashed(float64(classes[i]*d+j)+0.5)
		}
	}
	return rows, classes
}

// BenchmarkKNN classifies 10,000 queries by their 200 nearest of 60,000 rows of 128 entries, including normalization
// and the vote. peers/step.py compares it with other libraries.
func BenchmarkKNN(b *testing.B) {
	b.Run("engine", func(b *testing.B) { benchmarkKNN(b, evaluate.KNN{K: 200, Engine: enginetest.Found(b)}) })
	b.Run("processor", func(b *testing.B) { benchmarkKNN(b, evaluate.KNN{K: 200}) })
}

func benchmarkKNN(b *testing.B, knn evaluate.KNN) {
	rows, classes := clusters(0, 60000)
	queries, _ := clusters(60000, 10000)
	var predicted []int
	classify := func() {
		bank := expect.Must(evaluate.Supervised(rows, classes, 10))(b)
		predicted = expect.Must(knn.Predict(bank, queries))(b)
	}
	classify()
	var times []float64
	for b.Loop() {
		start := time.Now()
		classify()
		times = append(times, time.Since(start).Seconds()*1e3)
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "median-ms")
	if path := os.Getenv("PUCL_PEERS_CLASSES"); path != "" {
		expect.NoError(b, os.WriteFile(path, []byte(strings.Trim(fmt.Sprint(predicted), "[]")), 0o644))
	}
}

// The logits of the two classes are three standard deviations apart, so high scores are almost surely positive. The
// prior is estimated. The reliability without negatives then lies within 0.02 plus sampling error of the one with true
// classes, for calibrated and for uncalibrated probabilities. In the single-dataset setting the estimate for the
// unlabeled examples is converted first.
func TestReliabilityWithAnEstimatedPrior(t *testing.T) {
	estimators := map[string]func([]float64, []bool, prior.Config) (prior.Estimate, error){"BBE": prior.BBE, "DEDPUL": prior.DEDPUL}
	for _, pi := range []float64{0.2, 0.5} {
		for _, single := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(3, 3))
			var logits []float64
			var labeled, truth []bool
			add := func(positive, label bool) {
				x := rng.NormFloat64() - 1.5
				if positive {
					x += 3
				}
				// log f_P/f_N is 3x for densities of variance 1 around ±1.5
				logits, labeled, truth = append(logits, 3*x+math.Log(pi/(1-pi))), append(labeled, label), append(truth, positive)
			}
			const unlabeled, labels = 10_000, 2000
			for range labels {
				add(true, true)
			}
			positives := int(pi * unlabeled)
			if single {
				positives = int(pi*(unlabeled+labels)) - labels
			}
			for i := range unlabeled {
				add(i < positives, false)
			}
			population := labels // its first row
			if single {
				population = 0
			}
			for name, estimate := range estimators {
				e := expect.Must(estimate(logits, labeled, prior.Config{Resamples: -1}))(t)
				if single {
					e = e.OneSample(labels, unlabeled)
				}
				for _, sure := range []float64{1, 0.3} {
					p := make([]float64, len(logits))
					for i, logit := range logits {
						p[i] = 1 / (1 + math.Exp(-sure*logit))
					}
					want := expect.Must(evaluate.MeasureReliability(p[population:], truth[population:], 0))(t)
					got, err := evaluate.MeasureReliabilityPU(p, labeled, evaluate.ScoreConfig{Prior: e.Prior, SingleDataset: single}, 0)
					expect.Require(t, err == nil && len(got) == len(want), "%v %v %v", len(got), len(want), err)
					for i := range want {
						if d := math.Abs(got[i].Positive - want[i].Positive); !(d <= 0.02+3*got[i].Error) {
							t.Errorf("%s, prior %g as %.4f, single dataset %v, bin %d: %.4f ± %.4f, truth %.4f", name, pi, e.Prior, single, i, got[i].Positive, got[i].Error, want[i].Positive)
						}
					}
					if g, w := got.CalibrationError(), want.CalibrationError(); !(math.Abs(g-w) <= 0.015) {
						t.Errorf("%s, prior %g as %.4f, single dataset %v: calibration error %.4f, truth %.4f", name, pi, e.Prior, single, g, w)
					}
				}
			}
		}
	}
}
