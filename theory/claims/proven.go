package claims

import "fmt"

// proven is the finding on a statement that has a proof, whose check measures what the proof foretells. What comes out otherwise
// is not what the proof is about, be it an objective, a formula or how cases are drawn, and leaves the claim undecided.
type proven struct {
	Finding
	surprises []string
}

// expect notes a surprise, which format and args put into words, unless ok.
func (p *proven) expect(ok bool, format string, args ...any) {
	if !ok {
		p.surprises = append(p.surprises, fmt.Sprintf(format, args...))
	}
}

// zero measures a size that is 0 by the proof, under the name that format and args make; tolerance is what rounding may leave.
func (p *proven) zero(size, tolerance float64, format string, args ...any) {
	measure(&p.Finding, size, format, args...)
	p.expect(!exceeds(size, tolerance), "%s: %.3g, where it is 0 by the proof", fmt.Sprintf(format, args...), size)
}

// none measures how many of so many cases break what is proved.
func (p *proven) none(broken, cases int, format string, args ...any) {
	measure(&p.Finding, broken, format, args...)
	p.expect(broken == 0 && cases > 0, "%s: %d of %d", fmt.Sprintf(format, args...), broken, cases)
}

// finish concludes with the sentence that format and args make where there was no surprise, and returns the finding.
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
