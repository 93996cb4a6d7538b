package claims

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// kind returns the kind of the mutated part.
func (p Plant) kind() string {
	switch {
	case p.instead != nil:
		return "objective"
	case p.constant != "":
		return "constant"
	case p.assumption != "":
		return "assumption"
	}
	return "mistake"
}

// Every bug changes the verdict of every claim that it affects, unless the claim declares it unneeded. For each claim
// one bug of every kind is tried; PUCL_MUTATIONS=all tries every bug.
func TestPlants(t *testing.T) {
	expect.Slow(t)
	all := os.Getenv("PUCL_MUTATIONS") == "all"
	plants := Plants()
	eachClaim(t, func(t *testing.T, c Claim) {
		sound := check(t, c)
		h, eng := halfOf(t, c)
		tried := map[string]bool{}
		for _, p := range plants {
			if !p.Touches(c.ID) || tried[p.kind()] && !all {
				continue
			}
			tried[p.kind()] = true
			t.Run(p.Name, func(t *testing.T) {
				planted, err := c.checkOn(h.bench, eng, p)
				why, spare := c.rests.unneededFor(p)
				t.Logf("%s: %s %v", planted.Verdict, planted.Sentence, err)
				switch {
				case err != nil && strings.Contains(err.Error(), "did not ask for"): // as if all of it were cached
					t.Errorf("not the mistake is noticed: %v", err)
				case spare && (err != nil || planted.Verdict != sound.Verdict):
					t.Errorf("%s, %v, where %s was said to be unneeded: %s", planted, err, p.Name, why)
				case !spare && !p.noticed(sound.Verdict, planted.Verdict, err):
					t.Errorf("not noticed, and nothing says why: %s", planted)
				case err == nil && planted.Sentence == "":
					t.Error("no word on what was noticed")
				}
			})
		}
	})
}

// The identities behind a verdict detect another objective by themselves, without its equation.
func TestIdentitiesNoticeAnotherObjective(t *testing.T) {
	expect.Slow(t)
	for _, tt := range []struct {
		plant string
		check func(*subject) Finding
		says  string
	}{
		{"pucl-as-scl-pu", Theorem2Variance().check, "not the mean of ssCL over the ways to pair"},
		{"pucl-as-scl-pu", Theorem2Unbiased().check, "not (α−π)(μ_P − μ_N)"},
		{"pucl-as-scl-pu", Theorem2Monotone().check, "misses the measured Δσ"},
		{"pucl-as-scl-pu", Theorem4().check, "do not differ by −κ∇μ_P"},
		{"scl-pu-as-pucl", Theorem1().check, "not what is proved of SCL-PU's"},
		{"sscl-attraction-halved", Theorem2Variance().check, "by the meters and 4/27 in rationals"},
	} {
		plant := expect.Must(FindPlant(tt.plant))(t)
		f, err := Claim{check: tt.check}.run(&subject{eng: openEngine(t), plant: plant, bench: measuring.bench})
		if said := fmt.Sprint(f.Sentence, err); err == nil && f.Verdict != Undecided || !strings.Contains(said, tt.says) {
			t.Errorf("%s: %s, %q, want %q", tt.plant, f.Verdict, said, tt.says)
		}
		expect.That(t, err != nil || f.Corrected == "" && f.Counterexample == "",
			"%s: undecided, but corrected %q with counterexample %q", tt.plant, f.Corrected, f.Counterexample)
	}
}

// A check uses exactly the parts that its claim lists, and a bug is injected where the check uses it.
func TestGrounds(t *testing.T) {
	c := NoiseRate()
	c.rests.constants = []string{"pi"}
	wantError(t, "not listed", expect.Err(c.Check(nil)), `asks for "gamma"`, `["pi"]`)
	c.rests.constants = []string{"pi", "gamma", "tau"}
	wantError(t, "not asked for", expect.Err(c.Check(nil)), `"tau"`, "did not ask")
	plant := expect.Must(FindPlant("noise-rate:pi-up"))(t)
	_, err := Lemma2().CheckPlanted(nil, plant)
	wantError(t, "elsewhere", err, `"noise-rate:pi-up" does not touch "lemma-2"`, "it touches noise-rate")
	wantError(t, "unknown", expect.Err(FindPlant("nosuch")), `"nosuch"`, "lists all", "-plants")
	wantError(t, "no check", expect.Err(New(Claim{ID: "own"}, nil).Check(nil)), `"own" has no check`)
	_, err = New(Claim{ID: "own"}, func(*engine.Engine) (Finding, error) { return Finding{}, errors.New("too many") }).Check(nil)
	wantError(t, "check that fails", err, `checking "own": too many`)
	wantError(t, "no equation", gauge(openEngine(t), pucl.Objective{Name: "mine"}), `no equation to hold objective "mine" against`)
}

