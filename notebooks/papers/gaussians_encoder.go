package papers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/baseline"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// NetworkNNPU is the method of the runs in the plane that train a network on the points themselves, by nnPU with the
// true class prior.
const NetworkNNPU = "nnPU, network"

// PlaneSigma is the standard deviation of the noise in each coordinate that turns a point into a view. It is the same
// for all mixtures and was fixed before the first run: a selection by accuracy would use the classes.
const PlaneSigma = 0.5

// planeNetworkVersion is the version of runs in the plane that train a network; see experiment.Run. A changed head
// increases it, like [contrastiveVersion]; a changed training of nnPU increases its version in package baseline.
const planeNetworkVersion = 1

// PlaneContrastive is the configuration of a run that pretrains an encoder on points of the plane.
type PlaneContrastive struct {
	Plane     // Steps are those of the encoder
	Objective string
	Tau       float64
	Encoder   string
	Sigma     float64 // of the noise in views
	Update    string  // optimizer, learning rate and schedule
	Batch     int     // points in a batch
	Share     float64 // fraction of labeled points in a batch
}

// PlaneBaseline is the configuration of a run that trains a network on points of the plane by a baseline.
type PlaneBaseline struct {
	Plane            // Steps are those of the network; nothing is clustered, so Restarts is 0
	Protocol  int    // planeNetworkVersion
	Method    string // with all its parameters
	Encoder   string // with a linear output layer
	Update    string // optimizer, learning rate and schedule
	Positives int    // labeled points in a batch
	Unlabeled int    // unlabeled points in a batch
}

// planeData describes the data for records.
var planeData = &opened{note: "normal distributions in the plane"}

// contrastive returns the run that pretrains on the points by an objective and evaluates the encoder by the heads of
// Table 1.
func (c Plane) contrastive(setting string, o pucl.Objective, seed uint64) experiment.Run {
	t := train.Config{Objective: o, Encoder: tableEncoder(), Tau: 0.5, Steps: c.Steps, Seed: seed}
	batch := datasets.BatchConfig{Size: 256, Share: 0.25, Seed: seed}
	return experiment.Run{
		Setting: setting, Method: o.Name, Seed: seed, Version: planeNetworkVersion,
		Config: PlaneContrastive{Plane: c, Objective: o.Name, Tau: t.Tau, Encoder: encoder.Describe(t.Encoder), Sigma: PlaneSigma,
			Update: update(t), Batch: batch.Size, Share: batch.Share},
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			t.Observer = place.Observer
			return c.pretrain(ctx, eng, t, batch)
		},
	}
}

// baseline returns the run that trains the same network on the points by nnPU, with the same steps and the same numbers
// of labeled and unlabeled points per step.
func (c Plane) baseline(setting string, seed uint64) experiment.Run {
	c.Restarts = 0
	method := baseline.NNPU{Prior: c.Prior}
	config := baseline.Config{Method: method, Encoder: tableEncoder(), Positives: 64, Unlabeled: 192, Seed: seed, Settings: train.Settings{Steps: c.Steps}}
	return experiment.Run{
		Setting: setting, Method: NetworkNNPU, Seed: seed, Version: baseline.Version(method),
		Config: PlaneBaseline{Plane: c, Protocol: planeNetworkVersion, Method: method.String(), Encoder: encoder.Describe(config.Encoder),
			Update: config.Settings.WithDefaults().Update(), Positives: config.Positives, Unlabeled: config.Unlabeled},
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			config.Settings.Observer = place.Observer
			return c.compete(ctx, eng, config)
		},
	}
}

