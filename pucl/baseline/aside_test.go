package baseline

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
	"gonum.org/v1/gonum/mat"
)

// sorted returns the examples of decks in ascending order.
func sorted(decks ...deck) []int {
	var all []int
	for _, d := range decks {
		all = append(all, d.examples...)
	}
	return slices.Sorted(slices.Values(all))
}

// Reserved examples are a share of their kind, drawn by the seed, at least one and not all. They contribute no
// gradient, with SingleDataset also not as unlabeled examples; all other examples are trained on.
func TestAsideIsAPartOfTheExamples(t *testing.T) {
	for _, tt := range []struct {
		method               Method
		positives, unlabeled int // reserved of 10 and of 20
	}{
		{NNPU{Prior: 0.5}, 0, 0}, {SelfPU{Prior: 0.5}, 0, 2}, {SelfPU{Prior: 0.5, Gamma: -1}, 0, 0},
		{LaGAM{Prior: 0.5, Judges: 0.01}, 1, 1}, {LaGAM{Prior: 0.5}, 2, 4}, {PULNS{Judges: 0.9}, 9, 18},
	} {
		for _, single := range []bool{false, true} {
			draw := func(seed uint64) *run {
				data, config := mixture(10, 30, 1), quick(tt.method, 10)
				data.SingleDataset, config.Seed = single, seed
				return dealt(t, data, config)
			}
			r := draw(1)
			all, unlabeled := rows.All(30), tt.unlabeled
			if single {
				unlabeled += tt.positives // which are unlabeled examples as well
			} else {
				all = all[10:]
			}
			expect.That(t, len(r.aside[0].examples) == tt.positives && len(r.aside[1].examples) == unlabeled,
				"%s, single data set %v: %d are set aside", tt.method, single, r.aside)
			got := sorted(r.positive, r.aside[0])
			expect.That(t, slices.Equal(got, rows.All(10)), "%s: positives %d", tt.method, got)
			if got := sorted(r.unlabeled, r.aside[1]); !slices.Equal(got, all) {
				t.Errorf("%s, single data set %v: unlabeled examples %d", tt.method, single, got)
			}
			for _, example := range sorted(r.aside[0], r.aside[1]) {
				expect.That(t, !slices.Contains(sorted(r.positive, r.unlabeled), example),
					"%s, single data set %v: example %d is set aside and teaches", tt.method, single, example)
			}
			same := func(seed uint64) bool { return slices.Equal(sorted(draw(seed).aside[1]), sorted(r.aside[1])) }
			expect.That(t, same(1) && (tt.unlabeled <= 1 || !same(2)), "%s: the seed does not tell what is set aside", tt.method)
		}
	}
}

// The last rows of a batch are reserved examples, as many as the method configures, in new views like the others; the
// other inputs of a batch cover only the training rows.
func TestRowsSetAsideAreTheLast(t *testing.T) {
	data := Data{Examples: patterns(120, 70), Labeled: firstAre(20, 120)}
	for _, tt := range []struct {
		method               Method
		positives, unlabeled int
	}{{LaGAM{Prior: 0.5}, 32, 64}, {SelfPU{Prior: 0.5}, 0, 16}} {
		config := quick(tt.method, 4)
		config.Recipe = augment.Recipe{augment.Flip{}}
		r := dealt(t, data, config)
		batch := expect.Must(r.batch(2))(t)
		count := 96 + tt.positives + tt.unlabeled
		for i, x := range batch.Inputs {
			want := 96
			if i < 2 { // examples and their views
				want = count
			}
			got := x.Shape().Dim(0)
			expect.That(t, got == want, "%s: input %d has %d rows, want %d", tt.method, i, got, want)
		}
		pixels := tensors.MustCopyFlatData[uint8](batch.Inputs[0])
		decks, row := []*deck{&r.positive, &r.unlabeled, &r.aside[0], &r.aside[1]}, 0
		for i, count := range []int{32, 64, tt.positives, tt.unlabeled} {
			for _, example := range decks[i].deal(2*count, count) {
				if !slices.Equal(pixels[row*64:row*64+64], data.Examples.(Images).Pixels[example*64:example*64+64]) {
					t.Fatalf("%s: row %d is not the image %d that was dealt", tt.method, row, example)
				}
				row++
			}
		}
		if first, second := batch.Inputs[1], batch.Inputs[2]; r.plan.again &&
			slices.Equal(tensors.MustCopyFlatData[float32](first)[:96], tensors.MustCopyFlatData[float32](second)) {
			t.Errorf("%s: both views are one", tt.method)
		}
		expect.That(t, batch.Examples == 96 && row == count, "%s: %d rows of %d examples", tt.method, row, batch.Examples)
	}
}

