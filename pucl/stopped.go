package pucl

import (
	"context"
	"fmt"
)

// Stopped is the error of a run of [Pretrain] or [FineTune] that was asked to stop: its context is done, as after Ctrl-C in a
// terminal or an interrupt of a notebook cell. It wraps the context's error and cause.
type Stopped struct {
	Step, Steps int    // steps done, of how many
	Checkpoint  string // file that holds the state; "" where none was asked for or it could not be saved
	SaveError   error  // why it could not be saved

	tuning     bool // a run of FineTune, which has no checkpoints
	err, cause error
}

func stopped(ctx context.Context, m *Model, resume *checkpoint, step int) error {
	s := &Stopped{Step: step, Steps: resume.config.Steps, SaveError: resume.save(m, step), err: ctx.Err(), cause: context.Cause(ctx)}
	if s.SaveError == nil {
		s.Checkpoint, _ = resume.lastGood()
	}
	return s
}

// Error says how far training was, where its state is and how to go on.
func (s *Stopped) Error() string {
	if s.tuning {
		return fmt.Sprintf("pucl: fine-tuning stopped after %d of %d steps (%v); nothing of it is saved: run the same again, and it starts anew",
			s.Step, s.Steps, s.cause)
	}
	text := fmt.Sprintf("pucl: training stopped after %d of %d steps (%v)", s.Step, s.Steps, s.cause)
	switch {
	case s.Step == 0:
		return text + ", before there was anything to save"
	case s.SaveError != nil:
		return text + "; its state could not be saved: " + s.SaveError.Error()
	case s.Checkpoint == "":
		return text + "; nothing is saved, since PretrainConfig.Checkpoint names no folder: name one, and the next run can be stopped and gone on with"
	}
	return text + fmt.Sprintf("; its state is saved in %s: run the same again, and it goes on from there", s.Checkpoint)
}

// Unwrap gives the context's error and cause, so that errors.Is(err, context.Canceled) holds.
func (s *Stopped) Unwrap() []error { return []error{s.err, s.cause, s.SaveError} }
