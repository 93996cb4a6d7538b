package theory

import (
	"math"
	"testing"
)

func TestMutualInformationInClosedForm(t *testing.T) {
	near(t, "independent", Joint{{0.06, 0.14}, {0.24, 0.56}}.MutualInformation(), 0, 1e-15)
	near(t, "equal, three values", Joint{{0.2, 0, 0}, {0, 0.5, 0}, {0, 0, 0.3}}.MutualInformation(),
		-(0.2*math.Log(0.2) + 0.5*math.Log(0.5) + 0.3*math.Log(0.3)), 1e-15)
	// A fair bit through a channel that flips it with probability 0.1: log 2 less the entropy of the noise.
	noise := -(0.1*math.Log(0.1) + 0.9*math.Log(0.9))
	channel := Joint{{0.45, 0.05}, {0.05, 0.45}}
	near(t, "binary channel", channel.MutualInformation(), math.Ln2-noise, 1e-15)
	near(t, "ratio", channel.LogRatio()[0][0], math.Log(0.45/0.25), 1e-15)
	if ratio := (Joint{{0.5, 0}, {0, 0.5}}).LogRatio(); !math.IsInf(ratio[0][1], -1) {
		t.Errorf("ratio of what never occurs is %g, want −Inf", ratio[0][1])
	}
	x, y := Joint{{0.1, 0.2, 0.3}, {0.05, 0.15, 0.2}}.Marginals()
	for i, want := range []float64{0.6, 0.4} {
		near(t, "p(x)", x[i], want, 1e-15)
	}
	for i, want := range []float64{0.15, 0.35, 0.5} {
		near(t, "p(y)", y[i], want, 1e-15)
	}
}

// The views of quartet's and sextet's examples, by loops over class, first view and second view. In sextet a point belongs to
// both classes and stands once.
func TestJointsOfAPopulation(t *testing.T) {
	for name, p := range map[string]Population{"quartet": quartet(), "sextet": sextet()} {
		const prior, same = 0.3, 0.25
		views, points, err := ViewsJoint(p, prior, same)
		if err != nil {
			t.Fatal(err)
		}
		class, again, err := ClassJoint(p, prior)
		if err != nil {
			t.Fatal(err)
		}
		want := len(p.Positive) + len(p.Negative)
		if name == "sextet" {
			want--
		}
		if len(points) != want || len(again) != want || len(views) != want || len(class) != want {
			t.Fatalf("%s: %d and %d points, %d and %d rows; want %d", name, len(points), len(again), len(views), len(class), want)
		}
		equal := func(a, b []float64) float64 {
			for k := range a {
				if a[k] != b[k] {
					return 0
				}
			}
			return 1
		}
		for x, zx := range points {
			for c, atoms := range [][]Atom{p.Positive, p.Negative} {
				share, p := []float64{prior, 1 - prior}[c], 0.0
				for _, a := range atoms {
					p += share * a.P * equal(a.Z, zx)
				}
				near(t, name+": p(x, class)", class[x][c], p, 1e-15)
			}
			for y, zy := range points {
				p, sides := 0.0, [][]Atom{p.Positive, p.Negative}
				for c, share := range []float64{prior, 1 - prior} {
					for _, a := range sides[c] {
						p += share * same * a.P * equal(a.Z, zx) * equal(a.Z, zy)
						for _, b := range sides[c] {
							p += share * (1 - same) * a.P * b.P * equal(a.Z, zx) * equal(b.Z, zy)
						}
					}
				}
				near(t, name+": p(x, x⁺)", views[x][y], p, 1e-15)
			}
		}
		if err := views.Validate(); err != nil {
			t.Error(err)
		}
		// Views that are independent given the class tell each other no more than they tell of the class.
		free, _, err := ViewsJoint(p, prior, IndependentViews)
		if err != nil {
			t.Fatal(err)
		}
		if of, most := free.MutualInformation(), class.MutualInformation(); !(of > 0 && of < most+1e-12) {
			t.Errorf("%s: the views share %g, a view and its class %g", name, of, most)
		}
	}
}

func TestJointRefusals(t *testing.T) {
	wantError(t, "empty", Joint{}.Validate(), "without entries")
	wantError(t, "ragged", Joint{{0.5, 0.5}, {0}}.Validate(), "row 1", "1 entries")
	wantError(t, "negative", Joint{{1.5, -0.5}}.Validate(), "y=1", "-0.5")
	wantError(t, "not a number", Joint{{math.NaN(), 1}}.Validate(), "NaN")
	wantError(t, "sum", Joint{{0.5, 0.4}}.Validate(), "0.9")
	_, _, err := ViewsJoint(quartet(), 1.5, 0)
	wantError(t, "prior", err, "π = 1.5")
	_, _, err = ViewsJoint(quartet(), 0.5, 2)
	wantError(t, "same view", err, "ρ", "2")
	_, _, err = ClassJoint(Population{}, 0.5)
	wantError(t, "no population", err, "at least one atom")
}
