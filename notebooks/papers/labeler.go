package papers

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// labeler names the grid of ablations of the pseudo-labeler.
const labeler = "labeler"

// benchmarksOfLabeler lists the tasks of its runs.
var benchmarksOfLabeler = []string{"FMNIST-I", "FMNIST-II", "CIFAR-I"}

// The methods of the runs of [Labeler]: encoders by PUCL and by SCL-PU, from which a third of the labels is held back.
const (
	LabelerMethod = "PUCL" + thirdHeldBack
	LabelerSCLPU  = "SCL-PU" + thirdHeldBack

	thirdHeldBack = ", a third of the labels held back"
)

// The heads of a run of [Labeler] in addition to [PUPL], [PUPLOnZ] and [Ceiling]: cross-entropy on pseudo-labels of h
// by package pseudo, with all parts, without each of them, and given the true class prior.
const (
	WholeLabeler     = "all parts"
	WithoutLandmarks = "no closeness to landmarks"
	WithoutFolds     = "scores by what learned from the row"
	WithoutEstimate  = "π taken to be ½"
	WithoutTrim      = "doubtful rows kept"
	WithoutSecond    = "no second classifier"
	WithoutHeldOut   = "no label held back"
	ToldPrior        = "told π"
)

// LabelerHeads lists the heads of a run of [Labeler] in the order of tables.
func LabelerHeads() []string {
	return []string{WholeLabeler, WithoutLandmarks, WithoutFolds, WithoutEstimate, WithoutTrim, WithoutSecond, WithoutHeldOut, ToldPrior,
		PUPL, PUPLOnZ, Ceiling}
}

// labelerVersion is the version of runs of [Labeler]; see experiment.Run.
const labelerVersion = 1

// heldBack is the fraction of the labels that no encoder of [Labeler] is trained on.
const heldBack = 1. / 3

// HeldBack is the configuration of a run of [Labeler].
type HeldBack struct {
	Contrastive         // of the encoder
	Share       float64 // of the labels that the encoder is not trained on
}

// Labeler removes the parts of package pseudo, one at a time, and compares the results with PUPL. It uses the outputs
// of an encoder by PUCL and of one by SCL-PU for each task and seed. A third of the labels is held back from the
// encoder to estimate the class prior; see pseudo.Config.
func Labeler(size experiment.Size) (experiment.Grid, error) {
	list, err := settingsOfLabeler(size)
	if err != nil {
		return experiment.Grid{}, err
	}
	grid := experiment.Grid{Name: labeler, Size: size}
	for _, s := range list {
		for seed := range uint64(min(s.Seeds, 3)) {
			grid.Runs = append(grid.Runs, s.heldBack(pucl.PUCL(), seed+1), s.heldBack(pucl.SCLPU(), seed+1))
		}
	}
	return grid, nil
}

// settingsOfLabeler returns the settings of its tasks, without those of 3,000 labels.
func settingsOfLabeler(size experiment.Size) ([]setting, error) {
	list, err := settings(size)
	return slices.DeleteFunc(list, func(s setting) bool {
		return s.Data.Labeled == 3000 || !slices.Contains(benchmarksOfLabeler, s.Data.Benchmark)
	}), err
}

// heldBack returns the run of a setting with an encoder trained by an objective.
func (s setting) heldBack(o pucl.Objective, seed uint64) experiment.Run {
	c := s.Pretrain
	c.Objective, c.Encoder, c.Seed = o, s.Encoder, seed
	like := s.contrastive(c.Objective, seed)
	config := HeldBack{Contrastive: like.Config.(Contrastive), Share: heldBack}
	config.Points, c.Tau = 1, config.Tau
	return experiment.Run{
		Setting: s.Name, Method: o.Name + thirdHeldBack, Seed: seed, Version: labelerVersion, Config: config,
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			return s.trainHeldBack(ctx, eng, place, c)
		},
	}
}

// trainHeldBack does a run.
func (s setting) trainHeldBack(ctx context.Context, eng *engine.Engine, place experiment.Place, c train.Config) (_ *experiment.Outcome, err error) {
	var hidden []bool
	data, batches, err := s.prepare(eng, c, func(o *opened) (*datasets.Split, error) {
		hidden = holdBack(o.train.Labeled, c.Seed)
		return o.train.HideLabels(hidden)
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, data.close()) }()
	byParts := func(done int, m *train.Model) ([]experiment.Point, error) {
		all, err := data.embed(eng, m)
		if err != nil {
			return nil, err
		}
		return all.judgeParts(eng, data.truth, hidden, done, c.Seed)
	}
	atEnd := func(done int) bool { return done == c.Steps }
	return data.follow(place, c, atEnd, byParts, func(c train.Config) (*train.Model, error) { return train.Pretrain(ctx, eng, batches, c) })
}

// holdBack draws the labeled rows whose labels are held back from the encoder.
func holdBack(labeled []bool, seed uint64) []bool {
	hidden := make([]bool, len(labeled))
	positives, _ := rows.Split(labeled)
	for _, i := range rand.New(rand.NewPCG(seed, 0xbac4)).Perm(len(positives))[:int(heldBack*float64(len(positives)))] {
		hidden[positives[i]] = true
	}
	return hidden
}

