package theory

import (
	"math"
	"testing"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/theory/internal/theorytest"
)

var (
	openEngine = enginetest.Open
	openFast   = enginetest.Preferred // for enumerations
	near       = theorytest.Near
	wantError  = theorytest.WantError
)

// paperObjectives returns the objectives of the paper that the conformance files and the references know.
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
	m, err := NewMeter(openFast(t), o, tau)
	if err != nil {
		t.Fatal(err)
	}
	meters[key] = m
	return m
}

// quartet returns a population of two atoms a class in the plane, of various lengths.
func quartet() Population {
	return Population{
		Positive: []Atom{{[]float64{2, 0}, 0.6}, {[]float64{0.5, math.Sqrt(0.75)}, 0.4}},
		Negative: []Atom{{[]float64{-0.1, 0.02}, 0.7}, {[]float64{-3, 5}, 0.3}},
	}
}

// sextet returns a population of four positive and two negative atoms in space; one point belongs to both classes.
func sextet() Population {
	return Population{
		Positive: []Atom{{[]float64{1, 0, 0.2}, 0.1}, {[]float64{0, 1, 1}, 0.2}, {[]float64{-1, 1, 0.3}, 0.3}, {[]float64{0, 0, -2}, 0.4}},
		Negative: []Atom{{[]float64{1, -1, 1}, 0.55}, {[]float64{0, 0, -2}, 0.45}},
	}
}
