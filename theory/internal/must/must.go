// Package must ends a computation of many steps at its first error: Get and the others panic with it, and Catch,
// deferred in the outermost function, returns it from there. Such panics never leave a package.
package must

import (
	"errors"
	"fmt"

	"github.com/puclab/puclab/internal/fault"
)

// failure carries an error from inside a computation to Catch.
type failure struct{ error }

// Get returns value. If err is not nil, it ends the current computation with err.
func Get[T any](value T, err error) T {
	Do(err)
	return value
}

// Get2 is Get for two values.
func Get2[T, U any](first T, second U, err error) (T, U) {
	Do(err)
	return first, second
}

// Get3 is Get for three values.
func Get3[T, U, V any](first T, second U, third V, err error) (T, U, V) {
	Do(err)
	return first, second, third
}

// Do ends the current computation with err if it is not nil.
func Do(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Wrap is Do with a prefix from format and args for err. The error of a graph, which already names its part, is passed
// on unchanged.
func Wrap(err error, format string, args ...any) {
	if graph := (*fault.GraphError)(nil); errors.As(err, &graph) {
		Do(graph)
	}
	if err != nil {
		Fail(format+": %w", append(args, err)...)
	}
}

// Fail ends the current computation with the error of format and args.
func Fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// Catch, deferred, sets *err to the failure that ended the function. Other panics continue.
func Catch(err *error) {
	switch cause := recover().(type) {
	case nil:
	case failure:
		*err = cause.error
	default:
		panic(cause)
	}
}
