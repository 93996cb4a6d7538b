package baseline

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

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

// Every point of class c lies around (±1, ±1)·√2, with standard deviation 1, so that the centers are 4 apart and the best
// classifier is right on a share Φ(2) of them.
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

// mixture returns n points of which some are labeled positives; of the others, half are positive.
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

// dealt returns a run before its first step, with the examples dealt out.
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

// share returns how many of the scores are right about the first positives.
func share(scores []float64, positives int) float64 {
	right := 0
	for i, s := range scores {
		if (s > 0) == (i < positives) {
			right++
		}
	}
	return float64(right) / float64(len(scores))
}