// compete does a run of a baseline. It is evaluated only at its end.
func (c Plane) compete(ctx context.Context, eng *engine.Engine, config baseline.Config) (*experiment.Outcome, error) {
	x, labeled, _, test, truth, err := c.Draw(config.Seed)
	if err != nil {
		return nil, err
	}
	result, err := baseline.Train(ctx, eng, baseline.Data{Examples: baseline.Rows{X: x}, Labeled: labeled}, config)
	if err != nil {
		return nil, err
	}
	scores, err := result.Network.Score(eng, baseline.Rows{X: test})
	if err != nil {
		return nil, err
	}
	judged, err := evaluate.ScoreBinary(scores, truth, 0)
	if err != nil { // non-finite scores, which a retry would repeat
		return nil, &experiment.Failure{Err: fmt.Errorf("papers: %w", err)}
	}
	return planeData.outcome(result.Record, []experiment.Point{{Step: c.Steps, Test: &judged}}), nil
}

// pretrain does a run of an objective.
func (c Plane) pretrain(ctx context.Context, eng *engine.Engine, t train.Config, batch datasets.BatchConfig) (*experiment.Outcome, error) {
	x, labeled, positive, test, truth, err := c.Draw(t.Seed)
	if err != nil {
		return nil, err
	}
	split := &datasets.Split{Index: rows.All(len(labeled)), Of: len(labeled), Labeled: labeled, Positive: positive, Prior: c.Prior,
		Classes: []string{"negative", "positive"}, Config: datasets.SplitConfig{Positive: []int{1}, Labeled: c.Labeled, Seed: t.Seed}}
	schedule, err := datasets.NewSchedule(split, batch)
	if err != nil {
		return nil, err
	}
	m, err := train.PretrainFeatures(ctx, eng, noisyPoints{schedule, x, labeled, t.Seed}, t)
	if err != nil {
		return nil, err
	}
	points, err := c.judge(eng, m, split, x, test, truth, t.Seed)
	return planeData.outcome(m.Record, points), err
}

// judge evaluates an encoder by the heads of Table 1. If a head cannot be fitted, its point has the reason.
func (c Plane) judge(eng *engine.Engine, m *train.Model, split *datasets.Split, x, test *mat.Dense, truth []bool, seed uint64) (
	points []experiment.Point, err error) {
	learn, err := m.EmbedFeatures(eng, x)
	fresh, testErr := m.EmbedFeatures(eng, test)
	if err := errors.Join(err, testErr); err != nil {
		return nil, err
	}
	all := embeddings{train: embedded{rows.Unit(learn.H), rows.Unit(learn.Z), part{Split: split}}, test: rows.Unit(fresh.H)}
	points, learned, err := all.judgeBy(eng, Heads(), truth, c.Steps, seed, func(head string) (*mat.Dense, []bool, risk.Risk, error) {
		return all.train.head(head, seed)
	})
	for i, p := range points {
		if labels := learned[p.Head]; labels != nil && (p.Head == PUPL || p.Head == PUPLOnZ || p.Head == Mixture) {
			points[i].Values = map[string]float64{LabelsRight: agreeing(labels, split.Positive, split.Labeled)}
		}
	}
	return points, err
}

// noisyPoints produces batches of points of the plane; a view of a point is the point plus independent noise.
type noisyPoints struct {
	*datasets.Schedule
	x       *mat.Dense
	labeled []bool
	seed    uint64
}

// Features returns 2, the coordinates.
func (noisyPoints) Features() int { return 2 }

// String describes the batches.
func (p noisyPoints) String() string {
	return fmt.Sprintf("%s; views: points with normal noise of standard deviation %g", p.Schedule, PlaneSigma)
}

// noiseStream separates the noise from other draws with the same seed.
const noiseStream = 0x6e6f697365 // "noise" in ASCII

// Batch returns a view of each point of a step's batch, and then another view of each.
func (p noisyPoints) Batch(step int) (views []float32, labeled []bool) {
	rng := rand.New(rand.NewPCG(p.seed^noiseStream, uint64(step)))
	examples := p.Rows(step)
	for range 2 {
		for _, i := range examples {
			for _, v := range p.x.RawRowView(i) {
				views = append(views, float32(v+PlaneSigma*rng.NormFloat64()))
			}
		}
	}
	for _, i := range examples {
		labeled = append(labeled, p.labeled[i])
	}
	return views, labeled
}
