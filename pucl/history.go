package pucl

import "math"

// History is what a training run tells of itself beside the losses, which are [Model.Losses]. The slices have one entry for
// every step, in order. Steps that an older program took, which kept no history, are NaN, or 0 in Examples.
type History struct {
	Rates           []float64 // learning rate
	GradientNorms   []float64 // length of the gradient, all weights together
	ProjectionNorms []float64 // largest length of a projection
	Examples        []int     // examples in the batch
	Chance          float64   // loss of an encoder that maps everything to one point, as for the first batch; 0 where unknown
	Readings        []Reading // what was measured meanwhile, see PretrainConfig.Watch
}

// remember adds one step to the losses and the history.
func (m *Model) remember(t taken, rate float64, examples int) {
	m.Losses = append(m.Losses, t.loss)
	h := &m.History
	h.Rates = append(h.Rates, rate)
	h.GradientNorms = append(h.GradientNorms, t.gradientNorm)
	h.ProjectionNorms = append(h.ProjectionNorms, t.projectionNorm)
	h.Examples = append(h.Examples, examples)
}

// lastTaken is the last step that was remembered.
func (m *Model) lastTaken() taken {
	last := len(m.Losses) - 1
	return taken{loss: m.Losses[last], gradientNorm: m.History.GradientNorms[last], projectionNorm: m.History.ProjectionNorms[last]}
}

// fit makes the history as long as the losses: a file of a program that kept none has losses only.
func (h *History) fit(steps int) {
	for _, values := range []*[]float64{&h.Rates, &h.GradientNorms, &h.ProjectionNorms} {
		for len(*values) < steps {
			*values = append(*values, math.NaN())
		}
	}
	for len(h.Examples) < steps {
		h.Examples = append(h.Examples, 0)
	}
}

// before returns the values of the last steps before that one, at most three.
func before(values []float64, step int) []float64 {
	values = values[:min(step, len(values))]
	return values[max(0, len(values)-3):]
}
