package pu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/prior"
)

// PriorConfig states how [EstimatePrior] estimates. The zero value works.
type PriorConfig struct {
	Level float64 // of the intervals; 0 means 0.9
	Seed  uint64  // of everything random
}

// PriorEstimates are estimates of the share of positives among the unlabeled examples.
type PriorEstimates struct {
	Recommended prior.Estimate  // the estimate of TED^n, which has the smallest error of all on six tables
	All         []NamedEstimate // of every estimator
}

// NamedEstimate is the estimate of one estimator.
type NamedEstimate struct {
	Name string
	prior.Estimate
}

// EstimatePrior estimates the class prior of rows with every estimator of package prior. Estimators that need scores
// get out-of-fold scores of [prior.Trees]. Package prior states the assumptions of each, and its error on six tables.
func EstimatePrior(data *Dataset, config PriorConfig) (*PriorEstimates, error) {
	examples, _, err := data.Encode()
	if err == nil {
		err = examples.Check()
	}
	if err != nil {
		return nil, err
	}
	if examples.Images() {
		return nil, errors.New("pu: the class prior cannot be estimated from pixels; train Mixture or CrossFit, " +
			"whose Info.Prior is an estimate, or embed the images and give the embeddings as Features")
	}
	labeled, c := examples.Labeled, prior.Config{Level: config.Level, Seed: config.Seed}
	folds := prior.Folds{Seed: config.Seed}
	fit, scores, err := treeScores(examples, folds)
	if err != nil {
		return nil, err
	}
	out := &PriorEstimates{}
	for _, e := range []struct {
		name string
		of   func() (prior.Estimate, error)
	}{
		{"TED^n", func() (prior.Estimate, error) {
			_, e, err := prior.TEDn(labeled, folds, 0, fit, c)
			return e, err
		}},
		{"BBE", func() (prior.Estimate, error) { return prior.BBE(scores, labeled, c) }},
		{"DEDPUL", func() (prior.Estimate, error) { return prior.DEDPUL(scores, labeled, c) }},
		{"KM2", func() (prior.Estimate, error) { return prior.KM2(examples.X, labeled, c) }},
		{"TIcE", func() (prior.Estimate, error) { return prior.TIcE(examples.X, labeled, c) }},
		{"Elkan–Noto", func() (prior.Estimate, error) { return prior.ElkanNoto(scores, labeled, c) }},
	} {
		estimate, err := e.of()
		if err != nil {
			return nil, fmt.Errorf("pu: %s: %w", e.name, err)
		}
		out.All = append(out.All, NamedEstimate{e.name, estimate})
	}
	out.Recommended = out.All[0].Estimate
	return out, nil
}

// String returns a line for each estimator: its name, the estimate and the interval.
func (p *PriorEstimates) String() string {
	lines := []string{"class prior of the unlabeled examples, recommended: " + p.Recommended.String()}
	for _, e := range p.All {
		lines = append(lines, fmt.Sprintf("%-10s %s", e.Name, e.Estimate))
	}
	return strings.Join(lines, "\n")
}

// treeScores returns the classifier [prior.Trees] for the rows and its out-of-fold scores of them.
func treeScores(data learn.Data, folds prior.Folds) (prior.Fit, []float64, error) {
	fit, err := prior.Trees{}.OfRows(data.X, data.Labeled)
	if err != nil {
		return nil, nil, err
	}
	scores, err := prior.OutOfFold(data.Labeled, folds, fit)
	return fit, scores, err
}

// estimatedPrior estimates the class prior of rows by [prior.BBE] from trees.
func estimatedPrior(data learn.Data, seed uint64) (prior.Estimate, error) {
	_, scores, err := treeScores(data, prior.Folds{Seed: rand.New(rand.NewPCG(seed, 0xb1a5)).Uint64()})
	if err != nil {
		return prior.Estimate{}, err
	}
	return prior.BBE(scores, data.Labeled, prior.Config{Seed: seed})
}

// leastForPrior is the minimum number of examples of each kind for an estimate of a class prior.
const leastForPrior = 10

// enoughForPrior returns an error if the class prior is neither given nor can be estimated.
func enoughForPrior(name string, data learn.Data, given float64) error {
	positive, unlabeled := data.Counts()
	return fault.If(given == 0 && min(positive, unlabeled) < leastForPrior, "pu: %s with %d labeled positives and "+
		"%d unlabeled examples; the class prior cannot be estimated from fewer than %d of either: set Config.Prior, "+
		"or label more", name, positive, unlabeled, leastForPrior)
}

// checkEstimable returns an error if a method requires a class prior that the call does not give and the data do not
// allow to estimate.
func checkEstimable(m Method, data learn.Data, given float64) error {
	if given > 0 || !learn.NeedsPrior(m) {
		return nil
	}
	if data.Images() {
		return errors.New("pu: the method requires a class prior, which cannot be estimated from pixels; set " +
			"Config.Prior to the share of positives among the unlabeled images, or use Mixture or CrossFit, which " +
			"estimate it")
	}
	return enoughForPrior(m.String(), data, given)
}
