package theory

import (
	"fmt"

	"github.com/puclab/puclab/pucl/engine"
)

// Verdict is what a check makes of a claim.
type Verdict int

const (
	Undecided   Verdict = iota // not checked, or the measurement cannot tell
	Holds                      // true as printed, under the assumptions printed with it
	Conditional                // true under a further condition or in one of several readings, which Sentence names
	Fails                      // false as printed: there is a counterexample within its assumptions
)

var verdictNames = [...]string{"undecided", "holds", "conditional", "fails"}

// String is "holds", "conditional", "fails" or "undecided".
func (v Verdict) String() string {
	if v < 0 || int(v) >= len(verdictNames) {
		return fmt.Sprintf("Verdict(%d)", int(v))
	}
	return verdictNames[v]
}

// MarshalText writes a verdict as its name, in JSON for example.
func (v Verdict) MarshalText() ([]byte, error) {
	if v < 0 || int(v) >= len(verdictNames) {
		return nil, fmt.Errorf("theory: %s is not a verdict", v)
	}
	return []byte(verdictNames[v]), nil
}

// UnmarshalText reads what MarshalText writes.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("theory: verdict %q; it must be one of %q", text, verdictNames)
}

// Claim is a statement of a paper together with what checking it found. Its finding is empty, and its verdict Undecided,
// until Check has run.
type Claim struct {
	ID          string   // short and stable: "noise-rate"
	Statement   string   // as printed, in plain words and characters
	LaTeX       string   // the formula of the statement, for a notebook
	Source      string   // paper, and the number of equation, theorem or lemma
	Assumptions []string // what the paper takes for granted
	Finding

	check func(*engine.Engine) (Finding, error)
}

// Finding is what a check found.
type Finding struct {
	Verdict   Verdict
	Number    Number   // the one measured number that the sentence turns on
	Sentence  string   // the verdict's reason, one sentence for a table
	Corrected string   // the statement as it should read, "" where the printed one stands
	Details   []string // how it was found: cases, counterexamples, further numbers
}

// Check computes the claim's finding anew and returns the claim with it; c itself stays as it is. Checks that only count
// need no engine, and take nil.
func (c Claim) Check(eng *engine.Engine) (Claim, error) {
	if c.check == nil {
		return c, fmt.Errorf("theory: claim %q has no check", c.ID)
	}
	finding, err := c.check(eng)
	if err != nil {
		return c, fmt.Errorf("theory: checking claim %q: %w", c.ID, err)
	}
	c.Finding = finding
	return c, nil
}

// String is one line: "noise-rate: conditional. …".
func (c Claim) String() string {
	if c.Sentence == "" {
		return fmt.Sprintf("%s: %s", c.ID, c.Verdict)
	}
	return fmt.Sprintf("%s: %s. %s", c.ID, c.Verdict, c.Sentence)
}

// Claims lists all claims, none checked yet.
func Claims() []Claim {
	return []Claim{NoiseRate()}
}
