// Package fault turns what is wrong with arguments into errors, one condition and one sentence a line.
package fault

import "fmt"

// If returns an error of that format where bad is true, else nil: for cmp.Or, which returns the first error of a list.
func If(bad bool, format string, args ...any) error {
	if bad {
		return fmt.Errorf(format, args...)
	}
	return nil
}

// PanicIf panics with such an error where bad is true, as functions that build graphs do.
func PanicIf(bad bool, format string, args ...any) {
	if bad {
		panic(fmt.Errorf(format, args...))
	}
}
