package theory

import (
	"fmt"
	"math"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory/internal/theorytest"
)

// compare compares a result with the reference.
func compare(t *testing.T, r Result, want theorytest.Moments, tol float64) {
	t.Helper()
	for k, got := range []Moments{r.Attraction, r.LogPartition, r.Loss} {
		near(t, fmt.Sprintf("%s: mean %s", r.Objective, quantities[k]), got.Mean.Value, want.Mean[k], tol)
		near(t, fmt.Sprintf("%s: variance of the %s", r.Objective, quantities[k]), got.Variance.Value, want.Variance[k], tol)
	}
}

// Every shape of batch up to 3 + 3 examples, both schemes, three kinds of views, against loops over all sequences.
func TestExactAgainstLoops(t *testing.T) {
	expect.Slow(t)
	const tau = 0.5
	names := []string{"ssCL", "PUCL", "SCL-PU"}
	for m := range 4 {
		for u := range 4 {
			if m+u == 0 {
				continue
			}
			for _, scheme := range []Scheme{CaseControl, SingleDataset} {
				for _, same := range []float64{IndependentViews, IdenticalViews, 0.3} {
					d := Design{Labeled: m, Unlabeled: u, Prior: 0.35, SameView: same, Scheme: scheme}
					if scheme == SingleDataset {
						d.LabelRate = 0.8
					}
					t.Run(fmt.Sprintf("m%d-u%d-%s-same%g", m, u, scheme, same), func(t *testing.T) {
						p := quartet()
						want := theorytest.Study(worldOf(p, d), tau, nil, names...)
						attraction, partition := theorytest.Ideal(worldOf(p, d), 2*(m+u)-2, tau)
						for _, o := range paperObjectives() {
							r := expect.Must(meterOf(t, o, tau).Exact(p, d))(t)
							compare(t, r, want[r.Objective], 1e-11)
							near(t, "ideal loss", r.Ideal.Loss.Value, partition-attraction, 1e-11)
							near(t, "bias", r.Bias.Value, want[r.Objective].Mean[2]-(partition-attraction), 1e-11)
							expect.That(t, r.Symmetry == everything,
								"%s: only %s found exchangeable", r.Objective, r.Symmetry)
						}
					})
				}
			}
		}
	}
}

// A population in space with a point of both classes, and a low temperature. SCL uses the classes, so it must
// distinguish the two atoms; for the others they are one.
func TestExactWithASharedPoint(t *testing.T) {
	const tau = 0.05
	for _, d := range []Design{{Labeled: 1, Unlabeled: 2, Prior: 0.7}, {Labeled: 2, Unlabeled: 1, Prior: 0.2, SameView: 0.5}} {
		want := theorytest.Study(worldOf(sextet(), d), tau, nil, "PUCL", "SCL")
		for _, o := range []pucl.Objective{pucl.PUCL(), pucl.SCL()} {
			r := expect.Must(meterOf(t, o, tau).Exact(sextet(), d))(t)
			compare(t, r, want[r.Objective], 1e-10)
			expect.Equal(t, r.Symmetry,
				(Symmetry{Examples: true, Views: true, Classes: o.Name == "PUCL"}), "%s", o.Name)
			sampled, err := meterOf(t, o, tau).MonteCarlo(sextet(), d, Draws{Batches: 3000, Confidence: 0.999999, Seed: 9})
			expect.NoError(t, err)
			expect.That(t, sampled.Loss.Mean.Contains(want[o.Name].Mean[2]),
				"%s: sampled loss %s, exactly %g", o.Name, sampled.Loss.Mean, want[o.Name].Mean[2])
		}
	}
}

// The parts of an objective other than terms belong to its loss. Uniformity of two examples, view by view, is −2‖x −
// x'‖² = 4cos − 4, and alignment 2 − 2cos of two views, so that proximities at τ = 1 give both means.
func TestExactMeasuresWholeLosses(t *testing.T) {
	p, d := quartet(), Design{Unlabeled: 2, Prior: 0.35}
	positive, negative, between, err := p.Proximity(1)
	expect.NoError(t, err)
	u := expect.Must(Exact(openEngine(t), pucl.UniformityLoss(), p, d, 0.5))(t)
	cos := 0.35*0.35*positive + 2*0.35*0.65*between + 0.65*0.65*negative
	near(t, "uniformity", u.Loss.Mean.Value, 4*cos-4, 1e-12)
	near(t, "its attraction", u.Attraction.Mean.Value, 0, 0)
	near(t, "its log partition", u.LogPartition.Mean.Value, 0, 0)
	a := expect.Must(Exact(openEngine(t), pucl.AlignmentLoss(), p, d, 0.5))(t)
	near(t, "alignment", a.Loss.Mean.Value, 2-2*(0.35*positive+0.65*negative), 1e-12)
}

