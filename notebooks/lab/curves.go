package lab

import (
	"errors"

	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/viz"
)

// Curves draws the training history of a model: loss and chance level, learning rate, norms and the monitor's
// measurements; see viz.TrainingCurves. Name is the name of the loss; title may be empty.
func Curves(model *train.Model, title, name string) (*viz.Composite, error) {
	if model == nil {
		return nil, errors.New("lab: there is no model whose training could be drawn")
	}
	h := model.History
	log := viz.TrainingLog{
		Name: name, Losses: h.Losses, Chance: h.Chance,
		Rates: h.Rates, GradientNorms: h.GradientNorms, ProjectionNorms: h.ProjectionNorms,
	}
	monitor, truth := viz.Curve{Name: "proxy AUC, no true class seen"}, viz.Curve{Name: "accuracy by true classes"}
	for _, r := range h.Readings {
		step := float64(r.Step)
		log.ReadingSteps = append(log.ReadingSteps, step)
		log.Alignment = append(log.Alignment, r.Projections.Alignment)
		log.Uniformity = append(log.Uniformity, r.Projections.Uniformity)
		log.Ranks = append(log.Ranks, r.Projections.EffectiveRank)
		log.FullRank = min(r.Projections.Rows, r.Projections.Dimensions)
		if r.Monitor != nil {
			monitor.Add(step, r.Monitor.ProxyAUC)
		}
		if r.Truth != nil {
			truth.Add(step, r.Truth.Accuracy())
		}
	}
	log.Neighbors = []viz.Curve{monitor, truth}
	return viz.TrainingCurves(viz.TrainingConfig{Figure: viz.Figure{Title: title}}, log)
}
