// Package expect holds the checks that tests repeat.
//
// That, Equal, Near, Error and Contains report a failure and let the test continue. Require, NoError and Must end it.
package expect

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// That reports the message unless ok.
func That(t testing.TB, ok bool, format string, args ...any) {
	if !ok {
		t.Helper()
		t.Errorf(format, args...)
	}
}

// Require ends the test with the message unless ok.
func Require(t testing.TB, ok bool, format string, args ...any) {
	if !ok {
		t.Helper()
		t.Fatalf(format, args...)
	}
}

// Equal reports got and want unless they are deeply equal. A nil slice equals an empty one. The context is a format and
// its arguments, which name the value in the report.
func Equal[T any](t testing.TB, got, want T, context ...any) {
	if reflect.DeepEqual(got, want) {
		return
	}
	if g, w := reflect.ValueOf(got), reflect.ValueOf(want); g.Kind() == reflect.Slice && g.Len() == 0 && w.Len() == 0 {
		return
	}
	t.Helper()
	t.Errorf("%sgot %s, want %s", prefix(context), short(got), short(want))
}

// short formats a value, at most a thousand bytes of it.
func short(v any) string {
	text := fmt.Sprintf("%v", v)
	if s, ok := v.(string); ok {
		text = fmt.Sprintf("%q", s)
	}
	if len(text) > 1000 {
		text = text[:1000] + "…"
	}
	return text
}

// Near reports got and want unless they differ by at most bound. A NaN always fails.
func Near(t testing.TB, got, want, bound float64, context ...any) {
	if !(math.Abs(got-want) <= bound) {
		t.Helper()
		t.Errorf("%sgot %g, want %g within %g", prefix(context), got, want, bound)
	}
}

// prefix formats the context of a check, followed by a colon.
func prefix(context []any) string {
	if len(context) == 0 {
		return ""
	}
	return fmt.Sprintf(context[0].(string), context[1:]...) + ": "
}

// NoError ends the test if err is not nil.
func NoError(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// Must returns a function that ends the test if err is not nil and returns v otherwise:
// expect.Must(os.ReadFile(path))(t).
func Must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		return v
	}
}

// Must2 is [Must] for calls with two results besides the error.
func Must2[A, B any](a A, b B, err error) func(testing.TB) (A, B) {
	return func(t testing.TB) (A, B) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		return a, b
	}
}

// Error ends the test if err is nil, and reports each part that its text lacks.
func Error(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	Contains(t, err.Error(), parts...)
}

// Contains reports each part that the text lacks.
func Contains(t testing.TB, text string, parts ...string) {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Helper()
			t.Errorf("%q lacks %q", text, part)
		}
	}
}

// File writes a file and the folders above it, and returns its path.
func File(t testing.TB, path string, data []byte) string {
	t.Helper()
	NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	NoError(t, os.WriteFile(path, data, 0o644))
	return path
}

// Each checks a function against a table of arguments and results.
func Each[K comparable, V any](t testing.TB, f func(K) V, want map[K]V) {
	t.Helper()
	for k, v := range want {
		Equal(t, f(k), v, "%#v", k)
	}
}

// Err returns the error of a call with one other result.
func Err[T any](_ T, err error) error { return err }

// Is reports err unless it is the target or wraps it.
func Is(t testing.TB, err, target error, context ...any) {
	if !errors.Is(err, target) {
		t.Helper()
		t.Errorf("%sgot %v, want %v", prefix(context), err, target)
	}
}

// Slow skips a test that takes seconds on two cores if tests run with -short.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds on two cores; run the tests without -short")
	}
}
