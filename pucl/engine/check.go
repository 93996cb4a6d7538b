package engine

import "errors"

// Check returns an error if e is nil or has no backend.
func (e *Engine) Check() error {
	if e == nil || e.Backend == nil {
		return errors.New("engine: no engine given; open one with engine.Open")
	}
	return nil
}

// RootCause returns what an error of the backend says without what the backend's own layers put before it: the names of
// functions that nobody wrote, and "panicked".
func RootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
