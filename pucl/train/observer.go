package train

import (
	"fmt"
	"time"
)

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
}

// String returns the loss beside the chance level: "loss 5.120 (chance 6.236)".
func (p Progress) String() string {
	if p.Chance == 0 {
		return fmt.Sprintf("loss %.3f", p.Loss)
	}
	return fmt.Sprintf("loss %.3f (chance %.3f)", p.Loss, p.Chance)
}
