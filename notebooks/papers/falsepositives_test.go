package papers

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/theory"
)

// Of the pairs that share is exchanged, by chance, for examples of other classes, every other class being as likely whatever its size.
func TestExchanged(t *testing.T) {
	classes := []int{0, 1, 1, 1, 1, 1, 3} // none of class 2
	rng := rand.New(rand.NewPCG(1, 1))
	byClass := membersOf(classes)
	const n = 20_000
	counts := map[int]int{}
	for range n {
		counts[exchanged([]int{0}, classes, byClass, 0.4, rng)[0]]++
	}
	ones := 0
	for example := 1; example <= 5; example++ {
		ones += counts[example]
	}
	for what, got := range map[string][2]float64{
		"kept": {float64(counts[0]) / n, 0.6}, "of class 1": {float64(ones) / n, 0.2}, "of class 3": {float64(counts[6]) / n, 0.2},
	} {
		if math.Abs(got[0]-got[1]) > 0.015 { // four standard deviations
			t.Errorf("%s: a share of %g, want %g", what, got[0], got[1])
		}
	}
	all := exchanged([]int{3, 6, 0}, classes, byClass, 0, rng)
	if !slices.Equal(all, []int{3, 6, 0}) {
		t.Errorf("nothing is false, and %d came", all)
	}
}

// Draws of positives follow the distribution that they are compared with.
func TestPositivesOnTheCircle(t *testing.T) {
	c := Circle{Concentration: 4, Rate: 0.3}
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 200_000
	counts := make([]float64, places)
	for range n {
		turn := math.Mod(c.positiveOf(1, rng)-1+3*math.Pi+math.Pi/places, 2*math.Pi)
		counts[int(turn/(2*math.Pi)*places)%places] += 1. / n
	}
	distance, err := theory.TotalVariation(counts, c.World().Observed())
	if err != nil || distance > 0.01 {
		t.Errorf("the draws are %g from p̂⁺, %v", distance, err)
	}
	if p := c.World().Positive; math.Abs(p[places/2]/p[0]-math.Exp(8)) > 1e-6*math.Exp(8) {
		t.Errorf("p⁺ at the anchor is %g times that opposite to it", p[places/2]/p[0])
	}
}

// The readings are the losses that their names tell, each with a number of its own in its identity.
func TestReadings(t *testing.T) {
	seen := map[string]bool{}
	for rate, want := range map[float64][]string{
		0:   {NPair, LNeg, LPosRate, LPosShare, LPosClasses},
		0.4: {NPair, LNeg, LPosRate, LPosShare, LPosPairs, LPosClasses},
	} {
		var got []string
		for _, r := range readings(rate, 128) {
			got = append(got, r.method)
			if (r.positives != nil) != strings.HasPrefix(r.method, "L_Pos") {
				t.Errorf("%s: %+v", r.method, r.positives)
			}
			if r.method == LPosRate && seen[r.objective.Name] {
				t.Errorf("%s is told twice", r.objective.Name)
			}
			seen[r.objective.Name] = true
		}
		if !slices.Equal(got, want) {
			t.Errorf("ρ = %g: %q, want %q", rate, got, want)
		}
	}
}

// The exact distances are those of the closed forms.
func TestExactVariation(t *testing.T) {
	curves, err := ExactVariation(1e9, []float64{0, 0.4})
	if err != nil {
		t.Fatal(err)
	}
	w := Circle{Concentration: circleConcentration}.World()
	whole, err := theory.TotalVariation(w.Positive, w.Negative)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.4 * whole, 0.64 * whole, 0} {
		if c := curves[i]; math.Abs(c.Y[0]) > 1e-6 || math.Abs(c.Y[1]-want) > 1e-6 {
			t.Errorf("%s: %g, want 0 and %g", c.Name, c.Y, want)
		}
	}
	if c := curves[3]; c.Y[0] != c.Y[1] || c.Y[0] < 0.1 {
		t.Errorf("%s: %g", c.Name, c.Y)
	}
}

// Claims are about rows that the grids have.
func TestClaimsOfFalsePositives(t *testing.T) {
	for _, of := range []struct {
		grid string
		list []Claim
	}{{recovery, claimsRecovery()}, {debiasedPos, claimsFalsePositives()}} {
		grid, err := Find(of.grid, experiment.Laptop)
		if err != nil {
			t.Fatal(err)
		}
		has := func(setting, method string) bool {
			return slices.ContainsFunc(grid.Runs, func(r experiment.Run) bool { return r.Setting == setting && r.Method == method })
		}
		about := 0
		for _, c := range of.list {
			if strings.HasPrefix(c.Setting, FalsePositiveTask(experiment.Paper)) {
				continue
			}
			about++
			if !has(c.Setting, c.Above.Method) || !has(c.Setting, c.Below.Method) {
				t.Errorf("%s: %s over %s in %s", of.grid, c.Above, c.Below, c.Setting)
			}
		}
		if about == 0 {
			t.Errorf("%s: no claims", of.grid)
		}
	}
}
