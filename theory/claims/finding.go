package claims

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
)

// Finding is the result of a check. The check computes all of it.
type Finding struct {
	Verdict  Verdict       `json:"verdict"`
	Number   theory.Number `json:"number"`   // the measured number that best shows the verdict; always finite
	Sentence string        `json:"sentence"` // the reason for the verdict and the meaning of Number, in one sentence
	Measured []Measurement `json:"measured"` // the numbers behind the verdict, each with a name

	// Counterexample is a smallest case found in which the printed statement fails, or the worst among equally small
	// ones; "" if there is none. A reader can verify its numbers by hand or with [theory.Meter].
	Counterexample string `json:"counterexample,omitempty"`

	Corrected      string   `json:"corrected,omitempty"`       // the corrected statement; "" if the printed one holds
	CorrectedLaTeX string   `json:"corrected_latex,omitempty"` // its formula
	Why            string   `json:"why"`                       // a proof sketch, or the reason for the verdict
	Details        []string `json:"details,omitempty"`         // the method: cases tried, other readings
}

// Measurement is a named number.
type Measurement struct {
	Name  string        `json:"name"`
	Value theory.Number `json:"value"`
}

// measure adds a number to the finding, under the name formatted from format and args.
func measure[T int | float64 | *big.Rat | theory.Number](f *Finding, value T, format string, args ...any) {
	f.Measured = append(f.Measured, Measurement{fmt.Sprintf(format, args...), exactly(value)})
}

// exactly converts a value to a Number, without an interval unless it is already a Number.
func exactly[T int | float64 | *big.Rat | theory.Number](value T) theory.Number {
	switch v := any(value).(type) {
	case int:
		return theory.Exactly(float64(v))
	case float64:
		return theory.Exactly(v)
	case *big.Rat:
		return theory.Exactly(decimal(v))
	}
	return any(value).(theory.Number)
}

// detail adds a line to the finding's details.
func (f *Finding) detail(format string, args ...any) {
	f.Details = append(f.Details, fmt.Sprintf(format, args...))
}

// conclude sets the finding's verdict and its sentence.
func (f *Finding) conclude(verdict Verdict, format string, args ...any) {
	f.Verdict, f.Sentence = verdict, fmt.Sprintf(format, args...)
}

// restOn makes the finding undecided if a premise was not confirmed by measurement: off is the deviation of a
// measurement from its proven value. A statement that holds in all measurements keeps its verdict, and of several
// causes the first is reported.
func (f *Finding) restOn(off float64, format string, args ...any) {
	if f.Verdict == Holds || f.Verdict == Undecided || !exceeds(math.Abs(off), contrastTolerance) {
		return
	}
	f.Number = exactly(off)
	f.undecide(format, args...)
}

// undecide replaces the verdict by undecided if a premise was not confirmed by measurement. The finding then has no
// conclusion about the statement, and no replacement.
func (f *Finding) undecide(format string, args ...any) {
	f.Corrected, f.CorrectedLaTeX, f.Counterexample = "", "", ""
	f.conclude(Undecided, format, args...)
}

// checkNumbers returns an error if a number of the finding is not finite: comparisons with NaN are false, so a verdict
// based on one is meaningless.
func (f Finding) checkNumbers() error {
	for _, m := range append([]Measurement{{"number", f.Number}}, f.Measured...) {
		for _, x := range []float64{m.Value.Value, m.Value.Low, m.Value.High} {
			if x-x != 0 {
				return fmt.Errorf("the measured number %q is %g, so nothing is decided; the objective or the formula "+
					"must be finite on all cases of the check", m.Name, x)
			}
		}
	}
	return nil
}

// Verdict is the result of a check. One rule gives the verdicts of all statements:
//
//  1. A statement holds if it is true as printed, under the assumptions that its document prints, in every reading that the
//     document leaves open.
//  2. Else it is conditional if an addition that agrees with all of the document makes it true. There are three kinds. One is a
//     condition that is not printed. One is the choice among readings that the document leaves open. One is the correction
//     of a misprint: of a single sign, index, bound or symbol, whose right form another formula or the text of the same
//     document fixes. The sentence names the addition.
//  3. Else it fails. An addition that contradicts what the document prints does not count, nor does one that contradicts what
//     the printed proof holds fixed.
//
// A statement with several parts has the verdict of its worst part: fails before conditional before holds. The same
// rule applies to the text of a repaired claim, or of another claim of this library.
type Verdict int

const (
	Undecided   Verdict = iota // not checked, or not decided by the measurement
	Holds                      // true as printed, in every reading
	Conditional                // true with a condition, a reading or the correction of a misprint, which Sentence names
	Fails                      // false with every addition that agrees with the document
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

// UnmarshalText reads the output of MarshalText.
func (v *Verdict) UnmarshalText(text []byte) error {
	at := slices.Index(verdictNames, string(text))
	if at < 0 {
		return fmt.Errorf("claims: verdict %q; it must be one of %q", text, verdictNames)
	}
	*v = Verdict(at)
	return nil
}
