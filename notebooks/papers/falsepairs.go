package papers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// OnFloor is the value of a run of [FalsePositives] with the fraction of anchors whose corrected positive mass is at
// its floor, where its gradient is 0. It is measured on batches of held-out images with the same rate of false
// positives as in training.
const OnFloor = "share on the floor"

// Top names the value of a head with its top-k accuracy: how often the true class is among the k largest logits.
func Top(k int) Measure { return Measure(fmt.Sprintf("top-%d", k)) }

// TopKs are the k of the tables besides 1, which is accuracy.
func TopKs() []int { return []int{2, 3, 5} }

// Pairs is the configuration of a run that pretrains on pairs of which some are false.
type Pairs struct {
	Contrastive         // Points, Restarts and Neighbors are not used
	Rate        float64 // ρ
	Bank        int     // training images with known classes for the linear probe; 0 means all
	At          []int   // steps after which values are measured
}

// pairsVersion is the version of these runs; see experiment.Run.
const pairsVersion = 1

// pairs returns the run of a reading in a setting with false positives at that rate.
func (s setting) pairs(r reading, name string, rate float64, seed uint64) experiment.Run {
	like := s.unjudged(r.objective, seed)
	config := Pairs{Contrastive: like, Rate: rate, Bank: s.Bank}
	for _, percent := range []int{5, 20, 50, 100} {
		config.At = append(config.At, max(1, like.Steps*percent/100))
	}
	config.At = slices.Compact(config.At)
	return experiment.Run{
		Setting: name, Method: r.method, Seed: seed, Version: pairsVersion, Config: config,
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			c := s.Pretrain
			c.Objective, c.Encoder, c.Seed, c.Tau = r.objective, s.Encoder, seed, config.Tau
			return s.trainPairs(ctx, eng, place, c, r, config)
		},
	}
}

// trainPairs does a run.
func (s setting) trainPairs(ctx context.Context, eng *engine.Engine, place experiment.Place, c train.Config, r reading, config Pairs) (
	*experiment.Outcome, error) {
	return s.followAt(ctx, eng, place, c, config.At, func(data *opened, batches *datasets.Batches) (train.Batches, judging, error) {
		pairs := &falsePairs{classedBatches{batches, data.train, data.learn}, membersOf(data.learn), config.Rate, c.Seed}
		return pairs, func(done int, m *train.Model) ([]experiment.Point, error) {
			points, err := data.measurePairs(eng, m, r, config, c.Seed)
			if err == nil && done == c.Steps {
				var judged experiment.Point
				judged, err = data.topK(eng, m, config.Bank, c.Seed)
				points = append(points, judged)
			}
			return points, err
		}, nil
	})
}

// falsePairs are batches in which some second views come from images of other classes. Classes returns the classes of
// the first views.
type falsePairs struct {
	classedBatches
	byClass [][]int // images of each class
	rate    float64
	seed    uint64
}

// falsePairsStream separates the draws of false pairs from others with the same seed.
const falsePairsStream = 0xfa15e

// Seconds returns the images of the second views: the images of the batch, of which a random fraction is replaced by
// images of other classes, with equal probability for all other classes.
func (f *falsePairs) Seconds(step int) ([]uint8, error) {
	rng := rand.New(rand.NewPCG(f.seed^falsePairsStream<<32, uint64(step)))
	images := rows.Pick(f.Index, f.Rows(step))
	return read(f.images, exchanged(images, f.of, f.byClass, f.rate, rng))
}

// String describes the batches.
func (f *falsePairs) String() string {
	return fmt.Sprintf("%s, %g of the pairs false", f.classedBatches, f.rate)
}

// membersOf lists the examples of each class.
func membersOf(classes []int) [][]int {
	out := make([][]int, slices.Max(classes)+1)
	for i, class := range classes {
		out[class] = append(out[class], i)
	}
	return out
}

// exchanged returns the examples with a random fraction of them replaced by examples of other classes.
func exchanged(examples, classes []int, byClass [][]int, rate float64, rng *rand.Rand) []int {
	out := slices.Clone(examples)
	for i, example := range examples {
		if rng.Float64() >= rate {
			continue
		}
		for class := classes[example]; class == classes[example]; { // classes without examples are not drawn
			if other := rng.IntN(len(byClass)); len(byClass[other]) > 0 {
				class = other
				out[i] = byClass[class][rng.IntN(len(byClass[class]))]
			}
		}
	}
	return out
}

// measuredBatches is the number of measured batches of held-out images.
const measuredBatches = 1

// measurePairs measures alignment and uniformity of true pairs of held-out images, and the fraction at the floor for
// pairs as in training.
func (o *opened) measurePairs(eng *engine.Engine, m *train.Model, r reading, config Pairs, seed uint64) ([]experiment.Point, error) {
	spread, err := o.measureSpread(eng, m, measuredBatches*config.Batch)
	if err != nil {
		return nil, err
	}
	if r.positives != nil {
		classes := rows.Pick(o.aside, spread.held)
		if spread.values[OnFloor], err = onFloor(eng, *r.positives, spread.own, spread.views, classes, config, seed); err != nil {
			return nil, err
		}
	}
	return []experiment.Point{{Values: spread.values}}, nil
}

// onFloor returns the fraction of anchors at the floor, in batches of the training size.
func onFloor(eng *engine.Engine, c pucl.DebiasedPosConfig, first, second *mat.Dense, classes []int, config Pairs, seed uint64) (float64, error) {
	n, _ := first.Dims()
	size := min(config.Batch, n)
	rng := rand.New(rand.NewPCG(seed, falsePairsStream))
	partners := exchanged(rows.All(n), classes, membersOf(classes), config.Rate, rng)
	order := rng.Perm(n)
	sum, count := 0.0, 0
	for start := 0; start+size <= n; start += size {
		var z [][]float64
		var known []int32
		for _, i := range order[start : start+size] {
			z, known = append(z, first.RawRowView(i)), append(known, int32(classes[i]))
		}
		for _, i := range order[start : start+size] {
			z = append(z, second.RawRowView(partners[i]))
		}
		share, err := c.Floored().ValueOfClasses(eng, z, known, config.Tau)
		if err != nil {
			return 0, err
		}
		sum, count = sum+share, count+1
	}
	return sum / float64(count), nil
}

// topK evaluates an encoder by a linear probe trained on the classes of some training images: accuracy and top-k on the
// test images.
func (o *opened) topK(eng *engine.Engine, m *train.Model, bank int, seed uint64) (experiment.Point, error) {
	linear, _, tests, err := o.linear(eng, m, bank, seed)
	if err != nil {
		return experiment.Point{}, err
	}
	judged, err := linear.ScoreClasses(tests, o.test.labels)
	logits, logitsErr := linear.Logits(tests)
	if err := errors.Join(err, logitsErr); err != nil {
		return experiment.Point{}, err
	}
	point := experiment.Point{Head: Ceiling, Many: &judged, Values: map[string]float64{}}
	for _, k := range TopKs() {
		if point.Values[string(Top(k))], err = evaluate.TopK(logits, o.test.labels, k); err != nil {
			return experiment.Point{}, err
		}
	}
	return point, nil
}
