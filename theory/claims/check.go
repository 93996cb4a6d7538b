package claims

import "fmt"

// failure carries an error out of the middle of a check, which can do nothing about it, to catch.
type failure struct{ error }

// must returns value. It ends the check that it is called in with err where that is not nil.
func must[T any](value T, err error) T {
	ensure(err)
	return value
}

// must2 is must for two values.
func must2[T, U any](first T, second U, err error) (T, U) {
	ensure(err)
	return first, second
}

// must3 is must for three values.
func must3[T, U, V any](first T, second U, third V, err error) (T, U, V) {
	ensure(err)
	return first, second, third
}

// fail ends the check that it is called in with the error that format and args make.
func fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// ensure ends the check that it is called in with err where that is not nil.
func ensure(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// catch, deferred, makes the failure that must or ensure ended a function with the error that it returns.
func catch(err *error) {
	switch cause := recover().(type) {
	case nil:
	case failure:
		*err = cause.error
	default:
		panic(cause)
	}
}
