package lab

import (
	"context"

	"github.com/puclab/puclab/internal/interrupts"
)

// Interruptible returns a context that is done once the user interrupts: Ctrl-C in a terminal, the stop button of a notebook,
// or a polite request to end. Given to train.Pretrain, it makes training stop after the step at hand with its state saved; the
// same cell goes on from there when it is run again. A second interrupt ends the program at once.
//
// GoNB sends an interrupted cell the same signal as Ctrl-C and kills it five seconds later. Where a step takes longer than
// that, what is left is the last regular checkpoint: see train.Config.CheckpointEvery.
func Interruptible() context.Context { return interrupts.Context() }