// A run in bfloat16, on two devices or with recomputed activations equals the default run up to rounding.
func TestComputeIsTheSameUpToRounding(t *testing.T) {
	eng, several := enginetest.Open(t), enginetest.Preferred(t)
	data, config := mixture(20, 150, 1), quick(P3Mix{Warmup: -1}, 3)
	config.Encoder = encoder.MLP{Hidden: []int{}, Dim: 4}
	config.Test = points(30, 15, 3) // scored while training waits, wherever the variables are
	whole := must(t, eng, data, config)
	ways := map[float64]train.Compute{0.03: {BFloat16: true}} // bfloat16 has 8 binary digits
	if several.Backend.NumDevices() > 1 {
		ways[1e-5] = train.Compute{Devices: 2, Recompute: true}
	}
	for margin, way := range ways {
		config.Settings.Compute = way
		eng := eng
		if way.Devices > 1 {
			eng = several
		}
		r := must(t, eng, data, config)
		if got, want := r.Epochs[0].Test[0], whole.Epochs[0].Test[0]; !(math.Abs(got-want) <= 3*margin) {
			t.Errorf("%v: a score of %g, want %g", way, got, want)
		}
		for i, loss := range r.History.Losses {
			if want := whole.History.Losses[i]; !(math.Abs(loss-want) <= margin) || way.BFloat16 && loss == want {
				t.Errorf("%v: loss %g of step %d, want %g", way, loss, i, want)
			}
		}
	}
}

// linear is a network that XLA compiles in a moment.
var linear = encoder.Func{Name: "linear", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
	return encoder.Dense(scope, x, 4, true)
}}

// On XLA every method has the first losses of the pure-Go engine, which TestFirstLossesAndResume compares with frozen
// ones. Warm-ups have ended by then.
func TestFirstLossesOnXLA(t *testing.T) {
	xla, pureGo := enginetest.XLA(t), enginetest.Open(t)
	for name, method := range methods {
		t.Run(name, func(t *testing.T) {
			data, config := mixture(20, 150, 1), quick(method, 10)
			config.Encoder, config.Settings.Optimizer = linear, optim.SGD{LearningRate: 0.02, Momentum: -1, WeightDecay: -1}
			got, want := must(t, xla, data, config).History.Losses, must(t, pureGo, data, config).History.Losses
			for i, loss := range got {
				expect.That(t, math.Abs(loss-want[i]) <= 1e-3*max(1, math.Abs(want[i])),
					"loss %.6g of step %d, and %.6g in pure Go", loss, i, want[i])
			}
		})
	}
}

// methods are all methods of the package, on data with the class prior ½.
var methods = map[string]Method{
	"uPU":             UPU{Prior: 0.5},
	"nnPU":            NNPU{Prior: 0.5},
	"nnPU with mixup": NNPUMixup{NNPU: NNPU{Prior: 0.5}},
	"vPU":             VPU{},
	"Dist-PU":         DistPU{Prior: 0.5},
	"PAN":             PAN{},
	"P3Mix-E":         P3Mix{},
	"P3Mix-C":         P3Mix{Correct: true},
	"PULNS":           PULNS{},
	"LaGAM":           LaGAM{Prior: 0.5},
	"NcPU":            NcPU{},
	"MixPUL":          MixPUL{},
	"Self-PU":         SelfPU{Prior: 0.5},
}

// Points of class c are normal around (±1, ±1)·√2 with standard deviation 1, so that the centers are 4 apart and the
// best classifier is right on a share Φ(2) of them.
var bayesRate = 0.5 * (1 + math.Erf(2/math.Sqrt2))

// points draws n points, of which the first positives are positive.
func points(n, positives int, seed uint64) Rows {
	rng := rand.New(rand.NewPCG(seed, 77))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		center := -math.Sqrt2
		if i < positives {
			center = math.Sqrt2
		}
		for j := range 2 {
			x.Set(i, j, center+rng.NormFloat64())
		}
	}
	return Rows{x}
}

// firstAre returns n labels of which the first count are true.
func firstAre(count, n int) []bool {
	labels := make([]bool, n)
	for i := range count {
		labels[i] = true
	}
	return labels
}

// mixture returns n points with the given number of labeled positives; half of the others are positive.
func mixture(labeled, n int, seed uint64) Data {
	return Data{Examples: points(n, labeled+(n-labeled)/2, seed), Labeled: firstAre(labeled, n)}
}

// small is a network of one layer, and quick trains it for some steps.
var small = encoder.MLP{Hidden: []int{32}, Dim: 16}

func quick(m Method, steps int) Config {
	return Config{
		Method: m, Encoder: small, Positives: 32, Unlabeled: 64, Seed: 5,
		Settings: train.Settings{Steps: steps, LearningRate: 0.02},
	}
}

// dealt returns a run before its first step, with its decks prepared.
func dealt(t *testing.T, data Data, config Config) *run {
	t.Helper()
	r := &run{data: data, config: config.withDefaults(data.Examples), plan: config.Method.plan()}
	positive, unlabeled, err := data.pools()
	if err == nil {
		err = r.deal(positive, unlabeled)
	}
	expect.NoError(t, err)
	return r
}

// must trains and returns the result.
func must(t *testing.T, eng *engine.Engine, data Data, config Config) *Result {
	t.Helper()
	return expect.Must(Train(context.Background(), eng, data, config))(t)
}

// share returns the share of scores that classify correctly, given that the first positives examples are positive.
func share(scores []float64, positives int) float64 {
	right := 0
	for i, s := range scores {
		if (s > 0) == (i < positives) {
			right++
		}
	}
	return float64(right) / float64(len(scores))
}