// countAnchors returns ssCL with its log partition weighted by row, which breaks symmetries. It treats the whole batch
// as one block, since the row weights require that.
func countAnchors(name string, weight func(i, b int) float64) pucl.Objective {
	return pucl.Objective{Name: name, Attract: pucl.OwnViews, Repel: func(b *pucl.Block) *Node {
		n := b.Sim.Shape().Dim(-1)
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = weight(i, n/2)
		}
		z := pucl.LogPartition(b)
		return Mul(z, BroadcastToShape(ExpandLeftToRank(Const(b.Sim.Graph(), weights), z.Rank()), z.Shape()))
	}}
}

// The trials must detect objectives without a symmetry, and the measurement must be correct nevertheless.
func TestExactWithoutSymmetry(t *testing.T) {
	const tau = 0.5
	for _, tt := range []struct {
		name   string
		weight func(i, b int) float64
		want   Symmetry
	}{
		{"first views", func(i, b int) float64 {
			if i < b {
				return 2
			}
			return 0
		}, Symmetry{Examples: true, Classes: true}},
		{"later examples more", func(i, b int) float64 { return float64(1 + i%b) }, Symmetry{Views: true, Classes: true}},
		{"later rows more", func(i, b int) float64 { return float64(1 + i) }, Symmetry{Classes: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Design{Labeled: 2, Unlabeled: 2, Prior: 0.35, SameView: 0.3}
			r := expect.Must(Exact(openEngine(t), countAnchors(tt.name, tt.weight), quartet(), d, tau))(t)
			expect.That(t, r.Symmetry == tt.want, "%s found exchangeable, want %s", r.Symmetry, tt.want)
			compare(t, r, theorytest.Study(worldOf(quartet(), d), tau, tt.weight, "ssCL")["ssCL"], 1e-11)
		})
	}
}

// The number of batches that run together affects only speed: chunks of 1, of 5 and of all give the same result.
func TestExactInSmallChunks(t *testing.T) {
	d := Design{Labeled: 2, Unlabeled: 1, Prior: 0.35, SameView: 0.3}
	measure := func(size int) (Result, PointGradient) {
		m := expect.Must(NewMeter(openEngine(t), pucl.PUCL(), 0.5))(t)
		defer m.Close()
		m.Chunk = size
		expect.That(t, size <= 0 || m.chunkSize(d.Rows()) == size,
			"chunks of %d batches, want %d", m.chunkSize(d.Rows()), size)
		r := expect.Must(m.Exact(quartet(), d))(t)
		g := expect.Must(m.Gradient(quartet(), d))(t)
		return r, g
	}
	whole, gradient := measure(0)
	for _, size := range []int{1, 5} {
		r, g := measure(size)
		if r.Batches != whole.Batches || r.Symmetry != whole.Symmetry {
			t.Errorf("chunks of %d: %d batches, %s exchangeable; want %d, %s", size, r.Batches, r.Symmetry, whole.Batches, whole.Symmetry)
		}
		near(t, "loss", r.Loss.Mean.Value, whole.Loss.Mean.Value, 1e-14)
		near(t, "variance", r.Loss.Variance.Value, whole.Loss.Variance.Value, 1e-14)
		near(t, "gradient", g.Minus(gradient).Norm(), 0, 1e-14)
	}
}

