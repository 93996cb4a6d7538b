package papers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/prior"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/theory"
)

// frozen has losses of the first steps of small runs and some of their measurements. They change only with the version
// of their kind of run.
var frozen = map[string]struct {
	version int
	values  map[string]float64 // by "loss, step", "value, step" or "head, value, step"
}{
	"circle": {1, map[string]float64{
		"loss, 1": 6.42719, "loss, 2": 5.40112, "share on the floor, 2": 0.15625,
		"as trained, KL divergence, 2": 0.280926, "as trained, total variation, 2": 0.281844, "corrected afterwards, total variation, 2": 0.063268,
	}},
	"pairs": {1, map[string]float64{
		"loss, 1": 5.13654, "loss, 2": 4.90767, "alignment, 1": 0.49337, "alignment, 2": 0.407598, "uniformity, 2": -1.38559,
		"effective rank, 2": 6.12319, "share on the floor, 2": 0.09375, "CE, all true labels, accuracy, 2": 0.4435, "CE, all true labels, top-5, 2": 0.9175,
	}},
	"classed": {1, map[string]float64{
		"loss, 1": 4.66267, "loss, 2": 4.57814, "alignment, 2": 0.403146, "uniformity, 2": -0.941107, "effective rank, 2": 5.66363,
		"false negatives, 2": 0.100771, "bias, plain, 2": 0.016329, "bias, corrected, 2": -0.01456, "deviation, plain, 2": 0.032281,
		"deviation, corrected, 2": 0.035868, "CE, all true labels, accuracy, 2": 0.445, "kNN, all true labels, accuracy, 2": 0.4145,
	}},
	"answering": {1, map[string]float64{
		"loss, 1": 7.75332, "loss, 2": 7.35485, "accuracy, 2": 0.125, "consensus, 2": 0.109375, "leave one out, 2": 0.108594,
	}},
	"plane": {1, map[string]float64{
		"nnPU, weight x, 0": 2.92888, "nnPU, bias, 0": -2.9041, "nnPU, prior 20% too high, weight x, 0": 2.51229, "nnPU, prior 20% too low, bias, 0": -2.20435,
		"PUPL (CE), pseudo-labels right, -1": 0.824333, "PUPL (CE), weight x, 0": 3.57803, "CE, unlabeled = negative, bias, 0": -3.80984,
		"CE, all true labels, weight x, 0": 1.96623, "Bayes' rule, accuracy, 0": 0.83985,
	}},
	"priors": {3, map[string]float64{
		"BBE, estimate, 0": 0.342105, "BBE, interval from, 0": 0.15646, "DEDPUL, estimate, 0": 0.321414, "DEDPUL, interval to, 0": 0.464823,
		"Elkan–Noto e1, estimate, 0": 0.724227, "Elkan–Noto e3, estimate, 0": 0.492994, "KM2, estimate, 0": 0.389619, "KM2, interval from, 0": 0.214768,
		"TED^n, estimate, 0": 0.382114, "TIcE of scores, estimate, 0": 0.440117, "TIcE, estimate, 0": 0.357495, "TIcE, interval to, 0": 0.497124,
	}},
}

// checkFrozen compares the measurements of a run of that version with the frozen values of its kind. Engines differ in
// the last digits, which changes the side of a few of 2,000 test images.
func checkFrozen(t *testing.T, kind string, version int, losses []float64, points []experiment.Point) {
	t.Helper()
	got := map[string]float64{}
	for i, loss := range losses {
		got[fmt.Sprintf("loss, %d", i+1)] = loss
	}
	for _, p := range points {
		add := func(value string, x float64) {
			key := fmt.Sprintf("%s, %d", value, p.Step)
			if p.Head != "" {
				key = p.Head + ", " + key
			}
			got[key] = x
		}
		for value, x := range p.Values {
			add(value, x)
		}
		if p.Test != nil {
			add("accuracy", p.Test.Accuracy())
		}
		if p.Many != nil {
			add("accuracy", p.Many.Accuracy)
		}
	}
	want := frozen[kind]
	if version != want.version {
		t.Errorf("the frozen numbers are those of version %d, and the run is of version %d: freeze its own", want.version, version)
	}
	for key, want := range want.values {
		if x, ok := got[key]; !ok || !(math.Abs(x-want) <= 2e-3*math.Abs(want)+5e-4) {
			t.Errorf("version %d, %s: %.6g, before %.6g: a change of numbers raises the version", version, key, x, want)
		}
	}
}

