package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

func TestInfoNCEHolds(t *testing.T) {
	c, err := check(t, InfoNCEMutualInformation())
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Conditional || c.Corrected == "" || !(c.Number.Value > 0) || c.Counterexample != "" {
		t.Errorf("%s; %q", c, c.Counterexample)
	}
	for _, name := range []string{"cases that break the bound, negatives from p(y)", "cases that break bound ≤ I " +
		"+ KL(p(y)‖q), negatives from q", "cases that break log N − L ≤ I"} {
		if got := value(t, c.Finding, name); got != 0 {
			t.Errorf("%s: %g", name, got)
		}
	}
	if got := value(t, c.Finding, "cases that break bound ≤ I, negatives from another q"); !(got > 100) {
		t.Errorf("another noise distribution breaks the bound in %g cases only", got)
	}
	// Five examples that show ±1, K of the other four with the anchor's point: log 9 − E log(1 + 2K) − log 2.
	excess := math.Log(9) - (4*math.Log(3)+6*math.Log(5)+4*math.Log(7)+math.Log(9))/16 - math.Ln2
	if !(excess > 0.002) {
		t.Fatalf("the closed form is %g", excess)
	}
	near(t, "batch of 5 on the engine", value(t, c.Finding, "batch of 5, ±1, equal views: bound − I"), excess, 1e-12)
	near(t, "batch of 5, counted", value(t, c.Finding, "perfect critic, ±1, equal views, b = 5: bound − I"), excess, 1e-14)
	near(t, "batch of 2, counted", value(t, c.Finding, "perfect critic, ±1, equal views, b = 2: bound − I"),
		math.Log(3)/2-math.Ln2, 1e-14)
	if got := value(t, c.Finding, "batches of 2 to 4 with the best critic: largest log b − L − I"); !(got < 0) {
		t.Errorf("log b − L − I reaches %g", got)
	}
}

func TestInfoNCEFollowsTheNumbers(t *testing.T) {
	over := infoNCEFinding(&subject{}, func(n int) float64 { return math.Log(float64(n) + 2) })
	if over.Verdict != Fails || !strings.Contains(over.Counterexample, "I = ") {
		t.Errorf("%s: %s", over.Verdict, over.Sentence)
	}
	under := infoNCEFinding(&subject{}, func(n int) float64 { return math.Log(float64(n)) })
	if under.Verdict != Conditional {
		t.Errorf("%s: %s", under.Verdict, under.Sentence)
	}
}

// The loss of a batch with a free critic is that of pucl.SSCL where the critic is cos/τ; its slopes are those of differences.
func TestBatchLossIsThatOfSSCL(t *testing.T) {
	const tau, prior, same = 0.7, 0.4, 0.3
	p := theory.Population{
		Positive: []theory.Atom{{Z: []float64{1, 0}, P: 0.3}, {Z: []float64{1, 2}, P: 0.7}},
		Negative: theory.Uniform([]float64{-2, 1}),
	}
	views, points, err := theory.ViewsJoint(p, prior, same)
	if err != nil {
		t.Fatal(err)
	}
	critic := cosineCritic(points, tau)
	for b := 2; b <= 3; b++ {
		want, err := theory.Exact(openEngine(t), pucl.SSCL(), p, theory.Design{Unlabeled: b, Prior: prior, SameView: same}, tau)
		if err != nil {
			t.Fatal(err)
		}
		negatives, loss, slopes := batchNegatives(views, b), 0.0, make([]float64, 3)
		for x := range views {
			loss += batchLoss(views, negatives, x, critic[x], slopes)
			for y := range critic[x] {
				const step = 1e-5
				near := make([]float64, 3)
				move := func(by float64) float64 {
					moved := append([]float64(nil), critic[x]...)
					moved[y] += by
					return batchLoss(views, negatives, x, moved, near)
				}
				if got, want := slopes[y], (move(step)-move(-step))/(2*step); !(math.Abs(got-want) <= 1e-9) {
					t.Errorf("b = %d: slope %g, by differences %g", b, got, want)
				}
			}
		}
		near(t, fmt.Sprintf("loss, b = %d", b), loss, want.Loss.Mean.Value, 1e-12)
	}
}

// The search finds what is known: for equal views of ±1 the perfect critic is best.
func TestBestBatchLoss(t *testing.T) {
	views := theory.Joint{{0.5, 0}, {0, 0.5}}
	for _, b := range []int{3, 5} {
		excess := perfectBatchExcess(b)
		found := math.Log(float64(2*b-1)) - bestBatchLoss(views, b) - math.Ln2
		if found > excess+1e-12 || found < excess-5e-3 {
			t.Errorf("b = %d: the search reaches %g, the perfect critic %g", b, found, excess)
		}
	}
}

func TestInfoNCEBatch(t *testing.T) {
	information, bound, err := InfoNCEBatch(openEngine(t), 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "information", information, math.Ln2, 1e-15)
	near(t, "bound", bound, math.Log(3)-(math.Log(3)+math.Log1p(2*math.Exp(-2)))/2, 1e-13)
	_, _, err = InfoNCEBatch(openEngine(t), 2, 0)
	wantError(t, "temperature", err, "τ = 0")
	_, _, err = InfoNCEBatch(openEngine(t), 0, 1)
	wantError(t, "examples", err, "0 unlabeled")
}

func TestRandomDistributions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		j := randomViews(rng, 3)
		if err := j.Validate(); err != nil {
			t.Fatal(err)
		}
		for x := range j {
			for y := range j {
				near(t, "symmetry", j[x][y], j[y][x], 1e-15)
			}
		}
	}
	near(t, "divergence", divergence([]float64{0.5, 0.5, 0}, []float64{0.25, 0.5, 0.25}), math.Ln2/2, 1e-15)
}

// For every number of negatives the density ratio is the best critic, whatever the noise; the others are worse.
func TestBestCritic(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		j := randomJoint(rng, 3, 2, 1)
		_, py := j.Marginals()
		for _, noise := range [][]float64{py, {0.3, 0.7}} {
			scores := critics(rng, j, noise)
			for _, n := range []int{1, 4} {
				best, err := theory.CriticLoss(j, scores["best"], n, noise)
				if err != nil {
					t.Fatal(err)
				}
				for name, critic := range scores {
					loss, err := theory.CriticLoss(j, critic, n, noise)
					if err != nil {
						t.Fatal(err)
					}
					if name != "best" && !(loss > best) {
						t.Errorf("%s critic, N = %d: loss %g, that of the density ratio %g", name, n, loss, best)
					}
				}
			}
		}
	}
}
