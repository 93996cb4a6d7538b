package check

import (
	"errors"
	"fmt"
)

// listed is the number of errors that List includes.
const listed = 20

// List returns one error that lists errs, one line each, or nil if there are none. It includes the first 20 and the
// number of the others; errors.Is and errors.As find those included. The argument what is the heading, such as "3 of 7
// lines cannot be read".
func List(what string, errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	lines := append([]error{errors.New(what + ":")}, errs[:min(len(errs), listed)]...)
	if more := len(errs) - listed; more > 0 {
		lines = append(lines, fmt.Errorf("and %d more", more))
	}
	return errors.Join(lines...)
}
