package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// CrossFitConfig says how [CrossFit] works. The zero value does, with the defaults of every stage.
type CrossFitConfig struct {
	Folds    int           // encoders, each without the labels of one fold of the labeled positives; 0 means 3
	Pretrain train.Config  // of each; Seed and Checkpoint are made different
	Labels   pseudo.Config // of the vote on pseudo-labels
	Probe    probe.Config  // of each encoder's probe on them
	Seed     uint64        // of the folds

	// Again, where it is given, has all encoders pretrained once more, from nothing, and labels and classifier made of these. It is given
	// the class prior that the first ones gave, and Pretrain, and returns how the second ones are pretrained: for longer, say, by
	// [pucl.PUDebiased], which wants to be told the prior. The seeds of the second ones are those of the first unless it changes Seed. Before
	// anything is trained it is called once more, with a prior of 0.5, to learn whether what it returns can be followed.
	Again func(prior float64, first train.Config) train.Config

	// HeldOut are examples of the same kind that nothing learns from, labeled and unlabeled ones, on which the classifiers of both times are
	// judged without a negative, for [CrossFitted.Best]; nil means none.
	HeldOut Data

	// Score says what is known of HeldOut. The zero value takes its unlabeled examples for a sample of all data, as in the case-control setting;
	// where the labeled positives were taken out of one sample, set SingleDataset. A Prior is for the measures in [CrossFitted.HeldOut] that need
	// one; nothing is chosen by it.
	Score evaluate.ScoreConfig
}

// CrossFitted is what came of a run.
type CrossFitted struct {
	Classifier classify.Ensemble // a member for each fold

	Models []*train.Model // the encoders
	Fold   []int          // of each example: which encoder did not see its label, −1 of an unlabeled example
	Labels *pseudo.Labels // of the examples, and the class prior by which they were made

	HeldOut *evaluate.PU // how the classifier does on CrossFitConfig.HeldOut; nil without it

	// First is, with Again, what came of the first encoders, whose class prior the objective of the second ones was told; else nil.
	First *CrossFitted

	singleDataset bool // as CrossFitConfig.Score has it of HeldOut
}

// CrossFit makes a classifier without a class prior and without the assumption of [Run] that the classes are two clusters:
//
//  1. It pretrains several encoders, each without the labels of one fold of the labeled positives.
//  2. [pseudo.Vote] gives the unlabeled examples pseudo-labels by all embeddings. Each label is one that an encoder never saw, which a
//     trustworthy estimate of the prior takes, as encoders learn their labels by heart.
//  3. A linear probe on each embedding learns the pseudo-labels, and the mean of their logits decides.
//
// With Again all of it is done a second time, with what the first time tells of the prior; what came of that is First. With HeldOut,
// [CrossFitted.Best] chooses between the two without a negative.
//
// Data need HideLabels instead of Batches. It takes as long as so many runs of Algorithm 1. What can be known to be wrong with the
// configuration of any stage is known before anything is trained. Errors name the stage, and which encoder; ctx ends a run, and with
// Config.Pretrain.Checkpoint it goes on where it was, as in Run: each encoder has a folder in that one, which is refused where it is of an
// encoder without other labels.
func CrossFit(ctx context.Context, eng *engine.Engine, data Data, config CrossFitConfig) (*CrossFitted, error) {
	folds := cmp.Or(config.Folds, 3)
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	data, err := check(data, Config{})
	if err != nil {
		return nil, err
	}
	labeled := data.labeled()
	positive, _ := rows.Split(labeled)
	if config.HeldOut, err = checkHeldOut(data, config.HeldOut, config.Score); err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	if err := fault.If(folds < 2 || len(positive) < folds, "pipeline: %d folds of %d labeled positives; there must be 2 folds or more, and a "+
		"labeled positive for each", folds, len(positive)); err != nil {
		return nil, err
	}
	out := &CrossFitted{Fold: foldsOf(labeled, folds, config.Seed)}
	if err := pseudo.CheckVote(folds, out.Fold, config.Labels); err != nil {
		return nil, fmt.Errorf("pipeline: pseudo-labels: %w", err)
	}
	if err := checkProbe(config.Probe); err != nil {
		return nil, fmt.Errorf("pipeline: training the probes: %w", err)
	}
	if config.Again != nil {
		if err := config.Again(0.5, config.Pretrain).Check(eng); err != nil {
			return nil, fmt.Errorf("pipeline: again, if it were told a prior of 0.5: %w", err)
		}
	}
	if err := out.fit(ctx, eng, data, folds, config); err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	if config.Again == nil {
		return out, nil
	}
	told := out.Labels.Prior
	config.Pretrain = config.Again(told, config.Pretrain)
	if config.Pretrain.Checkpoint != "" {
		config.Pretrain.Checkpoint = filepath.Join(config.Pretrain.Checkpoint, "again")
	}
	second := &CrossFitted{Fold: out.Fold, First: out}
	if err := second.fit(ctx, eng, data, folds, config); err != nil {
		return nil, fmt.Errorf("pipeline: again, told the prior %.4g: %w", told, err)
	}
	return second, nil
}

