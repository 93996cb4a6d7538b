package expect

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// recorder counts the reports of a check. Fatal ends the check by a panic.
type recorder struct {
	testing.TB
	reports int
}

func (r *recorder) Errorf(string, ...any) { r.reports++ }
func (r *recorder) Fatal(...any)          { panic("fatal") }
func (r *recorder) Fatalf(string, ...any) { panic("fatal") }

// Every check passes valid values and reports others, by ending the test or by letting it continue.
func TestChecks(t *testing.T) {
	broken := errors.New("broken")
	failure := map[bool]error{false: broken} // nil for a passing check
	for _, good := range []bool{true, false} {
		ends := map[string]func(t testing.TB){
			"Require": func(t testing.TB) { Require(t, good, "n = %d", 1) },
			"NoError": func(t testing.TB) { NoError(t, failure[good]) },
			"Must":    func(t testing.TB) { Must(1, failure[good])(t) },
			"Must2":   func(t testing.TB) { Must2(1, 2, failure[good])(t) },
			"Error":   func(t testing.TB) { Error(t, failure[!good], "bro") },
		}
		continues := map[string]func(t testing.TB){
			"That":       func(t testing.TB) { That(t, good, "n = %d", 1) },
			"Equal":      func(t testing.TB) { Equal(t, []bool{good}, []bool{true}, "item %d", 1) },
			"Equal text": func(t testing.TB) { Equal(t, map[bool]string{true: "a"}[good], "a") },
			"Equal nil":  func(t testing.TB) { Equal(t, make([]int, map[bool]int{false: 1}[good]), nil) },
			"Near":       func(t testing.TB) { Near(t, map[bool]float64{true: 1, false: math.NaN()}[good], 1, 0) },
			"Each":       func(t testing.TB) { Each(t, func(int) bool { return good }, map[int]bool{1: true}) },
			"Is":         func(t testing.TB) { Is(t, Err(1, failure[!good]), broken, "a file") },
			"Error part": func(t testing.TB) { Error(t, broken, map[bool]string{true: "bro", false: "x"}[good]) },
			"Contains":   func(t testing.TB) { Contains(t, map[bool]string{true: "ab"}[good], "a", "") },
		}
		for name, check := range ends {
			if fatal, reports := run(t, check); fatal == good || reports > 0 {
				t.Errorf("%s, good %v: fatal %v, %d reports", name, good, fatal, reports)
			}
		}
		for name, check := range continues {
			if fatal, reports := run(t, check); fatal || (reports == 0) != good {
				t.Errorf("%s, good %v: fatal %v, %d reports", name, good, fatal, reports)
			}
		}
	}
	path := File(t, filepath.Join(t.TempDir(), "a", "b"), []byte("x"))
	if data, err := os.ReadFile(path); err != nil || string(data) != "x" {
		t.Errorf("the file holds %q, %v", data, err)
	}
}

// run reports whether a check ends the test, and how often it reports.
func run(t *testing.T, check func(testing.TB)) (fatal bool, reports int) {
	r := &recorder{TB: t}
	defer func() { fatal, reports = recover() != nil, r.reports }()
	check(r)
	return
}