// Bugs have unique names, valid on a command line, and a description.
func TestPlantNames(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Plants() {
		expect.That(t, !seen[p.Name] && p.What != "" && len(p.Claims) != 0 && !strings.ContainsAny(p.Name, " \t\n") &&
			strings.ToLower(p.Name) == p.Name, "plant %+v", p)
		seen[p.Name] = true
	}
}

func TestVerdicts(t *testing.T) {
	var zero Verdict
	for v, name := range map[Verdict]string{Holds: "holds", Conditional: "conditional", Fails: "fails", zero: "undecided"} {
		expect.That(t, v.String() == name, "%d is %q, want %q", v, v, name)
		data, err := json.Marshal(v)
		expect.That(t, err == nil && string(data) == `"`+name+`"`, "%s as JSON: %s, %v", name, data, err)
		back := Verdict(-1)
		if err := json.Unmarshal(data, &back); err != nil || back != v {
			t.Errorf("%s came back as %s, %v", data, back, err)
		}
	}
	got := Verdict(9).String()
	expect.That(t, got == "Verdict(9)", "%v", got)
	wantError(t, "no verdict", expect.Err(json.Marshal(Verdict(9))), "Verdict(9)")
	wantError(t, "unknown name", json.Unmarshal([]byte(`"maybe"`), &zero), "maybe", "undecided")
}

// Every claim is complete, and can be checked with the engine. TestNamesForTheCommandLine lists their IDs.
func TestAll(t *testing.T) {
	eachClaim(t, func(t *testing.T, c Claim) {
		expect.That(t, c.Statement != "" && c.LaTeX != "" && c.Source != "" && len(c.Assumptions) > 0, "%+v lacks a part", c)
		expect.That(t, c.Verdict == Undecided && c.Sentence == "" && strings.HasSuffix(c.String(), "undecided"),
			"there is a finding before the check: %s", c)
		checked := check(t, c)
		expect.That(t, checked.Sentence != "" && checked.Why != "" && len(checked.Measured) != 0,
			"no sentence, reason or numbers: %+v", checked.Finding)
		expect.That(t, !strings.ContainsAny(checked.Sentence, "\t\n") && strings.HasSuffix(checked.Sentence, "."),
			"%q is no sentence for a line with tabs", checked.Sentence)
		instead := checked.Corrected != "" && checked.CorrectedLaTeX != ""
		expect.That(t, checked.Verdict != Fails || checked.Counterexample != "" && instead,
			"fails without a counterexample or without what holds instead")
		expect.NoError(t, expect.Err(json.Marshal(checked)))
		expect.That(t, c.Verdict == Undecided, "Check changed the claim that it was given")
		checkPage(t, checked)
	})
	wantError(t, "no check", expect.Err(Claim{ID: "empty"}.Check(nil)), `"empty" has no check`)
	broken := func(*subject) Finding { return must.Get(Finding{}, errors.New("too many terms")) }
	wantError(t, "check that fails", expect.Err(Claim{ID: "broken", check: broken}.Check(nil)), `"broken"`, "too many terms")
}

func TestMinusSigns(t *testing.T) {
	c, err := Claim{check: func(*subject) Finding {
		return Finding{Sentence: "-0.5, by theorem-2 and 0-1 loss", Counterexample: "labeled {-10, (-1, 2)}",
			Details: []string{"+1", "is -0.14 or -1.3e-05"}}
	}}.Check(nil)
	expect.That(t, err == nil && c.Sentence == "−0.5, by theorem-2 and 0-1 loss" &&
		c.Counterexample == "labeled {−10, (−1, 2)}" && c.Details[0] == "+1" && c.Details[1] == "is −0.14 or −1.3e-05",
		"%v, %q, %q, %q", err, c.Sentence, c.Counterexample, c.Details)
}