// fit pretrains the encoders, has their embeddings vote on the labels, and trains a probe on each.
func (c *CrossFitted) fit(ctx context.Context, eng *engine.Engine, data Data, folds int, config CrossFitConfig) error {
	var embeddings []*mat.Dense
	for fold := range folds {
		m, err := pretrainWithout(ctx, eng, data, c.Fold, fold, config.Pretrain)
		if err != nil {
			return fmt.Errorf("pretraining encoder %d: %w", fold, err)
		}
		e, err := data.embed(eng, m)
		if err != nil {
			return fmt.Errorf("embedding by encoder %d: %w", fold, err)
		}
		c.Models, embeddings = append(c.Models, m), append(embeddings, rows.Unit(e.H))
	}
	var err error
	if c.Labels, err = pseudo.Vote(embeddings, c.Fold, config.Labels); err != nil {
		return fmt.Errorf("pseudo-labels: %w", err)
	}
	for fold, m := range c.Models {
		if ctx.Err() != nil {
			return fmt.Errorf("stopped before training probe %d (%w): %w", fold, context.Cause(ctx), ctx.Err())
		}
		p, err := probe.FitPU(eng, embeddings[fold], c.Labels.Positive, risk.CrossEntropy, config.Probe)
		if err != nil {
			return fmt.Errorf("training probe %d: %w", fold, err)
		}
		c.Classifier = append(c.Classifier, &classify.Classifier{Model: m, Probe: p})
	}
	if config.HeldOut != nil {
		return c.judge(eng, config.HeldOut, config.Score)
	}
	return nil
}

// foldsOf gives each labeled example a fold, of which all have as many but for one, and the others −1.
func foldsOf(labeled []bool, folds int, seed uint64) []int {
	fold := make([]int, len(labeled))
	for i := range fold {
		fold[i] = -1
	}
	positive, _ := rows.Split(labeled)
	for place, i := range rand.New(rand.NewPCG(seed, 0xf01d5)).Perm(len(positive)) {
		fold[positive[i]] = place % folds
	}
	return fold
}

// pretrainWithout pretrains an encoder that does not see the labels of a fold.
func pretrainWithout(ctx context.Context, eng *engine.Engine, data Data, fold []int, without int, config train.Config) (*train.Model, error) {
	hidden := make([]bool, len(fold))
	for i, of := range fold {
		hidden[i] = of == without
	}
	some, err := data.hide(hidden)
	if err != nil {
		return nil, err
	}
	config.Seed = rand.New(rand.NewPCG(config.Seed, uint64(without))).Uint64()
	if config.Checkpoint != "" {
		config.Checkpoint = filepath.Join(config.Checkpoint, fmt.Sprintf("without-fold-%d", without))
	}
	return some.pretrain(ctx, eng, config)
}

// errNoHiding is the error of data whose labels cannot be hidden.
var errNoHiding = errors.New("data without HideLabels; give a function that makes batches without some labels, as of a split's HideLabels")

// errNoneHidden is the error of a HideLabels that gives nothing to learn from.
var errNoneHidden = errors.New("HideLabels returned no batches and no error; let it return one of the two")

func (d Images) hide(hidden []bool) (Data, error) {
	batches, description, err := withoutLabels(d.HideLabels, hidden)
	if err != nil {
		return nil, err
	}
	d.Batches = imagesWithout{batches, description}
	_, err = d.check()
	return d, err
}

func (d Features) hide(hidden []bool) (Data, error) {
	batches, description, err := withoutLabels(d.HideLabels, hidden)
	if err != nil {
		return nil, err
	}
	d.Batches = featuresWithout{batches, description}
	_, err = d.check()
	return d, err
}

// withoutLabels returns the batches that hide makes without these labels, and what they are to say of themselves.
func withoutLabels[B any](hide func(hidden []bool) (B, error), hidden []bool) (batches B, description string, err error) {
	if hide == nil {
		return batches, "", errNoHiding
	}
	if batches, err = hide(hidden); err == nil && any(batches) == nil {
		err = errNoneHidden
	}
	return batches, describeHidden(batches, hidden), err
}

// imagesWithout and featuresWithout are batches without some labels that say which, since what batches say of themselves tells
// checkpoints apart: one of an encoder that has seen a label must not be taken for that of one that has not.
type (
	imagesWithout struct {
		train.Batches
		description string
	}
	featuresWithout struct {
		train.FeatureBatches
		description string
	}
)

// String describes the batches for a record, and for checkpoints.
func (b imagesWithout) String() string { return b.description }

// Unwrap returns the batches as HideLabels made them; [train.Pretrain] looks there for their classes and pairs.
func (b imagesWithout) Unwrap() train.Batches { return b.Batches }

// String describes the batches for a record, and for checkpoints.
func (b featuresWithout) String() string { return b.description }

// describeHidden returns what batches say of themselves, and which labels are hidden in them, by a digest.
func describeHidden(batches any, hidden []bool) string {
	marks, count := make([]byte, len(hidden)), 0
	for i, hide := range hidden {
		if hide {
			marks[i] = 1
			count++
		}
	}
	text := fmt.Sprintf("labels of %d examples hidden (%.4x)", count, sha256.Sum256(marks))
	if s, ok := batches.(fmt.Stringer); ok {
		text = s.String() + "; " + text
	}
	return text
}
