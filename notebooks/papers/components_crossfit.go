package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/contrast"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
)

// besideTrueLabels is the method of CrossFit runs that are compared with fully supervised classifiers on the same
// encoders.
const besideTrueLabels = crossFitMethod + ", beside all true labels"

// ownCeiling names the fully supervised head on the encoders of a head of CrossFit.
func ownCeiling(head string) string { return head + ", all true labels" }

// crossFitBesideTrueLabels returns the run of a setting.
func (s setting) crossFitBesideTrueLabels(seed uint64) experiment.Run {
	run := s.crossFitOf(func(c *CrossFit) { c.Ceiling = true }, seed)
	run.Method = besideTrueLabels
	return run
}

// judgeOwnCeiling evaluates a classifier like CrossFit's that is trained on all true labels.
func (o *opened) judgeOwnCeiling(eng *engine.Engine, fitted *contrast.Fitted, seed uint64) (p experiment.Point, err error) {
	var all []learn.Member
	for i, m := range fitted.Networks {
		config := probe.Config{Epochs: probeEpochs, Seed: seed}
		linear, err := probe.FitPU(eng, rows.Unit(fitted.Embeddings[i].H), o.train.Positive, risk.CrossEntropy, config)
		if err != nil {
			return p, fmt.Errorf("papers: all true labels on encoder %d: %w", i, err)
		}
		all = append(all, learn.Member{Network: m, Unit: true, Head: linear})
	}
	return o.judgeClassifier(eng, all...)
}

// claimsOwnCeiling returns the claim that CrossFit is at most a point below all true labels on its own encoders.
func claimsOwnCeiling() (list []Claim) {
	for _, head := range []string{FirstTime, SecondTime} {
		list = append(list, Claim{
			Experiment: experimentWithoutPrior, Source: "this library", Setting: settingName("FMNIST-I", 1000), Less: 1,
			Statement: fmt.Sprintf("told no class prior, CrossFit with %s is at most a point below all true labels on its own encoders", head),
			Above:     Row{besideTrueLabels, head}, Below: Row{besideTrueLabels, ownCeiling(head)},
		})
	}
	return list
}
