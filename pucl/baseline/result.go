package baseline

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/train"
)

// Result is a trained network with the history and provenance of its training.
type Result struct {
	Network *Network      // after the last step
	History train.History // of every step
	Epochs  []Epoch       // measurements; empty without held-out data and test examples
	Record  train.Record  // environment, data and settings
}

// HeldOut holds examples that are not trained on. The zero value holds nothing out.
type HeldOut struct {
	Data  Data    // must contain both kinds
	Prior float64 // class prior as in evaluate.ScoreConfig, for the choice of the epoch; 0 means unknown
}

// Epoch holds the measurements after one epoch.
type Epoch struct {
	Epoch   int          // its number, from 1
	Steps   int          // steps done
	PU      *evaluate.PU // of the held-out examples; nil without any
	HeldOut []float64    // logits of these; nil without any
	Test    []float64    // logits of the test examples; nil without any
}

// Judge evaluates the scores of the test examples with their true classes.
func (e Epoch) Judge(truth []bool) (evaluate.Binary, error) {
	test, err := evaluate.ScoreBinary(e.Test, truth, 0)
	if err != nil {
		return evaluate.Binary{}, fmt.Errorf("baseline: epoch %d: %w", e.Epoch, err)
	}
	return test, nil
}

// Select returns the test accuracy by each rule for choosing an epoch: the last; the best by the proxy, which uses no
// negative; and the best by the true classes of the test examples, which are given here for the first time. A nil proxy
// means proxy accuracy if HeldOut.Prior is set, else Lee–Liu; see [evaluate.Proxy.Of].
//
// It returns an error without held-out data or test scores, if truth has another length than these, or if the proxy of
// an epoch is NaN.
func (r *Result) Select(truth []bool, proxy evaluate.Proxy) (evaluate.Selection, error) {
	if len(r.Epochs) == 0 || r.Epochs[0].PU == nil || r.Epochs[0].Test == nil {
		return evaluate.Selection{}, errors.New("baseline: nothing to choose an epoch by; set both Config.HeldOut and Config.Test")
	}
	epochs := make([]evaluate.Epoch, len(r.Epochs))
	for i, e := range r.Epochs {
		test, err := e.Judge(truth)
		if err != nil {
			return evaluate.Selection{}, err
		}
		epochs[i] = evaluate.Epoch{Epoch: e.Epoch, Proxy: proxy.Of(*e.PU), Test: test.Accuracy(), Degenerate: test.Degenerate()}
	}
	return evaluate.Select(epochs)
}

// checkHeldOut returns an error if the examples to score after every epoch are invalid.
func (r *run) checkHeldOut() error {
	if held := r.config.HeldOut.Data; held.Examples != nil || held.Labeled != nil {
		if _, _, err := held.pools(); err != nil {
			return within("HeldOut", err)
		}
		if _, err := r.network.check(held.Examples); err != nil {
			return within("HeldOut", err)
		}
		// Zero scores test the other inputs before hours of training rather than after the first epoch.
		if _, err := r.config.HeldOut.measure(make([]float64, len(held.Labeled))); err != nil {
			return err
		}
	}
	if r.config.Test != nil {
		if _, err := r.network.check(r.config.Test); err != nil {
			return within("Test", err)
		}
	}
	return nil
}

// within returns an error of this package with the name of the field that caused it.
func within(field string, err error) error {
	return fmt.Errorf("baseline: %s: %s", field, strings.TrimPrefix(err.Error(), "baseline: "))
}

// measure returns the measures of scores that need no negatives.
func (h HeldOut) measure(scores []float64) (*evaluate.PU, error) {
	s, err := evaluate.ScorePU(scores, h.Data.Labeled, 0, evaluate.ScoreConfig{Prior: h.Prior, SingleDataset: h.Data.SingleDataset})
	if err != nil {
		return nil, fmt.Errorf("baseline: HeldOut: %w", err)
	}
	return &s, nil
}

// isInfiniteOrNaN reports whether x is no finite number.
func isInfiniteOrNaN(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// perEpoch returns the number of steps in an epoch, a pass over all unlabeled examples. Reserved ones count, so that
// all methods are evaluated at the same steps.
func (r *run) perEpoch() int {
	return (len(r.unlabeled.examples) + len(r.aside[1].examples) + r.config.Unlabeled - 1) / r.config.Unlabeled
}

// afterStep does the work due between two steps: it updates the values that methods store for training examples, and
// after every epoch it scores the held-out and the test examples.
func (r *run) afterStep(done int) (*train.Reading, error) {
	c := r.config
	if r.plan.between != nil {
		if err := r.plan.between(r, done); err != nil {
			return nil, err
		}
	}
	if done%r.perEpoch() != 0 && done != c.Settings.Steps || c.HeldOut.Data.Examples == nil && c.Test == nil {
		return nil, nil
	}
	epoch := Epoch{Epoch: len(r.epochs) + 1, Steps: done}
	if held := c.HeldOut.Data.Examples; held != nil {
		var err error
		if epoch.HeldOut, err = r.scorer.score(held); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(epoch.HeldOut, isInfiniteOrNaN) {
			return nil, nil // the loop ends the run and reports the layer
		}
		if epoch.PU, err = c.HeldOut.measure(epoch.HeldOut); err != nil {
			return nil, err
		}
	}
	if c.Test != nil {
		var err error
		if epoch.Test, err = r.scorer.score(c.Test); err != nil {
			return nil, err
		}
	}
	r.epochs = append(r.epochs, epoch)
	return nil, nil
}
