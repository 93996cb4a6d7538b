package papers

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets/gaussian"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// inThePlane names the grid of classifiers of points in the plane.
const inThePlane = "gaussians"

// linearMethod is the method of the runs in the plane with linear classifiers.
const linearMethod = "linear"

// The heads of runs in the plane in addition to [NNPU], [PUPL], [Naive] and [Ceiling].
const (
	NNPULow  = "nnPU, prior 20% too low"
	NNPUHigh = "nnPU, prior 20% too high"
	Bayes    = "Bayes' rule" // the best possible classifier, which need not be linear
)

// Plane is the configuration of a run in the plane: two normal distributions, labeled points of the positive one, and
// unlabeled points of both.
type Plane struct {
	Mixture   gaussian.Mixture
	Prior     float64 // fraction of positives among the unlabeled points
	Labeled   int
	Unlabeled int
	Tested    int // test points, of the same mixture
	Restarts  int // of PUPL
	Steps     int // of the optimizer, each with all points
}

// planeVersion is the version of the runs in the plane; see experiment.Run.
const planeVersion = 1

// Gaussians compares classifiers of points from two normal distributions in the plane, all with the same points and
// nearly all linear:
//
//   - the two mixtures of the figures 12 to 15 of "Contrastive Positive Unlabeled Learning", with decreasing numbers of
//     labeled points per unlabeled one; nnPU gets the true class prior and, as in figure 15, wrong ones;
//   - two round clouds at decreasing distances, about which the paper has no claim: down to which distance can
//     clustering separate the classes, and down to which one nnPU? In addition to the lines, an encoder by PUCL is
//     trained on these points, and the same network by nnPU.
func Gaussians(size experiment.Size) (experiment.Grid, error) {
	seeds, networks, steps := 10, 5, 500
	ratios, distances := []float64{0.5, 0.1, 0.05, 0.01, 0.002}, []float64{0.5, 1, 1.5, 2, 3, 4, 6}
	switch size {
	case experiment.Smoke:
		seeds, networks, steps, ratios, distances = 2, 2, 20, ratios[1:2], distances[3:4]
	case experiment.Laptop, experiment.Paper: // a GPU gives no speedup here
	default:
		return experiment.Grid{}, size.Unknown()
	}
	grid := experiment.Grid{Name: inThePlane, Size: size}
	plane := func(m gaussian.Mixture, prior, ratio float64) Plane {
		c := Plane{Mixture: m, Prior: prior, Unlabeled: 3000, Tested: 20_000, Restarts: restarts, Steps: 500}
		c.Labeled = int(ratio * float64(c.Unlabeled))
		return c
	}
	add := func(setting string, m gaussian.Mixture, prior, ratio float64) {
		for seed := range uint64(seeds) {
			c := plane(m, prior, ratio)
			grid.Runs = append(grid.Runs, experiment.Run{
				Setting: setting, Method: linearMethod, Seed: seed + 1, Version: planeVersion, Config: c,
				Train: func(_ context.Context, eng *engine.Engine, _ experiment.Place) (*experiment.Outcome, error) {
					return c.run(eng, seed+1)
				},
			})
		}
	}
	for _, ratio := range ratios {
		add(SeparableAt(ratio), gaussian.Separable(), 0.5, ratio)
	}
	for _, ratio := range ratios {
		add(OverlappingAt(ratio), gaussian.Overlapping(), 0.5, ratio)
	}
	for _, prior := range []float64{0.5, 0.3} {
		for _, distance := range distances {
			round := [2][2]float64{{1, 0}, {0, 1}}
			m := gaussian.Mixture{Negative: gaussian.Normal{Covariance: round}, Positive: gaussian.Normal{Covariance: round}}
			m.Positive.Mean[0] = distance
			add(RoundAt(distance, prior), m, prior, 0.05)
			c := plane(m, prior, 0.05)
			c.Steps = steps
			for seed := range uint64(networks) {
				grid.Runs = append(grid.Runs, c.contrastive(RoundAt(distance, prior), pucl.PUCL(), seed+1), c.baseline(RoundAt(distance, prior), seed+1))
			}
		}
	}
	return grid, nil
}

// SeparableAt names the setting of figures 12, 14 and 15 with ratio labeled points per unlabeled one.
func SeparableAt(ratio float64) string { return fmt.Sprintf("separable, γ = %g", ratio) }

// OverlappingAt names the setting of figure 13.
func OverlappingAt(ratio float64) string { return fmt.Sprintf("overlapping, γ = %g", ratio) }

