package train

import (
	"fmt"
	"time"

	"github.com/puclab/puclab/pucl/engine"
)

// History records a run. The slices down to Examples have one entry for every step, in order.
type History struct {
	Losses          []float64 // in nats
	Rates           []float64 // learning rate
	GradientNorms   []float64 // norm of the gradient, all weights together
	ProjectionNorms []float64 // largest length of a row of outputs, in pretraining a projection
	Examples        []int     // examples in the batch
	Chance          float64   // loss of a network with constant outputs, for the first batch; 0 if unknown
	Readings        []Reading // measurements during training, see Config.Monitor

	Earlier []engine.Environment // other environments of earlier steps, if the run was resumed in another one
	Notes   []string             // unusual events, such as the use of the previous checkpoint instead of a damaged one
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

// steps returns the number of steps in h, −1 if its slices have different lengths.
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

// before returns the values of at most three steps before the given one.
func before(values []float64, step int) []float64 {
	values = values[:min(step, len(values))]
	return values[max(0, len(values)-3):]
}

// Observer receives the progress of a run of any task. [OnStep] makes one of a function.
type Observer interface {
	Start(Progress)      // before the first step, which takes long if the engine compiles: Step is the step that the run resumes from
	Step(Progress)       // after every step
	End(Progress, error) // once after Start, with the error of the run or nil
}

// OnStep is an [Observer] that is called after every step.
type OnStep func(Progress)

// Start does nothing.
func (OnStep) Start(Progress) {}

// Step calls f.
func (f OnStep) Step(p Progress) { f(p) }

// End does nothing.
func (OnStep) End(Progress, error) {}

// Progress is the state of a run for observers.
type Progress struct {
	Step, Steps int           // steps done, of all steps
	Loss        float64       // of this step, in nats
	Chance      float64       // loss of a network with constant outputs; 0 before the first step, and if unknown
	Rate        float64       // learning rate of this step
	Examples    int           // in the batch of this step; pretraining uses each in two views, fine-tuning in one
	Example     string        // the word for one of them: "image", or "row" of features
	Views       int           // views trained on in this call
	Elapsed     time.Duration // of this call, compilation included
	Waited      time.Duration // the part of Elapsed spent on batches and on drawing their views while the engine was idle
	Paused      time.Duration // the part of Elapsed spent on measurements and saving between two steps, while training waited
	Reading     *Reading      // the reading after this step, nil for most steps
	Notes       []string      // unusual events at the start of this call, see History.Notes
}

// String returns the loss beside the chance level: "loss 5.120 (chance 6.236)".
func (p Progress) String() string {
	if p.Chance == 0 {
		return fmt.Sprintf("loss %.3f", p.Loss)
	}
	return fmt.Sprintf("loss %.3f (chance %.3f)", p.Loss, p.Chance)
}
