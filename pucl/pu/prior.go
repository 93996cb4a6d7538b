package pu

import (
	"fmt"
	"strings"

	"github.com/puclab/puclab/pucl/prior"
)

// PriorConfig states how [EstimatePrior] estimates. The zero value works.
type PriorConfig struct {
	Level float64 // of the intervals; 0 means 0.9
	Seed  uint64  // of everything random
}

// PriorEstimates are estimates of the share of positives among the unlabeled examples.
type PriorEstimates struct {
	Recommended prior.Estimate  // that of TED^n, which has the smallest error of all on six tables
	All         []NamedEstimate // of every estimator
}

// NamedEstimate is the estimate of one estimator.
type NamedEstimate struct {
	Name string
	prior.Estimate
}

// EstimatePrior estimates the class prior of rows with every estimator of package prior. Those that read scores get
// out-of-fold scores of [prior.Trees]. Package prior states what each of them assumes, and its error on six tables.
func EstimatePrior(data *Dataset, config PriorConfig) (*PriorEstimates, error) {
	if err := data.Trainable(); err != nil {
		return nil, err
	}
	examples, _, err := view(data)
	if err != nil {
		return nil, err
	}
	if examples.Images() {
		return nil, fmt.Errorf("pu: the class prior cannot be estimated from pixels; train Mixture or CrossFit, " +
			"whose Info.Prior is an estimate, or " +
			"embed the images and give the embeddings as Features")
	}
	labeled, c := examples.Labeled, prior.Config{Level: config.Level, Seed: config.Seed}
	fit, err := prior.Trees{}.OfRows(examples.X, labeled)
	if err != nil {
		return nil, err
	}
	folds := prior.Folds{Seed: config.Seed}
	scores, err := prior.OutOfFold(labeled, folds, fit)
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