// RoundAt names the setting of two round clouds of standard deviation 1 with centers at that distance.
func RoundAt(distance, prior float64) string {
	return fmt.Sprintf("round, distance %g, π = %g", distance, prior)
}

// Draw returns the points of a run: training points, labeled ones first, which of them are labeled and which positive,
// and the test points.
func (c Plane) Draw(seed uint64) (x *mat.Dense, labeled, positive []bool, test *mat.Dense, truth []bool, err error) {
	known, err := c.Mixture.Positive.Draw(c.Labeled, seed)
	unlabeled, drawErr := c.Mixture.Draw(gaussian.Config{Points: c.Unlabeled, Prior: c.Prior, Seed: seed})
	fresh, testErr := c.Mixture.Draw(gaussian.Config{Points: c.Tested, Prior: c.Prior, Random: true, Seed: ^seed})
	if err := errors.Join(err, drawErr, testErr); err != nil {
		return nil, nil, nil, nil, nil, err
	}
	x = mat.NewDense(c.Labeled+c.Unlabeled, 2, nil)
	x.Stack(known, unlabeled.Features)
	for i := range c.Labeled + c.Unlabeled {
		labeled = append(labeled, i < c.Labeled)
		positive = append(positive, i < c.Labeled || unlabeled.Labels[i-c.Labeled] == 1)
	}
	for _, class := range fresh.Labels {
		truth = append(truth, class == 1)
	}
	return x, labeled, positive, fresh.Features, truth, nil
}

// run trains the classifiers and evaluates them. Values of a linear one are its weights and bias: its boundary is at
// weight x·x + weight y·y + bias = 0.
func (c Plane) run(eng *engine.Engine, seed uint64) (*experiment.Outcome, error) {
	x, labeled, positive, test, truth, err := c.Draw(seed)
	if err != nil {
		return nil, err
	}
	o := &experiment.Outcome{Record: train.NewRecord(eng, planeData.note, fmt.Sprintf("%+v; seed %d", c, seed))}
	pupl, err := clusterLabels(x, labeled, c.Restarts, seed)
	if err != nil {
		return nil, &experiment.Failure{Err: fmt.Errorf("papers: %w", err)}
	}
	nnPU := func(prior float64) risk.Risk { return risk.NNPU(prior, risk.LogisticLoss) }
	// With the labeled points there would be too many positives.
	population := x.Slice(c.Labeled, c.Labeled+c.Unlabeled, 0, 2).(*mat.Dense)
	for _, h := range []struct {
		name      string
		x         *mat.Dense
		labels    []bool
		minimized risk.Risk
	}{
		{NNPU, x, labeled, nnPU(c.Prior)}, {NNPULow, x, labeled, nnPU(0.8 * c.Prior)}, {NNPUHigh, x, labeled, nnPU(1.2 * c.Prior)},
		{PUPL, x, pupl, risk.CrossEntropy}, {Naive, x, labeled, risk.CrossEntropy}, {Ceiling, population, positive[c.Labeled:], risk.CrossEntropy},
	} {
		config := probe.Config{Epochs: c.Steps, BatchSize: len(h.labels), Seed: seed}
		linear, err := probe.FitPU(eng, h.x, h.labels, h.minimized, config)
		if err != nil {
			return nil, fmt.Errorf("papers: %s: %w", h.name, err)
		}
		judged, err := linear.Score(test, truth)
		if err != nil {
			return nil, fmt.Errorf("papers: %s: %w", h.name, err)
		}
		w := linear.Weights.RawRowView(0)
		o.Points = append(o.Points, experiment.Point{Head: h.name, Test: &judged,
			Values: map[string]float64{"weight x": w[0], "weight y": w[1], "bias": linear.Bias[0]}})
	}
	best := make([]float64, len(truth))
	for i := range best {
		if best[i], err = c.Mixture.Posterior(test.At(i, 0), test.At(i, 1), c.Prior); err != nil {
			return nil, fmt.Errorf("papers: %w", err)
		}
	}
	judged, err := evaluate.ScoreBinary(best, truth, 0.5)
	if err != nil {
		return nil, fmt.Errorf("papers: %w", err)
	}
	_, unlabeled := rows.Split(labeled)
	right, err := evaluate.Count(rows.Pick(pupl, unlabeled), rows.Pick(positive, unlabeled))
	o.Points = append(o.Points, experiment.Point{Head: Bayes, Test: &judged},
		experiment.Point{Head: PUPL, Step: -1, Values: map[string]float64{"pseudo-labels right": right.Accuracy()}})
	return o, err
}
