// Package must ends a computation of many steps at its first error: Get and the others panic with it, and Catch, deferred in
// the function that began, returns it from there. Such panics never leave a package.
package must

import (
	"errors"
	"fmt"

	"github.com/puclab/puclab/internal/fault"
)

// failure carries an error out of the middle of a computation, which can do nothing about it, to Catch.
type failure struct{ error }

// Get returns value. It ends the computation that it is called in with err where that is not nil.
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

// Do ends the computation that it is called in with err where that is not nil.
func Do(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Wrap is Do with what format and args say in front of err. The error of a graph, which tells what was being built, goes on as it is.
func Wrap(err error, format string, args ...any) {
	if graph := (*fault.GraphError)(nil); errors.As(err, &graph) {
		Do(graph)
	}
	if err != nil {
		Fail(format+": %w", append(args, err)...)
	}
}

// Fail ends the computation that it is called in with the error that format and args make.
func Fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// Catch, deferred, makes the failure that ended a function the error that it returns. Other panics go on.
func Catch(err *error) {
	switch cause := recover().(type) {
	case nil:
	case failure:
		*err = cause.error
	default:
		panic(cause)
	}
}
