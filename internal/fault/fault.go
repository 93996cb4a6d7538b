// Package fault returns errors for invalid arguments, with one condition and one message per line.
package fault

import "fmt"

// If returns an error with the given format if bad is true, else nil. Use it with cmp.Or, which returns the first error
// of a list.
func If(bad bool, format string, args ...any) error {
	if bad {
		return fmt.Errorf(format, args...)
	}
	return nil
}

// PanicIf panics with such an error if bad is true, as graph-building functions do.
func PanicIf(bad bool, format string, args ...any) {
	if bad {
		panic(fmt.Errorf(format, args...))
	}
}
