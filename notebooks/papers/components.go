package papers

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/train"
)

// components names the grid of ablations of Algorithm 1 and additions to it.
const components = "components"

// ComponentsMethod is the method of the runs of [Components]: an encoder by PUCL, trained for 3,000 steps at size
// laptop.
const ComponentsMethod = "PUCL, taken apart"

// componentsSteps is the number of steps of an encoder of [Components] at size laptop, equal for all tasks.
const componentsSteps = 3000

// componentsVersion is the version of runs of [Components]; see experiment.Run.
const componentsVersion = 1

// The heads of a run of [Components] besides [Heads]: PUPL without one of its parts, on h and on z, a risk with the
// class prior that the mixture estimates, and fine-tuned networks.
const (
	OneStart    = "one random start"
	NotHeld     = "labeled rows not held"
	PaperCode   = "the paper's pseudo code"
	NoLabels    = "k-means++, labels name clusters alone"
	OnRandom    = "random rows, labels name clusters alone"
	NotOriented = "clusters not named by the labels in them"

	Outside       = "mixture, π by labels held out"
	ChosenSetting = "mixture, setting chosen by labels held out"

	NNPUEstimated = "nnPU, π as estimated"
	Tuned         = "mixture, fine-tuned"
	TunedOnImages = "mixture, fine-tuned without views"
	TunedOnClear  = "mixture, fine-tuned on clear images"
	SelfTrained   = "mixture, fine-tuned and labeled again"
	TunedCeiling  = "all true labels, fine-tuned"
)

// clusterings lists PUPL without each of its parts.
func clusterings() []namedClustering {
	return []namedClustering{
		{OneStart, cluster.Config{}},
		{NotHeld, cluster.Config{Free: true, Restarts: restarts}},
		{PaperCode, cluster.Config{Start: cluster.Means, Free: true}},
		{NoLabels, cluster.Config{Start: cluster.TwoDrawn, Free: true, Restarts: restarts}},
		{OnRandom, cluster.Config{Start: cluster.TwoRandom, Free: true, Restarts: restarts}},
		{NotOriented, cluster.Config{Restarts: restarts, Unoriented: true}},
	}
}

type namedClustering struct {
	part   string
	config cluster.Config
}

// WithoutPart names the head of PUPL without one of its parts, on z or on h.
func WithoutPart(part string, onZ bool) string {
	if onZ {
		return "PUPL on z, " + part
	}
	return "PUPL, " + part
}

// PartsOfPUPL lists the parts of PUPL that [Components] removes.
func PartsOfPUPL() (parts []string) {
	for _, c := range clusterings() {
		parts = append(parts, c.part)
	}
	return parts
}

// TunedHeads lists the fine-tuned heads of a run of [Components].
func TunedHeads() []string {
	return []string{Tuned, TunedOnImages, TunedOnClear, SelfTrained, TunedCeiling}
}

// Added configures the additions of [Components] to Algorithm 1: networks that are fine-tuned starting from a linear
// probe, by cross-entropy with Adam, and settings of the pseudo-labeler.
type Added struct {
	Epochs int // passes over the images
	Batch  int // images in a batch

	Settings int // candidate settings of the pseudo-labeler
}

// TakenApart is the configuration of a run of [Components].
type TakenApart struct {
	Contrastive
	Added
}

// Components measures the effect of each part of Algorithm 1 and of possible additions, on one encoder by PUCL per task
// and at most three seeds. It has PUPL with all parts and without each of them, pseudo-labels by package pseudo, and
// networks fine-tuned on these. For every seed it also compares CrossFit on FMNIST-I with all true labels on the same
// encoders.
func Components(size experiment.Size) (experiment.Grid, error) {
	list, err := settingsOfLabeler(size)
	if err != nil {
		return experiment.Grid{}, err
	}
	grid := experiment.Grid{Name: components, Size: size}
	for _, s := range list {
		short := s // as in the other grids
		if size == experiment.Laptop {
			s.Pretrain.Steps = componentsSteps
		}
		for seed := range uint64(s.Seeds) {
			if seed < 3 {
				grid.Runs = append(grid.Runs, s.takenApart(seed+1))
			}
			if s.Data.Benchmark == "FMNIST-I" {
				grid.Runs = append(grid.Runs, short.crossFitBesideTrueLabels(seed+1))
			}
		}
	}
	return grid, nil
}

// takenApart returns the run of a setting.
func (s setting) takenApart(seed uint64) experiment.Run {
	c := s.Pretrain
	c.Objective, c.Encoder, c.Seed = pucl.PUCL(), s.Encoder, seed
	config := TakenApart{s.contrastive(c.Objective, seed).Config.(Contrastive), Added{Epochs: 3, Batch: s.Batch.Size, Settings: s.candidates()}}
	config.Points, c.Tau = 1, config.Tau
	return experiment.Run{
		Setting: s.Name, Method: ComponentsMethod, Seed: seed, Version: componentsVersion, Config: config,
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			return s.followAt(ctx, eng, place, c, []int{c.Steps}, func(data *opened, batches *datasets.Batches) (train.Batches, judging, error) {
				return batches, func(done int, m *train.Model) ([]experiment.Point, error) {
					return data.judgeComponents(ctx, eng, m, c, config.Added)
				}, nil
			})
		},
	}
}

// judgeComponents evaluates an encoder by the heads of Table 1, by PUPL without one of its parts, and by networks
// fine-tuned from it.
func (o *opened) judgeComponents(ctx context.Context, eng *engine.Engine, m *train.Model, c train.Config, how Added) ([]experiment.Point, error) {
	all, err := o.embed(eng, m)
	if err != nil {
		return nil, err
	}
	points, err := all.judge(eng, o.truth, c.Steps, c.Seed)
	if err != nil {
		return nil, err
	}
	parts, err := all.judgePUPL(eng, o.truth, c)
	if err != nil {
		return nil, err
	}
	chosen, err := all.judgeSettings(eng, o.truth, c, how.Settings)
	if err != nil {
		return nil, err
	}
	tuned, err := (&tuning{o, eng, m, c, how}).judge(ctx, all)
	return slices.Concat(points, parts, chosen, tuned), err
}

// judgePUPL evaluates PUPL without each of its parts.
func (all embeddings) judgePUPL(eng *engine.Engine, truth []bool, c train.Config) ([]experiment.Point, error) {
	configs := map[string]cluster.Config{}
	x := map[string]*mat.Dense{}
	var heads []string
	for _, onZ := range []bool{false, true} {
		for _, clustering := range clusterings() {
			head := WithoutPart(clustering.part, onZ)
			configs[head], x[head] = clustering.config, all.train.h
			if onZ {
				x[head] = all.train.z
			}
			heads = append(heads, head)
		}
	}
	points, learned, err := all.judgeBy(eng, heads, truth, c.Steps, c.Seed, func(head string) (*mat.Dense, []bool, risk.Risk, error) {
		config := configs[head]
		config.Seed = c.Seed
		clusters, err := cluster.PUPL(x[head], all.train.Labeled, config)
		if err != nil {
			return nil, nil, nil, err
		}
		return all.train.h, clusters.Positive, risk.CrossEntropy, nil
	})
	for _, p := range points {
		if labels := learned[p.Head]; labels != nil {
			p.Values[LabelsRight] = agreeing(labels, all.train.Positive, all.train.Labeled)
		}
	}
	return points, err
}