// Six examples on six points, three per class.
func TestSixExamplesOnSixPoints(t *testing.T) {
	p := Population{
		Positive: Uniform([]float64{1, 0}, []float64{1, 1}, []float64{0, 1}),
		Negative: Uniform([]float64{-1, 0}, []float64{-1, -1}, []float64{0, -1}),
	}
	d := Design{Labeled: 3, Unlabeled: 3, Prior: 0.4}
	// 6 unordered pairs of 3 points: C(8,3) = 56 labeled multisets; 12 pairs: C(14,3) = 364 unlabeled ones.
	count, err := CountBatches(p, d, Symmetry{Examples: true, Views: true})
	expect.That(t, err == nil && count == 56*364, "%g batches, want %d; %v", count, 56*364, err)
	// 9 ordered pairs and 18: C(11,3) = 165 and C(20,3) = 1140.
	count, err = CountBatches(p, d, Symmetry{Examples: true})
	expect.That(t, err == nil && count == 165*1140, "%g batches, want %d; %v", count, 165*1140, err)
	// Classes make no difference unless they share a point. If they share all, half of the 12 pairs are left: C(8,3)
	// again.
	shared := Population{Positive: p.Positive, Negative: p.Positive}
	count, err = CountBatches(shared, d, everything)
	expect.That(t, err == nil && count == 56*56, "%g batches, want %d; %v", count, 56*56, err)
	if count, err = CountBatches(p, d, Symmetry{}); err != nil || count != math.Pow(9*18, 3) {
		t.Errorf("%g batches, want %g; %v", count, math.Pow(9*18, 3), err)
	}
	r := expect.Must(meterOf(t, pucl.SSCL(), 0.5).Exact(p, d))(t)
	expect.That(t, r.Batches == 56*364, "%d batches scored, want %d", r.Batches, 56*364)
	// With independent views ssCL's mean attraction is the mean similarity within a class. Here the three directions of
	// a class have cosines 1, 1, 1, and twice each of √½, √½, 0: (3 + 4√½)/9, over τ = ½.
	near(t, "mean attraction of ssCL", r.Attraction.Mean.Value, 2*(3+4*math.Sqrt(0.5))/9, 1e-12)
}

// Meters come in the order of their objectives, all at the given temperature.
func TestNewMeters(t *testing.T) {
	p, d := quartet(), Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}
	meters := expect.Must(NewMeters(openEngine(t), 0.5, pucl.SSCL(), pucl.SCLPU()))(t)
	for i, o := range []pucl.Objective{pucl.SSCL(), pucl.SCLPU()} {
		defer meters[i].Close()
		got := expect.Must(meters[i].Exact(p, d))(t)
		want, err := meterOf(t, o, 0.5).Exact(p, d)
		expect.That(t, err == nil && got.Objective == o.Name && got.Bias == want.Bias,
			"%s: bias %v, want %v of %s; %v", got.Objective, got.Bias, want.Bias, o.Name, err)
	}
	wantError(t, "a term is missing", expect.Err(NewMeters(openEngine(t), 0.5, pucl.Objective{Name: "half"})), "half")
}

