package train

import (
	"fmt"
	"time"

	"github.com/puclab/puclab/pucl/engine"
)

// History is what a run saw. The slices down to Examples have one entry for every step, in order.
type History struct {
	Losses          []float64 // in nats
	Rates           []float64 // learning rate
	GradientNorms   []float64 // length of the gradient, all weights together
	ProjectionNorms []float64 // largest length of a projection, or whatever row the loss is made of
	Examples        []int     // examples in the batch
	Chance          float64   // loss of a network that tells nothing apart, as for the first batch; 0 where unknown
	Readings        []Reading // what was measured meanwhile, see Config.Monitor

	Earlier []engine.Environment // other environments that steps were taken in, where the run was resumed under another one
	Notes   []string             // what is out of the ordinary, such as a damaged checkpoint that was passed over
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

// steps returns how many steps h is of, −1 where its slices have different lengths.
func (h *History) steps() int {
	n := len(h.Losses)
	for _, values := range [][]float64{h.Rates, h.GradientNorms, h.ProjectionNorms} {
		if len(values) != n {
			return -1
		}
	}
	if len(h.Examples) != n {
		return -1
	}
	return n
}

// before returns the values of the last steps before that one, at most three.
func before(values []float64, step int) []float64 {
	values = values[:min(step, len(values))]
	return values[max(0, len(values)-3):]
}

// Observer is told how a run goes, whatever it trains. [OnStep] makes one of a function.
type Observer interface {
	Start(Progress)      // before the first step, which takes long where the engine compiles: Step is where the run goes on
	Step(Progress)       // after every step
	End(Progress, error) // once after Start, however the run ends, with its error
}

// OnStep is an [Observer] that is called after every step.
type OnStep func(Progress)

// Start does nothing.
func (OnStep) Start(Progress) {}

// Step calls f.
func (f OnStep) Step(p Progress) { f(p) }

// End does nothing.
func (OnStep) End(Progress, error) {}

// Progress is how far a run is.
type Progress struct {
	Step, Steps int           // steps done, of how many
	Loss        float64       // of this step, in nats
	Chance      float64       // loss of a network that tells nothing apart; 0 before the first step, and where it is not known
	Rate        float64       // learning rate of this step
	Examples    int           // in the batch of this step; pretraining sees each in two views, fine-tuning in one
	Example     string        // what one of them is: "image", or "row" of features
	Views       int           // views learned from in this call
	Elapsed     time.Duration // of this call, compilation included
	Waited      time.Duration // of that for batches and the numbers of their views, while the engine had nothing to do
	Paused      time.Duration // of that for what is measured and saved between two steps, while training stood still
	Reading     *Reading      // what was measured after this step, nil after most
	Notes       []string      // what is out of the ordinary about the start of this call, see History.Notes
}

// String returns the loss beside the chance level: "loss 5.120 (chance 6.236)".
func (p Progress) String() string {
	if p.Chance == 0 {
		return fmt.Sprintf("loss %.3f", p.Loss)
	}
	return fmt.Sprintf("loss %.3f (chance %.3f)", p.Loss, p.Chance)
}