// The numbers of runs that no other test freezes change only with their versions. TestRoundClouds covers the plane.
func TestFirstNumbers(t *testing.T) {
	expect.Slow(t)
	eng, s := enginetest.Open(t), small()
	s.Bank, s.Data.Single, s.Batch.Share, s.Pretrain.Steps = 300, true, 0, 2
	all := readings(0.4, s.Batch.Size)
	ofPairs := all[slices.IndexFunc(all, func(r reading) bool { return r.method == LPosPairs })]
	corrected := pucl.DCLConfig{TauPlus: 0.1, Positives: 1}
	circle := Circle{Concentration: circleConcentration, Tau: 1. / circleConcentration, Projection: 16, Batch: 32, Steps: 2, Anchors: places, Places: places}
	answers := answeringAmounts[experiment.Smoke].Answering
	answers.FalseCaptions, answers.Steps = 0.5, 2
	for kind, run := range map[string]experiment.Run{
		"circle":    circle.run(ofPairs, 0.4, 1),
		"pairs":     s.pairs(ofPairs, "pairs", 0.4, 1),
		"classed":   s.classed("DCL", pucl.DCL(corrected), corrected, 1),
		"answering": answers.run("N-pair", pucl.NPair(), 1),
	} {
		t.Run(kind, func(t *testing.T) {
			var losses []float64
			observer := train.OnStep(func(p train.Progress) { losses = append(losses, p.Loss) })
			outcome, err := run.Train(t.Context(), eng, experiment.Place{Folder: t.TempDir(), Observer: observer})
			expect.NoError(t, err)
			checkFrozen(t, kind, run.Version, losses, outcome.Points)
		})
	}
}

// The same for estimates of class priors, on a table of two clouds.
func TestFirstEstimates(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	x, labeled := mat.NewDense(200, 2, nil), make([]bool, 200)
	for i := range labeled {
		labeled[i] = i < 50
		for j := range 2 {
			center := 0.
			if i < 100 {
				center = 2
			}
			x.Set(i, j, center+random.NormFloat64())
		}
	}
	c := TablePrior{Trees: prior.Trees{Trees: 10}, Folds: 5, Repeats: 1, Again: 10, Rows: 10}
	points := expect.Must(c.estimate(t.Context(), x, labeled, 1./3, 1))(t)
	checkFrozen(t, "priors", uciSets()[0].estimate(c, "a table", 1).Version, nil, points)
}

// The given fraction of pairs is randomly exchanged for examples of other classes, with equal probability for every
// other class, whatever its size.
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
		expect.That(t, math.Abs(got[0]-got[1]) <= 0.015,
			"%s: a share of %g, want %g", what, got[0], got[1]) // four standard deviations
	}
	all := exchanged([]int{3, 6, 0}, classes, byClass, 0, rng)
	expect.That(t, slices.Equal(all, []int{3, 6, 0}), "nothing is false, and %d came", all)
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
	expect.That(t, err == nil && distance <= 0.01, "the draws are %g from p̂⁺, %v", distance, err)
	if p := c.World().Positive; math.Abs(p[places/2]/p[0]-math.Exp(8)) > 1e-6*math.Exp(8) {
		t.Errorf("p⁺ at the anchor is %g times that opposite to it", p[places/2]/p[0])
	}
}

// The readings are the losses of their names, each with its own identity.
func TestReadings(t *testing.T) {
	seen := map[string]bool{}
	for rate, want := range map[float64][]string{
		0:   {NPair, LNeg, LPosRate, LPosShare, LPosClasses},
		0.4: {NPair, LNeg, LPosRate, LPosShare, LPosPairs, LPosClasses},
	} {
		var got []string
		for _, r := range readings(rate, 128) {
			got = append(got, r.method)
			expect.That(t, (r.positives != nil) == strings.HasPrefix(r.method, "L_Pos"),
				"%s: %+v", r.method, r.positives)
			expect.That(t, r.method != LPosRate || !seen[r.objective.Name], "%s is told twice", r.objective.Name)
			seen[r.objective.Name] = true
		}
		expect.That(t, slices.Equal(got, want), "ρ = %g: %q, want %q", rate, got, want)
	}
}

// The exact distances equal the closed forms.
func TestExactVariation(t *testing.T) {
	curves := expect.Must(ExactVariation(1e9, []float64{0, 0.4}))(t)
	w := Circle{Concentration: circleConcentration}.World()
	whole := expect.Must(theory.TotalVariation(w.Positive, w.Negative))(t)
	for i, want := range []float64{0.4 * whole, 0.64 * whole, 0} {
		if c := curves[i]; math.Abs(c.Y[0]) > 1e-6 || math.Abs(c.Y[1]-want) > 1e-6 {
			t.Errorf("%s: %g, want 0 and %g", c.Name, c.Y, want)
		}
	}
	c := curves[3]
	expect.That(t, c.Y[0] == c.Y[1] && c.Y[0] >= 0.1, "%s: %g", c.Name, c.Y)
	curves = CurvesOfRecovery(new(experiment.Cells), 0.4, "scores") // without results the truth is left
	expect.Require(t, len(curves) == 1, "%d curves", len(curves))
	expect.Near(t, floats.Sum(curves[0].Y), 1, 1e-12, curves[0].Name)
}
