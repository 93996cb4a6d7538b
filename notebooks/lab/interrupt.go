package lab

import (
	"context"

	"github.com/puclab/puclab/internal/interrupts"
)

// Interruptible returns a context that is done once the user interrupts: Ctrl-C in a terminal, the stop button of a
// notebook, SIGTERM, or SIGHUP unless it is ignored. If train.Pretrain gets it, training stops after the current step
// and saves its state; the same cell resumes from there when it is run again. A second interrupt ends the program at
// once.
//
// GoNB sends an interrupted cell the same signal as Ctrl-C and kills it five seconds later. If a step takes longer,
// only the last regular checkpoint remains: see train.Config.CheckpointEvery.
func Interruptible() context.Context { return interrupts.Context() }