func TestNoiseRateVerdict(t *testing.T) {
	c := check(t, NoiseRate())
	expect.That(t, c.Verdict == Conditional && c.Corrected != "" && !strings.Contains(c.CorrectedLaTeX, `\mathbb{E}`) &&
		strings.Contains(c.CorrectedLaTeX, `\frac{\pi_P}{\gamma+\pi_P}`), "%s; corrected %q, %q", c, c.Corrected,
		c.CorrectedLaTeX)
	// The largest difference on the grid, by a closed form: with n_P = 1, E[1/(1+K)] = (1 − (1−π)^(n+1))/((n+1)π), so
	// that E[K/(1+K)] is 1 minus that. The largest is at n_P = 1, where K/(n_P + K) has the largest curvature.
	largest := 0.0
	for _, n := range []float64{1, 2, 3, 5, 8, 12} {
		for pi := 0.1; pi < 0.95; pi += 0.1 {
			share := 1 - (1-math.Pow(1-pi, n+1))/((n+1)*pi)
			largest = max(largest, pi/(1/n+pi)-share)
		}
	}
	near(t, "largest difference", c.Number.Value, largest, 1e-14)
	for _, want := range []string{"equal in 270 of 270 cases", "equal in 0 of 270 cases", "equal in 81 of 81 cases with π the share of positives among the unlabeled, in 0"} {
		expect.That(t, strings.Contains(strings.Join(c.Details, "\n"), want), "details %q lack %q", c.Details, want)
	}
}

// One labeled example and one unlabeled one, π = ½: the unlabeled one is positive in half of the data sets. Of the
// expected 3/2 positives ½ is mislabeled, but the fraction in a data set is 0 or ½, so ¼ on average.
func TestNoiseRatesByHand(t *testing.T) {
	r := caseControlRates(1, 1, big.NewRat(1, 2))
	expect.That(t, r.probability.Cmp(big.NewRat(1, 3)) == 0 && r.meanShare.Cmp(big.NewRat(1, 4)) == 0 &&
		r.negative.Sign() == 0, "probability %s, share %s, negatives %s", r.probability, r.meanShare, r.negative)
}

// Other formulas change the verdict.
func TestNoiseRateVerdictFollowsTheNumbers(t *testing.T) {
	wrong := func(gamma, pi *big.Rat) *big.Rat { // π/(1+γ), the mislabeled fraction of all examples
		return new(big.Rat).Quo(pi, new(big.Rat).Add(gamma, big.NewRat(1, 1)))
	}
	f := noiseRateFinding(onBench(t), wrong)
	expect.That(t, f.Verdict == Fails && strings.Contains(f.Sentence, "neither reading"),
		"%s: %s", f.Verdict, f.Sentence)
}

// A meter of a bench runs the batches of a population and a design once; another design or prior runs anew.
func TestMetersMeasureOnce(t *testing.T) {
	m := metersOf(t, pucl.PUCL())[0]
	runs := 0
	m.Progress = func(done, _ float64) { runs += oneIf(done == 0) }
	exact := func(d theory.Design, want int) theory.Result {
		t.Helper()
		r, err := m.Exact(TwoSigns(), d)
		expect.That(t, err == nil && runs == want, "%+v: %d runs, want %d; %v", d, runs, want, err)
		return r
	}
	d := theory.Design{Labeled: 1, Unlabeled: 1, Prior: 0.25}
	first := exact(d, 1)
	expect.Equal(t, exact(d, 1), first, "%v, and then", first)
	d.Prior = 0.5
	exact(d, 2)
	for range 2 {
		expect.Must(m.Gradient(TwoSigns(), d))(t)
		expect.That(t, runs == 3, "gradient: %d runs, want 3;", runs)
	}
	for i, seed := range []uint64{1, 1, 2} {
		expect.Must(m.MonteCarlo(TwoSigns(), d, theory.Draws{Batches: 30, Seed: seed}))(t)
		expect.Equal(t, runs, 4+i/2, "sampled by seed %d: runs", seed)
	}
	for range 2 { // an error is not cached
		wantError(t, "no batch", expect.Err(m.Exact(TwoSigns(), theory.Design{})), "neither may be negative")
	}
}
