package papers

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/contrast"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// withoutPrior names the grid of classifiers without a given class prior.
const withoutPrior = "without-prior"

// crossFitMethod is the method of the runs of [WithoutPrior]. Its heads are the classifiers on the first encoders, by
// PUCL, and on those by [pucl.PUDebiased], with the prior estimated on the first ones.
const (
	crossFitMethod = "CrossFit"
	FirstTime      = "PUCL"
	SecondTime     = "PU-debiased"
)

// crossFitVersion is the version of the runs of [contrast.CrossFit]; see experiment.Run.
const crossFitVersion = 4

// Values of pseudo-labels, in addition to [EstimatedPrior], their prior, and values of a run of CrossFit.
const (
	LabelsRight  = "pseudo-labels" // fraction of the unlabeled training images with a correct pseudo-label
	MembersAlone = "members alone" // mean test accuracy of the single members
	// Disagreement is the fraction of the unlabeled training images to which the labeler of package pseudo gives the
	// other class.
	Disagreement = "disagreement"
)

// CrossFit is the configuration of a run of [contrast.CrossFit].
type CrossFit struct {
	Contrastive // of each encoder; Restarts and Points are not used
	Folds       int
	Again       string // the objective of the second round
	AgainSteps  int    // steps of each encoder of the second round
	Ceiling     bool   // whether fully supervised classifiers on the same encoders are also evaluated
}

// WithoutPrior is [contrast.CrossFit] on the settings of Tables 1 and 2: classifiers without a given class prior,
// beside the heads of the encoders by PUCL, whose runs are those of Table 1, and the best published numbers.
func WithoutPrior() Table {
	t := Table{
		Name: withoutPrior, Title: "Classifiers that are told no class prior", Published: publishedBest(), Claims: claimsWithoutPrior(),
		Rows: []Row{{crossFitMethod, FirstTime}, {crossFitMethod, SecondTime}},
		runs: func(s setting) (runs []experiment.Run) {
			for seed := range uint64(s.Seeds) {
				runs = append(runs, s.contrastive(pucl.PUCL(), seed+1), s.crossFit(seed+1))
			}
			return runs
		},
	}
	for _, head := range []string{Mixture, PUPLOnZ, PUPL, NNPU, Ceiling} {
		t.Rows = append(t.Rows, Row{"PUCL", head})
	}
	for _, p := range t.Published {
		if !slices.Contains(t.Rows, p.Row) {
			t.Rows = append(t.Rows, p.Row)
		}
	}
	return t
}

// publishedBest returns the best published numbers of the settings, with a class prior or without.
func publishedBest() (list []Published) {
	list = append(list, Published{Setting: settingOf("FMNIST-I", 1000), Row: Row{"DC-PU+", ""}, Mean: 92.73, Source: sourceDCPU})
	for _, p := range published2() {
		if p.Row.Method == "P3MIX-E" || p.Row.Method == "vPU" || p.Row.Method == "NcPU" || p.Row == (Row{"PUCL", PUPL}) {
			list = append(list, p)
		}
	}
	return list
}

// experimentWithoutPrior names the claims about classifiers without a given class prior.
const experimentWithoutPrior = "without a prior"

// claimsWithoutPrior returns the targets of a classifier without a class prior, by setting.
func claimsWithoutPrior() (list []Claim) {
	whole := Row{crossFitMethod, SecondTime}
	for _, labeled := range []int{1000, 3000} {
		for _, benchmark := range benchmarks1 {
			add := func(statement string, below Row, less float64) {
				list = append(list, Claim{
					Experiment: experimentWithoutPrior, Statement: statement, Source: "this library", Setting: settingOf(benchmark, labeled),
					Above: whole, Below: below, Less: less,
				})
			}
			add("told no class prior, CrossFit with PU-debiased is at most a point below all true labels on an encoder of PUCL", Row{"PUCL", Ceiling}, 1)
			add("told no class prior, CrossFit with PU-debiased is above nnPU, which is told it, on an encoder of PUCL", Row{"PUCL", NNPU}, 0)
			add("CrossFit with PU-debiased is above PUPL on z of PUCL", Row{"PUCL", PUPLOnZ}, 0)
			add("CrossFit with PU-debiased is above one encoder with the mixture", Row{"PUCL", Mixture}, 0)
			add("CrossFit with PU-debiased is above Algorithm 1, PUPL on h of PUCL", Row{"PUCL", PUPL}, 0)
			add("encoders told the estimated prior are better: CrossFit with PU-debiased is above CrossFit with PUCL alone", Row{crossFitMethod, FirstTime}, 0)
		}
	}
	return list
}

// crossFit returns the run of a setting.
func (s setting) crossFit(seed uint64) experiment.Run { return s.crossFitOf(func(*CrossFit) {}, seed) }

// crossFitOf returns the run of a setting with its configuration modified by change.
func (s setting) crossFitOf(change func(*CrossFit), seed uint64) experiment.Run {
	like := s.contrastive(pucl.PUCL(), seed)
	config := CrossFit{Contrastive: like.Config.(Contrastive), Folds: 3, Again: pucl.PUDebiased(0).Name}
	config.Restarts, config.Points, config.AgainSteps = 0, 1, 2*config.Steps
	change(&config)
	return experiment.Run{
		Setting: s.Name, Method: crossFitMethod, Seed: seed, Version: crossFitVersion, Config: config,
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			return s.trainCrossFit(ctx, eng, place, config, seed)
		},
	}
}