// judgeParts evaluates the labeler with and without its parts, and PUPL, after the given steps. If labeling fails, the
// point has the reason.
func (all embeddings) judgeParts(eng *engine.Engine, truth, hidden []bool, step int, seed uint64) ([]experiment.Point, error) {
	priors := map[string]float64{}
	of := all.train.labelers(hidden, seed)
	points, learned, err := all.judgeBy(eng, LabelerHeads(), truth, step, seed, func(head string) (*mat.Dense, []bool, risk.Risk, error) {
		if head == PUPL || head == PUPLOnZ || head == Ceiling {
			return all.train.head(head, seed)
		}
		labels, prior, err := of(head)
		priors[head] = prior
		return all.train.h, labels, risk.CrossEntropy, err
	})
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		labels, whole := learned[p.Head], learned[WholeLabeler]
		if labels == nil {
			continue
		}
		if prior := priors[p.Head]; prior != 0 {
			p.Values[EstimatedPrior] = prior
		}
		if whole != nil && p.Head != Ceiling {
			p.Values[Disagreement] = 1 - agreeing(labels, whole, all.train.Labeled)
		}
		if all.train.Unknown == nil {
			p.Values[LabelsRight] = agreeing(labels, all.train.Positive, all.train.Labeled)
		}
	}
	return points, nil
}

// labelers returns a function for the pseudo-labels of a head of [Labeler] by package pseudo, and their class prior.
func (e embedded) labelers(hidden []bool, seed uint64) func(head string) (labels []bool, prior float64, err error) {
	whole := sync.OnceValues(func() (*pseudo.Labels, error) {
		return pseudo.Label(e.h, e.Labeled, pseudo.Config{HeldOut: hidden, Seed: seed})
	})
	return func(head string) ([]bool, float64, error) {
		config := pseudo.Config{HeldOut: hidden, Seed: seed}
		switch head {
		case WholeLabeler, WithoutSecond:
			l, err := whole()
			if err != nil {
				return nil, 0, err
			}
			if head == WithoutSecond {
				return highest(l.Scores, e.Labeled, l.Prior), l.Prior, nil
			}
			return l.Positive, l.Prior, nil
		case WithoutLandmarks:
			config.Landmarks = -1
		case WithoutFolds:
			config.Folds = 1
		case WithoutEstimate:
			config.Prior, config.HeldOut = 0.5, nil
		case WithoutTrim:
			config.Trim = -1
		case WithoutHeldOut:
			config.HeldOut, config.Trim = nil, 0.1 // that of the other heads, so that only one part is removed
		case ToldPrior:
			config.Prior, config.HeldOut = e.Prior, nil
		}
		l, err := pseudo.Label(e.h, e.Labeled, config)
		if err != nil {
			return nil, 0, err
		}
		return l.Positive, l.Prior, nil
	}
}

// highest marks the labeled rows, and the given fraction of the others with the highest scores.
func highest(scores []float64, labeled []bool, share float64) []bool {
	positive := slices.Clone(labeled)
	_, others := rows.Split(labeled)
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for _, i := range others[:int(share*float64(len(others)))] {
		positive[i] = true
	}
	return positive
}

// claimsLabeler returns the claims that each part of the labeler has an effect, and that with labels held back it is
// better than Algorithm 1 for every training objective of the encoder.
func claimsLabeler() (list []Claim) {
	for _, benchmark := range benchmarksOfLabeler {
		setting := settingName(benchmark, 1000)
		for _, method := range []string{LabelerMethod, LabelerSCLPU} {
			name := "pseudo-labeler"
			if method == LabelerSCLPU {
				name += ", encoder by SCL-PU"
			}
			for _, part := range LabelerHeads()[1:7] {
				list = append(list, labelerClaim(name, "all parts are above "+part, setting, method, WholeLabeler, part))
			}
			list = append(list, aboveAlgorithm1(setting, method, WholeLabeler)...)
		}
	}
	return list
}

// claimsBesideAlgorithm1 returns the claims that the labeler is also better than Algorithm 1 in the runs of Table 1,
// whose encoders were trained on all labels.
func claimsBesideAlgorithm1() (list []Claim) {
	for _, labeled := range []int{1000, 3000} {
		for _, benchmark := range benchmarks1 {
			for _, o := range objectives() {
				list = append(list, aboveAlgorithm1(settingOf(benchmark, labeled), o.Name, Mixture)...)
			}
		}
	}
	return list
}

// claimsBesideAlgorithm1OnTables returns the same for encoders of rows.
func claimsBesideAlgorithm1OnTables() (list []Claim) {
	for _, set := range uciSets() {
		for _, o := range objectives() {
			list = append(list, aboveAlgorithm1(set.setting(), o.Name, Mixture)...)
		}
	}
	return list
}

// aboveAlgorithm1 returns the claims that a classifier is better with the labeler than with Algorithm 1, on h and on z,
// on the encoders of a method.
func aboveAlgorithm1(setting, method, head string) []Claim {
	claim := func(statement, below string) Claim {
		return labelerClaim("pseudo-labeler beside Algorithm 1", statement+", encoder by "+method, setting, method, head, below)
	}
	return []Claim{
		claim("pseudo-labels without a prior are above those of Algorithm 1 on h", PUPL),
		claim("pseudo-labels without a prior from h are above those of Algorithm 1 on z", PUPLOnZ),
	}
}

// labelerClaim returns a claim about two heads of the runs of a method.
func labelerClaim(name, statement, setting, method, above, below string) Claim {
	return Claim{
		Experiment: name, Statement: statement, Source: "this library", Setting: setting,
		Above: Row{method, above}, Below: Row{method, below},
	}
}
