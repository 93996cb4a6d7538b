package evaluate

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestSignificanceAgainstSciPy(t *testing.T) {
	data, err := os.ReadFile("testdata/significance.json")
	expect.NoError(t, err)
	var frozen struct {
		Tests []struct {
			Values        []float64
			Number, Above float64
			Detectable    []float64
		}
		Families []struct{ P, Q []float64 }
	}
	if err := json.Unmarshal(data, &frozen); err != nil {
		t.Fatal(err)
	}
	far := func(got, want, tolerance float64) bool { return !(math.Abs(got-want) <= tolerance*math.Abs(want)) }
	for _, tt := range frozen.Tests {
		s := expect.Must(Summarize(tt.Values, 0))(t)
		if got := s.PAbove(tt.Number); far(got, tt.Above, 1e-9) {
			t.Errorf("%v above %g: p %g, want %g", tt.Values, tt.Number, got, tt.Above)
		}
		for i, power := range []float64{0.5, 0.8, 0.95} {
			if got := s.Detectable(power); far(got, tt.Detectable[i], 1e-6) {
				t.Errorf("%d seeds, power %g: detectable %g, want %g", s.Seeds, power, got, tt.Detectable[i])
			}
		}
	}
	for _, tt := range frozen.Families {
		for i, got := range FalseDiscoveryRates(tt.P) {
			expect.That(t, !far(got, tt.Q[i], 1e-12), "p %g of %v: q %g, want %g", tt.P[i], tt.P, got, tt.Q[i])
		}
	}
}

func TestSignificanceAtTheEdges(t *testing.T) {
	one := Summary{Mean: 1, StdDev: math.NaN(), Seeds: 1}
	same := Summary{Mean: 1, Seeds: 3}
	for name, got := range map[string][2]float64{
		"one seed":                 {one.PAbove(0), math.NaN()},
		"one seed, detectable":     {one.Detectable(0.8), math.NaN()},
		"no spread, above":         {same.PAbove(0), 0},
		"no spread, below":         {same.PAbove(2), 1},
		"no spread, at the number": {same.PAbove(1), 0.5},
		"no spread, detectable":    {same.Detectable(0.8), 0},
	} {
		expect.That(t, got[0] == got[1] || math.IsNaN(got[0]) && math.IsNaN(got[1]),
			"%s: %g, want %g", name, got[0], got[1])
	}
	q := FalseDiscoveryRates([]float64{0.04, math.NaN(), 0.01})
	expect.That(t, math.IsNaN(q[1]) && slices.Equal([]float64{q[0], q[2]}, []float64{0.04, 0.02}),
		"q-values %v: a test without a p-value must not count", q)
}
