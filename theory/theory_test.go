package theory

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
)

var open = sync.OnceValues(engine.Open)

// openEngine returns the engine that engine.Open finds, opened once for all tests.
func openEngine(t testing.TB) *engine.Engine {
	t.Helper()
	eng, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return eng
}

// paperObjectives are the objectives of the paper that the conformance files and the references know.
func paperObjectives() []pucl.Objective {
	return []pucl.Objective{pucl.SSCL(), pucl.PUCL(), pucl.SCLPU()}
}

type meterKey struct {
	name string
	tau  float64
}

var meters = map[meterKey]*Meter{}

// meterOf returns the one meter for an objective and a temperature that all tests share, so that graphs compile once.
func meterOf(t testing.TB, o pucl.Objective, tau float64) *Meter {
	t.Helper()
	key := meterKey{o.Name, tau}
	if m := meters[key]; m != nil {
		return m
	}
	m, err := NewMeter(openEngine(t), o, tau)
	if err != nil {
		t.Fatal(err)
	}
	meters[key] = m
	return m
}

// near fails where got and want differ by more than tol·max(1, |want|), or where one is not a number.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g (tolerance %g)", what, got, want, tol)
	}
}

// wantError fails where err does not contain all of the words.
func wantError(t *testing.T, what string, err error, words ...string) {
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

// quartet is a population of two atoms a class in the plane, of various lengths.
func quartet() Population {
	return Population{
		Positive: []Atom{{[]float64{2, 0}, 0.6}, {[]float64{0.5, math.Sqrt(0.75)}, 0.4}},
		Negative: []Atom{{[]float64{-0.1, 0.02}, 0.7}, {[]float64{-3, 5}, 0.3}},
	}
}

// sextet is a population of four positive and two negative atoms in space; one point belongs to both classes.
func sextet() Population {
	return Population{
		Positive: []Atom{{[]float64{1, 0, 0.2}, 0.1}, {[]float64{0, 1, 1}, 0.2}, {[]float64{-1, 1, 0.3}, 0.3}, {[]float64{0, 0, -2}, 0.4}},
		Negative: []Atom{{[]float64{1, -1, 1}, 0.55}, {[]float64{0, 0, -2}, 0.45}},
	}
}
