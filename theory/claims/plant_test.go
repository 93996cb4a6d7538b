package claims

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
)

// kind names what the plant changes.
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

// Every plant turns the verdict of every claim that it touches, where the claim does not say that it can do without. For each claim one plant
// of every kind is tried, with PUCL_MUTATIONS=all every plant.
func TestPlants(t *testing.T) {
	expect.Slow(t)
	eng := openEngine(t)
	all := os.Getenv("PUCL_MUTATIONS") == "all"
	plants := Plants()
	for _, c := range All() {
		t.Run(c.ID, func(t *testing.T) {
			sound, err := check(t, c)
			if err != nil {
				t.Fatal(err)
			}
			tried := map[string]bool{}
			for _, p := range plants {
				if !p.Touches(c.ID) || tried[p.kind()] && !all {
					continue
				}
				tried[p.kind()] = true
				t.Run(p.Name, func(t *testing.T) {
					planted, err := c.checkOn(shared, eng, p)
					why, spare := c.rests.unneededFor(p)
					t.Logf("%s: %s %v", planted.Verdict, planted.Sentence, err)
					switch {
					case err != nil && strings.Contains(err.Error(), "did not ask for"): // as if all of it had been kept from before
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
}

// The identities that a verdict rests on notice another objective by themselves, without its equation.
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
		plant, err := FindPlant(tt.plant)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Claim{check: tt.check}.run(&subject{eng: openEngine(t), plant: plant})
		if said := fmt.Sprint(f.Sentence, err); err == nil && f.Verdict != Undecided || !strings.Contains(said, tt.says) {
			t.Errorf("%s: %s, %q, want %q", tt.plant, f.Verdict, said, tt.says)
		}
		if err == nil && (f.Corrected != "" || f.Counterexample != "") {
			t.Errorf("%s: undecided, but corrected %q with counterexample %q", tt.plant, f.Corrected, f.Counterexample)
		}
	}
}

// A check asks for what its claim lists, all of it and nothing else, and a plant is planted where it touches.
func TestGrounds(t *testing.T) {
	c := NoiseRate()
	c.rests.constants = []string{"pi"}
	_, err := c.Check(nil)
	wantError(t, "not listed", err, `asks for "gamma"`, `["pi"]`)
	c.rests.constants = []string{"pi", "gamma", "tau"}
	_, err = c.Check(nil)
	wantError(t, "not asked for", err, `"tau"`, "did not ask")
	plant, err := FindPlant("noise-rate:pi-up")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Lemma2().CheckPlanted(nil, plant)
	wantError(t, "elsewhere", err, `"noise-rate:pi-up" does not touch "lemma-2"`, "it touches noise-rate")
	_, err = FindPlant("nosuch")
	wantError(t, "unknown", err, `"nosuch"`, "lists all", "-plants")
	_, err = New(Claim{ID: "own"}, nil).Check(nil)
	wantError(t, "no check", err, `"own" has no check`)
	_, err = New(Claim{ID: "own"}, func(*engine.Engine) (Finding, error) { return Finding{}, errors.New("too many") }).Check(nil)
	wantError(t, "check that fails", err, `checking "own": too many`)
	wantError(t, "no equation", gauge(openEngine(t), pucl.Objective{Name: "mine"}), `no equation to hold objective "mine" against`)
}

// Plants have names of their own, fit for a command line, and say what they are.
func TestPlantNames(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Plants() {
		if seen[p.Name] || p.What == "" || len(p.Claims) == 0 || strings.ContainsAny(p.Name, " \t\n") || strings.ToLower(p.Name) != p.Name {
			t.Errorf("plant %+v", p)
		}
		seen[p.Name] = true
	}
}
