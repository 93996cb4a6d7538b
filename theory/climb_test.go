package theory

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// Whatever a step does, points keep their length and number, probabilities stay a distribution, and the case that the step
// starts from is left as it was.
func TestPerturbedStaysValid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	turned, reweighted := 0, 0
	for range 300 {
		p := Population{randomClass(rng, 3, 4), randomClass(rng, 2, 4)}
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, step := range []float64{largestStep, 1e-4} {
			before := p.clone()
			next := perturbed(rng, p, step)
			if err := next.Validate(); err != nil || !reflect.DeepEqual(p, before) || reflect.DeepEqual(next, p) {
				t.Fatalf("%v became %v; %v", before, next, err)
			}
			for class := range 2 {
				for i, atom := range *next.classes()[class] {
					old := (*p.classes()[class])[i]
					near(t, "length", math.Sqrt(dot(atom.Z, atom.Z)), math.Sqrt(dot(old.Z, old.Z)), 1e-12)
					cos := cosine(atom.Z, old.Z)
					if step == 1e-4 && (cos < 1-1e-5 || !(math.Abs(atom.P-old.P) <= 1e-2)) {
						t.Errorf("a step of %g turned %v into %v", step, old, atom)
					}
					if !reflect.DeepEqual(atom.Z, old.Z) {
						turned++
					}
					if atom.P != old.P {
						reweighted++
					}
				}
			}
		}
	}
	if turned < 100 || reweighted < 100 {
		t.Errorf("%d points turned, %d probabilities changed", turned, reweighted)
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += a[k] * b[k]
	}
	return sum
}

func TestRoundShares(t *testing.T) {
	for _, tt := range []struct {
		p           []float64
		denominator int
		want        []float64
	}{
		{[]float64{0.9, 0.1}, 2, []float64{0.5, 0.5}},
		{[]float64{0.9, 0.1}, 3, []float64{2. / 3, 1. / 3}},
		{[]float64{0.26, 0.74}, 4, []float64{0.25, 0.75}},
		{[]float64{0.01, 0.98, 0.01}, 5, []float64{0.2, 0.6, 0.2}},
		{[]float64{1}, 1, []float64{1}},
	} {
		atoms := make([]Atom, len(tt.p))
		for i, p := range tt.p {
			atoms[i] = Atom{[]float64{1}, p}
		}
		roundShares(atoms, tt.denominator)
		for i, want := range tt.want {
			near(t, "share", atoms[i].P, want, 1e-15)
		}
	}
}

func TestCaseWritesProbabilities(t *testing.T) {
	for p, want := range map[float64]string{1: "1", 0: "0", 0.5: "1/2", 2. / 3: "2/3", 0.7: "7/10", 11. / 12: "11/12", 0.123: "0.123",
		1. / 3 * (1 + 1e-15): "0.33333333333333365"} {
		if got := share(p); got != want {
			t.Errorf("%v is written %s, want %s", p, got, want)
		}
	}
}

// Turning a population into its own basis changes no inner product, and makes zeros.
func TestInOwnBasis(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		p := Population{randomClass(rng, 3, 3), randomClass(rng, 3, 3)}
		q := inOwnBasis(p)
		a, b := append(p.clone().Positive, p.Negative...), append(q.clone().Positive, q.Negative...)
		for i := range a {
			for j := range a {
				near(t, "inner product", dot(b[i].Z, b[j].Z), dot(a[i].Z, a[j].Z), 1e-12)
			}
		}
		if z := b[0].Z; z[1] != 0 || z[2] != 0 || b[1].Z[2] != 0 {
			t.Errorf("%v starts with %v and %v", q, z, b[1].Z)
		}
	}
	flat := Population{Uniform([]float64{0, 2}, []float64{0, -3}), Uniform([]float64{5, 0})}
	if got := (Case{Population: inOwnBasis(flat)}).String(); got != "positive 1/2 at (2, 0), 1/2 at (-3, 0); negative 1 at (0, 5); m = 0, u = 0, π = 0, ρ = 0: 0" {
		t.Error(got)
	}
}
