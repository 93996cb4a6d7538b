package pucl

import (
	"fmt"
	"time"
)

// Observer is told how training goes, that of [Pretrain] and that of [FineTune]. lab.Progress is one, which shows it to a
// person.
type Observer interface {
	Start(Progress)      // before the first step, which takes long where the engine compiles: Step is where the run goes on
	Step(Progress)       // after every step
	End(Progress, error) // once after Start, however training ends; the error is that of Pretrain or FineTune
}

// Progress is how far training is.
type Progress struct {
	Step, Steps int           // steps done, of how many
	Loss        float64       // of this step, in nats
	Chance      float64       // loss of an encoder that maps everything to one point; 0 before the first step, and in fine-tuning
	Rate        float64       // learning rate of this step
	Examples    int           // in the batch of this step; pretraining sees each in two views, fine-tuning in one
	Example     string        // what one of them is: "image", or "row" of features
	Views       int           // views learned from in this call
	Elapsed     time.Duration // of this call, compilation included
	Waited      time.Duration // of that for batches and the numbers of their views, while the engine had nothing to do
	Paused      time.Duration // of that for readings, checkpoints and what is held out, while training stood still
	Reading     *Reading      // what was measured after this step, nil after most
}

// String is the loss beside the chance level: "loss 5.120 (chance 6.236)".
func (p Progress) String() string {
	if p.Chance == 0 {
		return fmt.Sprintf("loss %.3f", p.Loss)
	}
	return fmt.Sprintf("loss %.3f (chance %.3f)", p.Loss, p.Chance)
}

// observers are all who are told, where they are there.
type observers struct {
	onStep   func(Progress)
	observer Observer
}

func (o observers) start(p Progress) {
	if o.observer != nil {
		o.observer.Start(p)
	}
}

func (o observers) step(p Progress) {
	if o.onStep != nil {
		o.onStep(p)
	}
	if o.observer != nil {
		o.observer.Step(p)
	}
}

func (o observers) end(p Progress, err error) {
	if o.observer != nil {
		o.observer.End(p, err)
	}
}
