package train

import (
	"context"
	"fmt"
)

// Stopped is the error of a run that was asked to stop: its context is done, as after Ctrl-C in a terminal or an interrupt of
// a notebook cell. It wraps the context's error and cause.
type Stopped struct {
	Name        string // what was running, such as "pretraining"
	Step, Steps int    // steps done, of how many
	Checkpoint  string // file that holds the state; "" where none was asked for or it could not be saved
	SaveError   error  // why it could not be saved

	err, cause error
}

// stopped saves the state and returns the error of a run that was asked to stop.
func (r *run) stopped(ctx context.Context, step int) error {
	s := &Stopped{Name: r.Name, Step: step, Steps: r.Steps, SaveError: r.save(step), err: ctx.Err(), cause: context.Cause(ctx)}
	if s.SaveError == nil {
		s.Checkpoint, _ = r.checkpoint.lastGood()
	}
	return s
}

// Error says how far training was, where its state is and how to go on.
func (s *Stopped) Error() string {
	text := fmt.Sprintf("train: %s stopped after %d of %d steps (%v)", s.Name, s.Step, s.Steps, s.cause)
	switch {
	case s.Step == 0:
		return text + ", before there was anything to save"
	case s.SaveError != nil:
		return text + "; its state could not be saved: " + s.SaveError.Error()
	case s.Checkpoint == "":
		return text + "; nothing is saved, since Checkpoint names no folder: name one, and the next run can be stopped and gone on with"
	}
	return text + fmt.Sprintf("; its state is saved in %s: run the same again, and it goes on from there", s.Checkpoint)
}

// Unwrap returns the context's error and cause, so that errors.Is(err, context.Canceled) holds.
func (s *Stopped) Unwrap() []error { return []error{s.err, s.cause, s.SaveError} }
