// Package theorytest holds helpers for the tests of theory and of its claims.
package theorytest

import (
	"math"
	"strings"
	"testing"
)

// Near fails if got and want differ by more than tol·max(1, |want|), or if one is not a number.
func Near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g (tolerance %g)", what, got, want, tol)
	}
}

// WantError fails if err does not contain all of the words.
func WantError(t *testing.T, what string, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s: error %q lacks %q", what, err, word)
		}
	}
}
