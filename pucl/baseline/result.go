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

// Result is a trained network and how it came about.
type Result struct {
	Network *Network      // as it is after the last step
	History train.History // of every step
	Epochs  []Epoch       // what was measured; empty where there is nothing held out and no test
	Record  train.Record  // on what, from which data and with which settings
}

// HeldOut are examples that training does not learn from. The zero value holds nothing out.
type HeldOut struct {
	Data  Data    // both kinds must be there
	Prior float64 // class prior as in evaluate.ScoreConfig, to choose by; 0 means unknown
}

// Epoch is what was measured after one epoch.
type Epoch struct {
	Epoch   int          // its number, from 1
	Steps   int          // steps done
	PU      *evaluate.PU // of the examples held out; nil where there are none
	HeldOut []float64    // logits of these; nil where there are none
	Test    []float64    // logits of the test examples; nil where there are none
}

// Judge measures the scores of the test examples by their true classes.
func (e Epoch) Judge(truth []bool) (evaluate.Binary, error) {
	test, err := evaluate.ScoreBinary(e.Test, truth, 0)
	if err != nil {
		return evaluate.Binary{}, fmt.Errorf("baseline: epoch %d: %w", e.Epoch, err)
	}
	return test, nil
}

// Select returns the test accuracy by each rule of choosing an epoch: the last, the best by the proxy, which looks at no
// negative, and the best by the true classes of the test examples, which are told here for the first time. A nil proxy is
// proxy accuracy where HeldOut.Prior was told, else Lee–Liu; see [evaluate.Proxy.Of].
//
// It is an error if nothing was held out or no test examples were scored, if truth has another length than these, or if the proxy of an
// epoch is NaN.
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

// checkHeldOut returns an error if what is to be scored after every epoch cannot be.
func (r *run) checkHeldOut() error {
	if held := r.config.HeldOut.Data; held.Examples != nil || held.Labeled != nil {
		if _, _, err := held.pools(); err != nil {
			return within("HeldOut", err)
		}
		if _, err := r.network.check(held.Examples); err != nil {
			return within("HeldOut", err)
		}
		// Scores that mean nothing show whether the rest does, before hours of training rather than after the first epoch.
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

// within returns an error of this package's that names the field it is about.
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

// perEpoch returns how many steps are an epoch: those that go through all unlabeled examples. Those set aside count, so that all
// methods are measured at the same steps.
func (r *run) perEpoch() int {
	return (len(r.unlabeled.examples) + len(r.aside[1].examples) + r.config.Unlabeled - 1) / r.config.Unlabeled
}

// afterStep does what is due between two steps: it keeps what methods remember of the training examples, and after every epoch it
// scores what is held out and the test examples.
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
			return nil, nil // the loop ends the run, and tells which layer it was
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
