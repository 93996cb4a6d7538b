package claims

import "fmt"

// proven is the finding on a statement with a proof, whose check measures the predictions of the proof. A deviation
// means that the proof does not apply to the measured objective, formula or cases, and leaves the claim undecided.
type proven struct {
	Finding
	surprises []string
}

// expect records a deviation, described by format and args, unless ok.
func (p *proven) expect(ok bool, format string, args ...any) {
	if !ok {
		p.surprises = append(p.surprises, fmt.Sprintf(format, args...))
	}
}

// zero measures a size that is 0 by the proof, under the name formatted from format and args; tolerance allows for
// rounding.
func (p *proven) zero(size, tolerance float64, format string, args ...any) {
	measure(&p.Finding, size, format, args...)
	p.expect(!exceeds(size, tolerance), "%s: %.3g, where it is 0 by the proof", fmt.Sprintf(format, args...), size)
}

// none records the number of cases that violate a proven statement.
func (p *proven) none(broken, cases int, format string, args ...any) {
	measure(&p.Finding, broken, format, args...)
	p.expect(broken == 0 && cases > 0, "%s: %d of %d", fmt.Sprintf(format, args...), broken, cases)
}

// finish concludes with the sentence formatted from format and args if there was no deviation, and returns the finding.
func (p *proven) finish(format string, args ...any) Finding {
	if len(p.surprises) == 0 {
		p.conclude(Holds, format, args...)
		return p.Finding
	}
	p.undecide("What is measured is not what the proof is about: %s.", p.surprises[0])
	for _, surprise := range p.surprises[1:] {
		p.detail("%s", surprise)
	}
	return p.Finding
}