// trainCrossFit does a run.
func (s setting) trainCrossFit(ctx context.Context, eng *engine.Engine, place experiment.Place, config CrossFit, seed uint64) (
	_ *experiment.Outcome, err error) {
	data, err := s.Data.open(seed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, data.close()) }()
	examples, err := data.train.asData()
	if err != nil {
		return nil, err
	}
	size := s.Batch
	size.Seed = seed
	pretrain := s.Pretrain
	pretrain.Objective, pretrain.Encoder, pretrain.Tau = pucl.PUCL(), s.Encoder, config.Tau
	pretrain.CheckpointEvery = checkpointEvery
	pretrain.Observer = &inTurn{Observer: place.Observer, steps: config.Folds * (config.Steps + config.AgainSteps)}
	method := contrast.CrossFit{
		Folds: config.Folds, Probe: probe.Config{Epochs: probeEpochs}, Debiased: true, DebiasedSteps: config.AgainSteps,
		Pretraining: contrast.Pretraining{Config: pretrain, ImageBatches: func(hidden []bool) (train.Batches, error) {
			split, err := data.train.HideLabels(hidden)
			if err != nil {
				return nil, err
			}
			return datasets.NewSourceBatches(data.train.images, split, size)
		}},
	}
	fitted, err := method.Fit(ctx, eng, examples, learn.Run{Seed: seed, Checkpoint: filepath.Join(place.Folder, "pretraining")})
	if err != nil {
		return nil, err
	}
	if place.Keep != "" {
		c, err := learn.NewClassifier(eng, &learn.Dataset{Shape: examples.Shape}, nil, fitted.Trained(), learn.Info{Method: method.String(), Seed: seed})
		if err != nil {
			return nil, err
		}
		if err := c.Save(filepath.Join(place.Keep, "crossfit.classifier")); err != nil {
			return nil, err
		}
	}
	var points []experiment.Point
	for i, c := range []*contrast.Fitted{fitted.First, fitted} {
		p, err := data.judgeCrossFit(eng, c)
		if err != nil {
			return nil, err
		}
		p.Head, p.Step = []string{FirstTime, SecondTime}[i], config.Folds*(config.Steps+i*config.AgainSteps)
		points = append(points, p)
		if config.Ceiling {
			above, err := data.judgeOwnCeiling(eng, c, seed)
			if err != nil {
				return nil, err
			}
			above.Head, above.Step = ownCeiling(p.Head), p.Step
			points = append(points, above)
		}
	}
	return data.outcome(fitted.First.Networks[0].Record, points), nil
}

// asData returns the examples in the form of package contrast.
func (p part) asData() (learn.Data, error) {
	pixels, err := read(p.images, p.Index)
	height, width, channels := p.images.Shape()
	return learn.Data{
		Pixels: pixels, Shape: augment.Shape{Height: height, Width: width, Channels: channels}, Labeled: p.Labeled, CaseControl: true,
	}, err
}

// judgeCrossFit evaluates a classifier and its members.
func (o *opened) judgeCrossFit(eng *engine.Engine, fitted *contrast.Fitted) (experiment.Point, error) {
	p, err := o.judgeClassifier(eng, fitted.Members...)
	if err != nil {
		return p, err
	}
	alone := 0.0
	for _, member := range fitted.Members {
		scores, err := o.testScores(eng, member)
		if err != nil {
			return p, err
		}
		own, err := evaluate.ScoreBinary(scores, o.truth, 0)
		if err != nil {
			return p, err
		}
		alone += own.Accuracy() / float64(len(fitted.Members))
	}
	p.Values = map[string]float64{EstimatedPrior: fitted.Pseudo.Prior, MembersAlone: alone}
	if o.train.Unknown == nil {
		p.Values[LabelsRight] = agreeing(fitted.Labels, o.train.Positive, o.train.Labeled)
	}
	return p, nil
}

// judgeClassifier evaluates the mean logit of members, on test images and on held-out ones.
func (o *opened) judgeClassifier(eng *engine.Engine, members ...learn.Member) (p experiment.Point, err error) {
	scores, err := o.testScores(eng, members...)
	if err != nil {
		return p, err
	}
	if p, err = scored(scores, o.truth); err != nil {
		return p, err
	}
	held, err := o.held.asData()
	if err != nil {
		return p, err
	}
	if scores, err = (&learn.Trained{Members: members}).Scores(eng, held); err != nil {
		return p, err
	}
	pu, err := evaluate.ScorePU(scores, o.held.Labeled, 0, evaluate.ScoreConfig{Prior: o.held.Prior})
	p.PU = &pu
	return p, err
}

// testScores returns the mean logit of members for each test image.
func (o *opened) testScores(eng *engine.Engine, members ...learn.Member) ([]float64, error) {
	pixels, err := read(o.test, rows.All(o.test.Len()))
	if err != nil {
		return nil, err
	}
	height, width, channels := o.test.Shape()
	test := learn.Data{Pixels: pixels, Shape: augment.Shape{Height: height, Width: width, Channels: channels}}
	return (&learn.Trained{Members: members}).Scores(eng, test)
}

// inTurn reports several successive trainings to an observer as one.
type inTurn struct {
	train.Observer
	steps  int // of all trainings
	before int // steps of completed trainings
}

func (o *inTurn) whole(p train.Progress) train.Progress {
	p.Step, p.Steps = o.before+p.Step, o.steps
	return p
}

// Start is called at the start of each training.
func (o *inTurn) Start(p train.Progress) { o.Observer.Start(o.whole(p)) }

// Step is called after each step.
func (o *inTurn) Step(p train.Progress) { o.Observer.Step(o.whole(p)) }

// End is called at the end of each training.
func (o *inTurn) End(p train.Progress, err error) {
	o.Observer.End(o.whole(p), err)
	o.before += p.Steps
}
