package pucl

import "errors"

// rootCause is what an error of the engine says without what the engine's own layers put before it: the names of functions that
// nobody wrote, and "panicked".
func rootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
