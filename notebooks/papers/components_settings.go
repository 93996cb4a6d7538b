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

// The values of [ChosenSetting] beside its own: which share of the pseudo-labels is right by the best and by the worst of the settings.
const (
	BestSetting  = "best setting"
	WorstSetting = "worst setting"
)

// candidates returns among how many of [pseudo.Settings] a run chooses: all, and a few where it only shows that everything runs.
func (s setting) candidates() int {
	if s.Data.Files == BuiltIn {
		return 3
	}
	return len(pseudo.Settings(pseudo.Config{}))
}

// judgeSettings judges the mixture where labels that are held out, and that no encoder has seen, tell the prior, and where they choose among
// the first of [pseudo.Settings] too. What cannot label is a point that says why. The PU of the points is measured on these labels as well, which
// have told the prior and the setting by then: it flatters these two heads, and test images alone compare them with others.
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
