package pu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// CompareConfig states how [Compare] trains. The zero value trains every method with the seeds 1 to 5 and no class
// prior.
type CompareConfig struct {
	Seeds  []uint64 // of the trainings; nil means 1 to 5
	Prior  float64  // as in Config
	Engine *engine.Engine
}

// Comparison holds the results of several methods on one test set.
type Comparison struct {
	Seeds   []uint64
	Methods []MethodResult // in the order of the call
}

// MethodResult holds the results of one method. Differences are to the first method of the comparison, seed by seed; of
// that method they are 0.
type MethodResult struct {
	Method         string
	Scores         []evaluate.Binary // for each seed
	Accuracy, AUC  evaluate.Summary  // over seeds
	AccuracyBeyond evaluate.Summary  // accuracy minus that of the first method
	AUCBeyond      evaluate.Summary  // AUC minus that of the first method

	// P is the p-value of Student's paired two-sided t test that the accuracy equals the first method's, and Holm
	// the same corrected for the number of methods. Both are NaN for the first method and for one seed.
	P, Holm float64

	Doubts []string // of the classifier of the first seed
}

// Compare trains each method with each seed on data and evaluates it on test, which must have Truth. No choice uses the
// test set: each classifier is the one after its last step. The intervals are over seeds, and the test examples are the
// same for all.
func Compare(ctx context.Context, data, test *Dataset, methods []Method, config CompareConfig) (*Comparison, error) {
	if config.Seeds == nil {
		config.Seeds = []uint64{1, 2, 3, 4, 5}
	}
	if len(methods) == 0 || len(config.Seeds) == 0 {
		return nil, errors.New("pu: nothing to compare; give at least one method and one seed")
	}
	if err := test.Validate(); err != nil {
		return nil, fmt.Errorf("pu: the test set: %w", err)
	}
	if err := checkTruth(test.Truth); err != nil {
		return nil, err
	}
	for i, m := range methods {
		if m == nil {
			return nil, fmt.Errorf("pu: method %d is nil; name each method to compare", i)
		}
		for _, other := range methods[:i] {
			if m.String() == other.String() {
				return nil, fmt.Errorf("pu: the method %s is given twice; remove one", m)
			}
		}
	}
	for i, seed := range config.Seeds {
		for _, other := range config.Seeds[:i] {
			if seed == other {
				return nil, fmt.Errorf("pu: seed %d is given twice; equal seeds give equal results: remove one", seed)
			}
		}
	}
	out := &Comparison{Seeds: config.Seeds}
	for _, m := range methods {
		result := MethodResult{Method: m.String()}
		for _, seed := range config.Seeds {
			c, err := Fit(ctx, data, Config{Method: m, Prior: config.Prior, Seed: seed, Engine: config.Engine})
			if err != nil {
				return nil, fmt.Errorf("pu: %s, seed %d: %w", m, seed, err)
			}
			score, err := c.Evaluate(test)
			if err != nil {
				return nil, fmt.Errorf("pu: %s, seed %d: %w", m, seed, err)
			}
			if result.Scores = append(result.Scores, score); len(result.Scores) == 1 {
				result.Doubts = c.Info.Doubts
			}
		}
		out.Methods = append(out.Methods, result)
	}
	if err := out.summarize(); err != nil {
		return nil, err
	}
	out.test()
	return out, nil
}

// checkTruth returns an error unless both classes occur.
func checkTruth(truth []bool) error {
	positive := 0
	for _, is := range truth {
		if is {
			positive++
		}
	}
	return fault.If(positive == 0 || positive == len(truth), "pu: a test set of %d examples with a known class, %d "+
		"of them positive; both classes must occur: set Truth", len(truth), positive)
}

// summarize computes means, intervals and differences.
func (c *Comparison) summarize() error {
	first := c.Methods[0].Scores
	for i := range c.Methods {
		m := &c.Methods[i]
		n := len(m.Scores)
		accuracy, auc, accuracyBeyond, aucBeyond := make([]float64, n), make([]float64, n), make([]float64,
			n), make([]float64, n)
		for j, s := range m.Scores {
			accuracy[j], auc[j] = s.Accuracy(), s.AUC
			accuracyBeyond[j], aucBeyond[j] = s.Accuracy()-first[j].Accuracy(), s.AUC-first[j].AUC
		}
		for _, s := range []struct {
			to     *evaluate.Summary
			values []float64
		}{{&m.Accuracy, accuracy}, {&m.AUC, auc}, {&m.AccuracyBeyond, accuracyBeyond}, {&m.AUCBeyond, aucBeyond}} {
			var err error
			if *s.to, err = evaluate.Summarize(s.values, 0); err != nil {
				return fmt.Errorf("pu: %s: %w", m.Method, err)
			}
		}
	}
	return nil
}

// test computes the p-values.
func (c *Comparison) test() {
	c.Methods[0].P, c.Methods[0].Holm = math.NaN(), math.NaN()
	others := c.Methods[1:]
	p := make([]float64, len(others))
	for i, m := range others {
		above := m.AccuracyBeyond.PAbove(0)
		p[i] = 2 * min(above, 1-above)
		others[i].P = p[i]
	}
	for i, adjusted := range holm(p) {
		others[i].Holm = adjusted
	}
}

// holm returns p-values that are corrected for their number n: the k-th smallest is multiplied by n − k + 1, is at
// least as large as the one before it, and at most 1.
//
// Source: Holm, "A simple sequentially rejective multiple test procedure" (1979).
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	out, least := make([]float64, len(p)), 0.0
	for k, i := range order {
		least = max(least, min(1, float64(len(p)-k)*p[i])) // NaN stays NaN
		out[i] = least
	}
	return out
}
