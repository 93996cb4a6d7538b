package lab

import (
	"fmt"
	"os"
)

// Must returns value, or ends the cell with the error's sentence where there is one. It is for notebooks and examples;
// packages return their errors.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Check ends the cell with the error's sentence, exit status 1, where err is not nil.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "✗", err)
		os.Exit(1)
	}
}
