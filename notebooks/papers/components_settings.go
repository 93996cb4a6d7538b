package papers

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// The further values of [ChosenSetting]: the fraction of correct pseudo-labels with the best and the worst setting.
const (
	BestSetting  = "best setting"
	WorstSetting = "worst setting"
)

// candidates returns the number of [pseudo.Settings] from which a run selects: all, or a few at size smoke.
func (s setting) candidates() int {
	if s.Data.Files == BuiltIn {
		return 3
	}
	return len(pseudo.Settings(pseudo.Config{}))
}

// judgeSettings evaluates the mixture with a prior from held-out labels that no encoder was trained on, and with these
// labels also selecting among the first of [pseudo.Settings]. If labeling fails, the point has the reason. The PU of
// the points is measured on the same labels, which biases it in favor of these two heads; only test images compare them
// with others.
func (all embeddings) judgeSettings(eng *engine.Engine, truth []bool, c train.Config, candidates int) ([]experiment.Point, error) {
	seen := len(all.train.Labeled)
	positives, _ := rows.Split(all.held.Labeled)
	unseen, err := rows.Take(all.held.h, positives)
	if err != nil {
		return nil, err
	}
	var x mat.Dense
	x.Stack(all.train.h, unseen)
	given := slices.Repeat([]bool{true}, len(positives))
	labeled, held := slices.Concat(all.train.Labeled, given), slices.Concat(make([]bool, seen), given)
	choice, err := pseudo.Choose(&x, labeled, pseudo.Settings(pseudo.Config{HeldOut: held, Seed: c.Seed})[:candidates]...)
	if err != nil {
		return []experiment.Point{{Head: Outside, Failure: err.Error()}, {Head: ChosenSetting, Failure: err.Error()}}, nil
	}
	of := map[string]*pseudo.Labels{Outside: choice.All[0], ChosenSetting: choice.Labels}
	points, _, err := all.judgeBy(eng, []string{Outside, ChosenSetting}, truth, c.Steps, c.Seed, func(head string) (*mat.Dense, []bool, risk.Risk, error) {
		if of[head] == nil {
			return nil, nil, nil, choice.Errors[0]
		}
		return all.train.h, of[head].Positive[:seen], risk.CrossEntropy, nil
	})
	if err != nil {
		return nil, err
	}
	right := func(l *pseudo.Labels) float64 {
		return agreeing(l.Positive[:seen], all.train.Positive, all.train.Labeled)
	}
	best, worst := math.Inf(-1), math.Inf(1)
	for _, l := range choice.All {
		if l != nil {
			best, worst = max(best, right(l)), min(worst, right(l))
		}
	}
	for _, p := range points {
		if p.Failure == "" {
			p.Values[LabelsRight], p.Values[EstimatedPrior] = right(of[p.Head]), of[p.Head].Prior
			p.Values[BestSetting], p.Values[WorstSetting] = best, worst
		}
	}
	return points, nil
}
