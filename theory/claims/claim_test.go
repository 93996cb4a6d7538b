package claims

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/theory/internal/must"
)

func TestVerdicts(t *testing.T) {
	var zero Verdict
	for v, name := range map[Verdict]string{Holds: "holds", Conditional: "conditional", Fails: "fails", zero: "undecided"} {
		if v.String() != name {
			t.Errorf("%d is %q, want %q", v, v, name)
		}
		data, err := json.Marshal(v)
		if err != nil || string(data) != `"`+name+`"` {
			t.Errorf("%s as JSON: %s, %v", name, data, err)
		}
		back := Verdict(-1)
		if err := json.Unmarshal(data, &back); err != nil || back != v {
			t.Errorf("%s came back as %s, %v", data, back, err)
		}
	}
	if got := Verdict(9).String(); got != "Verdict(9)" {
		t.Error(got)
	}
	_, err := json.Marshal(Verdict(9))
	wantError(t, "no verdict", err, "Verdict(9)")
	wantError(t, "unknown name", json.Unmarshal([]byte(`"maybe"`), &zero), "maybe", "undecided")
}

// Every claim is complete, has an own ID, and can be checked with the engine.
func TestAll(t *testing.T) {
	expect.Slow(t)
	seen := map[string]bool{}
	var all []Claim
	for _, c := range All() {
		if c.ID == "" || seen[c.ID] || c.Statement == "" || c.LaTeX == "" || c.Source == "" || len(c.Assumptions) == 0 {
			t.Errorf("claim %+v is not complete or not the only one with its ID", c)
		}
		seen[c.ID] = true
		if c.Verdict != Undecided || c.Sentence != "" || !strings.HasSuffix(c.String(), "undecided") {
			t.Errorf("%s has a finding before it is checked: %s", c.ID, c)
		}
		checked, err := check(t, c)
		if err != nil {
			t.Fatal(err)
		}
		if checked.Sentence == "" || checked.Why == "" || len(checked.Measured) == 0 {
			t.Errorf("%s: no sentence, reason or numbers: %+v", c.ID, checked.Finding)
		}
		if strings.ContainsAny(checked.Sentence, "\t\n") || !strings.HasSuffix(checked.Sentence, ".") {
			t.Errorf("%s: %q is no sentence for a line with tabs", c.ID, checked.Sentence)
		}
		if checked.Verdict == Fails && (checked.Counterexample == "" || checked.Corrected == "" || checked.CorrectedLaTeX == "") {
			t.Errorf("%s fails without a counterexample or without what holds instead", c.ID)
		}
		if _, err := json.Marshal(checked); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		if c.Verdict != Undecided {
			t.Errorf("Check changed the claim %s that it was given", c.ID)
		}
		all = append(all, checked)
	}
	checkReadme(t, all)
	var ids []string
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	want := "theorem-1 theorem-1-repaired theorem-2-unbiased theorem-2-inequality theorem-2-variance " +
		"theorem-2-variance-repaired theorem-2-monotone theorem-3 theorem-3-repaired theorem-4 theorem-4-repaired " +
		"theorem-4-variance lemma-1 lemma-1-repaired lemma-2 lemma-3 noise-rate hypercube pupl-variants bias-supervision " +
		"equation-24 sphere-radius ideal-sign scl-consistent scl-variance variance-convergence pucl-mcl loss-code " +
		"prior-error label-variance prior-one naive-boundary single-dataset rounds-decrease pupl-almost-surely " +
		"pupl-linear positives-together sampling-bias dcl-decomposition dcl-limit dcl-limit-repaired infonce-mi " +
		"loss-directions temperature-limits inner-product aligned-uniform mak-budget lpos-identity lpos-recovers " +
		"lpos-limit lpos-limit-repaired lpos-mi lpos-mi-repaired pu-debiased-bias pu-debiased-prior pu-debiased-error"
	if strings.Join(ids, " ") != want {
		t.Errorf("the claims are %q, want %q", ids, want)
	}
	_, err := Claim{ID: "empty"}.Check(nil)
	wantError(t, "no check", err, `"empty" has no check`)
	broken := func(*subject) Finding { return must.Get(Finding{}, errors.New("too many terms")) }
	_, err = Claim{ID: "broken", check: broken}.Check(nil)
	wantError(t, "check that fails", err, `"broken"`, "too many terms")
}

