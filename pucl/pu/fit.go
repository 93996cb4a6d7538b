package pu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
)

// The types shared by all methods; see package learn.
type (
	Dataset    = learn.Dataset
	Method     = learn.Method
	Classifier = learn.Classifier
	Shape      = augment.Shape
)

// Config states how [Fit] trains. The zero value chooses a method by the kind of data, see [Choose].
type Config struct {
	Method Method
	Prior  float64 // share of positives among the unlabeled examples; 0 means an estimate for methods that require it
	Seed   uint64  // of everything random

	Checkpoint string         // folder to save to and to resume from, for methods that train a network; "" means none
	Engine     *engine.Engine // nil means the engine of engine.Open, opened once per process
}

// openEngine opens the default engine once.
var openEngine = sync.OnceValues(func() (*engine.Engine, error) { return engine.Open() })

func engineOf(given *engine.Engine) (*engine.Engine, error) {
	if given != nil {
		return given, given.Check()
	}
	return openEngine()
}

// Fit trains a classifier of positives against negatives on positive and unlabeled data. It uses no true class. Errors
// in the data and the configuration are reported before any training. A canceled ctx ends the training; with Checkpoint
// it resumes.
func Fit(ctx context.Context, data *Dataset, config Config) (*Classifier, error) {
	if ctx == nil {
		return nil, errors.New("pu: no context; give context.Background()")
	}
	if err := cmp.Or(data.Validate(), fault.If(!(config.Prior >= 0 && config.Prior < 1),
		"pu: a class prior of %g; it is the share of positives among the unlabeled examples, above 0 and below 1, "+
			"or 0 where it is not known", config.Prior)); err != nil {
		return nil, err
	}
	examples, encoding, err := data.Encode()
	if err == nil {
		err = examples.Check()
	}
	if err != nil {
		return nil, err
	}
	if config.Method == nil {
		config.Method = Choose(examples)
	}
	if err := cmp.Or(config.Method.Check(examples, config.Prior),
		checkEstimable(config.Method, examples, config.Prior)); err != nil {
		return nil, err
	}
	eng, err := engineOf(config.Engine)
	if err != nil {
		return nil, err
	}
	run := learn.Run{Seed: config.Seed, Prior: config.Prior, Checkpoint: config.Checkpoint}
	var doubts []string
	if learn.NeedsPrior(config.Method) && run.Prior == 0 {
		estimate, err := estimatedPrior(examples, config.Seed)
		if err != nil {
			return nil, fmt.Errorf("pu: estimating the class prior: %w", err)
		}
		run.Prior, doubts = min(max(estimate.Prior, 0.01), 0.99), doubtsOf(estimate)
	}
	trained, err := config.Method.Train(ctx, eng, examples, run)
	if err != nil {
		return nil, err
	}
	positive, unlabeled := examples.Counts()
	info := learn.Info{
		Method: config.Method.String(), Seed: config.Seed, Labeled: positive, Unlabeled: unlabeled,
		Prior:  cmp.Or(run.Prior, trained.Prior),
		Doubts: append(doubts, trained.Doubts...), Environment: eng.Environment(),
	}
	scores, err := trained.Scores(eng, examples)
	if err != nil {
		return nil, err
	}
	sorted := examples.UnlabeledScores(scores)
	if first := slices.IndexFunc(sorted, func(score float64) bool { return score > 0 }); first >= 0 {
		info.Predicted = float64(len(sorted)-first) / float64(len(sorted))
	}
	info.Doubts = append(info.Doubts, doubtsOfPredictions(info, sorted, alternative(config.Method, examples))...)
	return learn.NewClassifier(eng, data, encoding, trained, info)
}

// alternative names a method to try if the result of m is doubtful.
func alternative(m Method, data learn.Data) string {
	if data.Images() {
		if _, crossFit := m.(CrossFit); crossFit {
			return "Mixture"
		}
		return "CrossFit"
	}
	if _, tabular := m.(Tabular); tabular {
		return "Linear, which minimizes a PU risk"
	}
	return "Tabular"
}

// doubtsOfPredictions returns the doubts raised by the predictions for the unlabeled examples, with a remedy.
func doubtsOfPredictions(info learn.Info, sorted []float64, other string) (list []string) {
	switch {
	case sorted[0] == sorted[len(sorted)-1]:
		list = append(list, "all unlabeled examples have the same score, so that nothing was learned: check that "+
			"the examples differ, or use "+other)
	case info.Predicted == 0 || info.Predicted == 1:
		list = append(list, "it predicts the same class for all unlabeled examples: its scores may still rank them; "+
			"set Config.Prior, or use "+other)
	case info.Prior > 0 && math.Abs(info.Predicted-info.Prior) > max(0.1, info.Prior/2):
		list = append(list, fmt.Sprintf("it predicts %.0f%% of the unlabeled examples positive, but the class prior is "+
			"%.0f%%: compare with %s", 100*info.Predicted, 100*info.Prior, other))
	}
	if info.Labeled < 20 {
		list = append(list, fmt.Sprintf("only %d labeled positives: label 20 or more", info.Labeled))
	}
	return list
}

// Load reads a saved classifier on the default engine. A network with a user-defined encoder needs that encoder as
// custom, with the same fields; see [learn.Load] for another engine.
func Load(path string, custom ...encoder.Encoder) (*Classifier, error) {
	if len(custom) > 1 {
		return nil, fmt.Errorf("pu: %d encoders to load with; give one, or none", len(custom))
	}
	eng, err := openEngine()
	if err != nil {
		return nil, err
	}
	var own encoder.Encoder
	if len(custom) == 1 {
		own = custom[0]
	}
	return learn.Load(path, eng, own)
}

// Choose returns the method that [Fit] uses for such data if the configuration names none: [Tabular] for rows,
// [Mixture] for images. The page docs/defaults.md compares both with other methods, states the time of a fit, and has
// an image task on which Mixture fails.
func Choose(data learn.Data) Method {
	if !data.Images() {
		return Tabular{}
	}
	return Mixture{}
}