func TestMeasurementsRefuse(t *testing.T) {
	p, d := quartet(), Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}
	eng := openEngine(t)
	wantError(t, "no engine", expect.Err(NewMeter(nil, pucl.PUCL(), 0.5)), "engine.Open")
	_, err := NewMeter(eng, pucl.Objective{Name: "half", Attract: pucl.OwnViews}, 0.5)
	wantError(t, "no term", err, `"half"`, "Repel")
	_, err = NewMeters(eng, 0.5, pucl.PUCL(), pucl.Objective{Name: "half", Attract: pucl.OwnViews})
	wantError(t, "the second of two without a term", err, `"half"`, "Repel")
	wantError(t, "temperature", expect.Err(NewMeter(eng, pucl.PUCL(), -1)), "τ = -1", "positive")
	wantError(t, "population", expect.Err(Exact(eng, pucl.PUCL(), Population{}, d, 0.5)), "at least one atom")
	wantError(t, "design", expect.Err(Exact(eng, pucl.PUCL(), p, Design{}, 0.5)), "0 labeled and 0 unlabeled")

	_, err = Exact(eng, pucl.PUCL(), p, Design{Labeled: 40, Unlabeled: 40, Prior: 0.5}, 0.5)
	wantError(t, "too many batches", err, "40 labeled", "batches", "MonteCarlo")
	_, err = Exact(eng, pucl.PUCL(), manyOnOneSpot(8), Design{Unlabeled: 250, Prior: 0.5}, 0.5)
	wantError(t, "too many batches and an ideal loss out of reach", err, "250 unlabeled", "batches", "MonteCarlo")
	m := meterOf(t, pucl.PUCL(), 0.5)
	m.MaxBatches = 20
	_, err = m.Exact(p, Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}) // 3 × 6 unordered pairs
	expect.That(t, err == nil, "18 batches of 20 refused: %v", err)
	_, err = m.Exact(p, Design{Labeled: 1, Unlabeled: 2, Prior: 0.5}) // 3 × 21
	wantError(t, "MaxBatches", err, "63 batches", "MaxBatches")
	_, err = m.Gradient(p, Design{Labeled: 1, Unlabeled: 2, Prior: 0.5})
	wantError(t, "MaxBatches for a gradient", err, "63 batches", "MaxBatches")
	// 12 examples are four times the work of 6: of 20 batches 5 are allowed, and 13 multisets of 2 outcomes are too many.
	twins := Population{Positive: Uniform([]float64{1, 0}), Negative: Uniform([]float64{-1, 0})}
	_, err = m.Exact(twins, Design{Unlabeled: 12, Prior: 0.5})
	wantError(t, "MaxBatches for twelve examples", err, "13 batches", "more than the 5")
	m.MaxBatches = 0

	// The logarithm of a similarity is NaN where the similarity is negative.
	lost := pucl.Objective{Name: "lost", Attract: func(b *pucl.Block) *Node { return Log(pucl.MeanSimilarity(b, b.Others)) }, Repel: pucl.LogPartition}
	_, err = Exact(eng, lost, p, d, 0.5)
	wantError(t, "not finite", err, `attraction of objective "lost" is NaN`, "show the points", "classes [1 1] of which the first 1 are labeled")
	// The gradient of 0·√0 is NaN, where the value is 0.
	steep := pucl.Objective{Name: "steep", Attract: pucl.OwnViews, Repel: func(b *pucl.Block) *Node {
		zero := ZerosLike(pucl.OwnViews(b))
		return Add(pucl.OwnViews(b), Mul(zero, Sqrt(Mul(zero, pucl.OwnViews(b)))))
	}}
	steepMeter := expect.Must(NewMeter(eng, steep, 0.5))(t)
	defer steepMeter.Close()
	_, err = steepMeter.Gradient(p, d)
	wantError(t, "gradient not finite", err, `the gradient of objective "steep" holds NaN`, "; the gradient of Repel by row 0 is NaN")
	flat := func(b *pucl.Block) *Node { return ReduceSum(b.Sim, -1, -2) }
	_, err = Exact(eng, pucl.Objective{Name: "flat", Attract: flat, Repel: flat, Direct: pucl.OwnViews}, p, d, 0.5)
	wantError(t, "wrong shape", err, `pucl: Attract of objective "flat", at study_test.go:`, "one number per anchor", ", 4], for instance")
	expect.That(t, !strings.Contains(err.Error(), "theory: "), "the layers around the objective are told of: %v", err)
	step := pucl.Objective{Name: "step", Attract: func(b *pucl.Block) *Node { return ReduceSum(Round(b.Sim), -1) }, Repel: pucl.LogPartition}
	m = expect.Must(NewMeter(eng, step, 0.5))(t)
	defer m.Close()
	_, err = m.Gradient(p, Design{Labeled: 1, Unlabeled: 1, Prior: 0.5})
	wantError(t, "no gradient", err, `theory: the gradient of objective "step": the operation Round has no gradient; take another one`)
	broken := func(b *pucl.Block) *Node { return Zeros(b.Sim.Graph(), shapes.Make(dtypes.Float64, 7)) }
	_, err = Exact(eng, pucl.Objective{Name: "broken", Attract: broken, Repel: pucl.LogPartition}, p, d, 0.5)
	expect.That(t, err != nil, "shapes that do not fit: no error")
}

func TestResultSaysHowItWasFound(t *testing.T) {
	r := Result{Objective: "x", Loss: Moments{Exactly(1.5), Exactly(0.25)}, Bias: Exactly(0.125), Batches: 7}
	expect.Equal(t, r.String(), "x: loss 1.5, variance 0.25, bias 0.125 (exact, 7 batches)")
	r.Confidence, r.Seed, r.Bias = 0.95, 3, Number{0.125, 0, 0.25}
	got := r.String()
	expect.That(t, strings.Contains(got, "bias 0.125 [0, 0.25] (95% intervals, seed 3, 7 batches)"), "%v", got)
}