func TestMinusSigns(t *testing.T) {
	c, err := Claim{check: func(*subject) Finding {
		return Finding{Sentence: "-0.5, by theorem-2 and 0-1 loss", Counterexample: "labeled {-10, (-1, 2)}",
			Details: []string{"+1", "is -0.14 or -1.3e-05"}}
	}}.Check(nil)
	if err != nil || c.Sentence != "−0.5, by theorem-2 and 0-1 loss" || c.Counterexample != "labeled {−10, (−1, 2)}" ||
		c.Details[0] != "+1" || c.Details[1] != "is −0.14 or −1.3e-05" {
		t.Errorf("%v, %q, %q, %q", err, c.Sentence, c.Counterexample, c.Details)
	}
}

func TestNoiseRateVerdict(t *testing.T) {
	c, err := NoiseRate().Check(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Conditional || c.Corrected == "" || strings.Contains(c.CorrectedLaTeX, `\mathbb{E}`) ||
		!strings.Contains(c.CorrectedLaTeX, `\frac{\pi_P}{\gamma+\pi_P}`) {
		t.Errorf("%s; corrected %q, %q", c, c.Corrected, c.CorrectedLaTeX)
	}
	// The largest difference on the grid, by a closed form: with n_P = 1, E[1/(1+K)] = (1 − (1−π)^(n+1))/((n+1)π), so that
	// E[K/(1+K)] is 1 minus that; and it lies at n_P = 1, where K/(n_P + K) bends most.
	largest := 0.0
	for _, n := range []float64{1, 2, 3, 5, 8, 12} {
		for pi := 0.1; pi < 0.95; pi += 0.1 {
			share := 1 - (1-math.Pow(1-pi, n+1))/((n+1)*pi)
			largest = max(largest, pi/(1/n+pi)-share)
		}
	}
	near(t, "largest difference", c.Number.Value, largest, 1e-14)
	for _, want := range []string{"equal in 270 of 270 cases", "equal in 0 of 270 cases", "equal in 81 of 81 cases with π the share of positives among the unlabeled, in 0"} {
		if !strings.Contains(strings.Join(c.Details, "\n"), want) {
			t.Errorf("details %q lack %q", c.Details, want)
		}
	}
}

// One labeled example and one unlabeled one, π = ½: the unlabeled one is positive in half of the data sets. Of the expected
// 3/2 positives ½ is mislabeled, but the share in a data set is 0 or ½, so ¼ in the mean.
func TestNoiseRatesByHand(t *testing.T) {
	r := caseControlRates(1, 1, big.NewRat(1, 2))
	if r.probability.Cmp(big.NewRat(1, 3)) != 0 || r.meanShare.Cmp(big.NewRat(1, 4)) != 0 || r.negative.Sign() != 0 {
		t.Errorf("probability %s, share %s, negatives %s", r.probability, r.meanShare, r.negative)
	}
}

// The verdict follows the numbers: other formulas get other verdicts.
func TestNoiseRateVerdictFollowsTheNumbers(t *testing.T) {
	wrong := func(gamma, pi *big.Rat) *big.Rat { // π/(1+γ), the share of all examples that is mislabeled
		return new(big.Rat).Quo(pi, new(big.Rat).Add(gamma, big.NewRat(1, 1)))
	}
	f := noiseRateFinding(&subject{}, wrong)
	if f.Verdict != Fails || !strings.Contains(f.Sentence, "neither reading") {
		t.Errorf("%s: %s", f.Verdict, f.Sentence)
	}
}
