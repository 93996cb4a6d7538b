package train

import "math"

// History is what a run saw. The slices but Readings have one entry for every step, in order; what is not known of a step,
// since an older program took it, is NaN, or 0 in Examples.
type History struct {
	Losses          []float64 // in nats
	Rates           []float64 // learning rate
	GradientNorms   []float64 // length of the gradient, all weights together
	ProjectionNorms []float64 // largest length of a projection, or whatever row the loss is made of
	Examples        []int     // examples in the batch
	Chance          float64   // loss of a network that tells nothing apart, as for the first batch; 0 where unknown
	Readings        []Reading // what was measured meanwhile, see Config.Monitor
}

// add appends one step.
func (h *History) add(m metrics, rate float64, examples int) {
	h.Losses = append(h.Losses, m.loss)
	h.Rates = append(h.Rates, rate)
	h.GradientNorms = append(h.GradientNorms, m.gradientNorm)
	h.ProjectionNorms = append(h.ProjectionNorms, m.outputNorm)
	h.Examples = append(h.Examples, examples)
}

// last returns the step that was added last.
func (h *History) last() metrics {
	last := len(h.Losses) - 1
	return metrics{loss: h.Losses[last], gradientNorm: h.GradientNorms[last], outputNorm: h.ProjectionNorms[last]}
}

// pad makes all slices as long as the losses: the file of a program that kept no history has losses only.
func (h *History) pad() {
	for _, values := range []*[]float64{&h.Rates, &h.GradientNorms, &h.ProjectionNorms} {
		for len(*values) < len(h.Losses) {
			*values = append(*values, math.NaN())
		}
	}
	for len(h.Examples) < len(h.Losses) {
		h.Examples = append(h.Examples, 0)
	}
}

// before returns the values of the last steps before that one, at most three.
func before(values []float64, step int) []float64 {
	values = values[:min(step, len(values))]
	return values[max(0, len(values)-3):]
}
