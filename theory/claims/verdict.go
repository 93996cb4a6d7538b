package claims

import (
	"fmt"
	"slices"

	"github.com/puclab/puclab/theory/internal/lists"
)

// Verdict is what a check makes of a claim: of the statement as printed, under the assumptions printed with it. Where a
// claim has several parts, the part that fails decides.
type Verdict int

const (
	Undecided   Verdict = iota // not checked, or the measurement cannot tell
	Holds                      // true as printed, under the assumptions printed with it
	Conditional                // true under a further condition or in one of several readings, which Sentence names
	Fails                      // false as printed: there is a counterexample within its assumptions
)

var verdictNames = []string{"undecided", "holds", "conditional", "fails"}

// String returns "holds", "conditional", "fails" or "undecided".
func (v Verdict) String() string { return lists.Name(v, "Verdict", verdictNames...) }

// MarshalText writes a verdict as its name, in JSON for example.
func (v Verdict) MarshalText() ([]byte, error) {
	if v < 0 || int(v) >= len(verdictNames) {
		return nil, fmt.Errorf("claims: %s is not a verdict", v)
	}
	return []byte(verdictNames[v]), nil
}

// UnmarshalText reads what MarshalText writes.
func (v *Verdict) UnmarshalText(text []byte) error {
	at := slices.Index(verdictNames, string(text))
	if at < 0 {
		return fmt.Errorf("claims: verdict %q; it must be one of %q", text, verdictNames)
	}
	*v = Verdict(at)
	return nil
}
