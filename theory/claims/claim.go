package claims

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Claim is a statement of a paper together with the finding of its check. Before Check, its finding is empty and its
// verdict Undecided.
type Claim struct {
	ID          string   `json:"id"`              // short and stable: "noise-rate"
	Statement   string   `json:"statement"`       // as printed, in plain words and characters
	LaTeX       string   `json:"latex"`           // the formula of the statement, for a notebook
	Source      string   `json:"source"`          // paper, and the number of equation, theorem or lemma
	Assumptions []string `json:"assumptions"`     // of the paper
	Proof       []string `json:"proof,omitempty"` // line by line, if there is a proof here
	Finding

	Plant string `json:"plant,omitempty"` // the injected bug, "" for none

	rests grounds
	check func(*subject) Finding // may end by package must
}

// Check computes the claim's finding anew and returns the claim with it; c itself does not change. Checks that only
// count need no engine, and accept nil. A finding with a number that is not finite is an error.
func (c Claim) Check(eng *engine.Engine) (Claim, error) { return c.CheckPlanted(eng, Plant{}) }

// CheckPlanted is [Claim.Check] with a bug injected in a part that the claim depends on, which must change the verdict.
// A bug that does not affect the claim is an error.
func (c Claim) CheckPlanted(eng *engine.Engine, plant Plant) (Claim, error) {
	b := newBench()
	defer b.close()
	return c.checkOn(b, eng, plant)
}

func (c Claim) checkOn(b *bench, eng *engine.Engine, plant Plant) (Claim, error) {
	if c.check == nil {
		return c, fmt.Errorf("claims: claim %q has no check", c.ID)
	}
	if plant.Name != "" && !plant.Touches(c.ID) {
		return c, fmt.Errorf("claims: the plant %q does not touch %q; it touches %s", plant.Name, c.ID, strings.Join(plant.Claims, ", "))
	}
	c.Plant = plant.Name
	finding, err := c.run(&subject{eng: eng, plant: plant, rests: &c.rests, bench: b})
	if other := (*otherObjective)(nil); errors.As(err, &other) {
		finding, err = Finding{Number: exactly(other.off), Sentence: other.text + ".", Why: "A verdict on an equation rests on " +
			"an objective that is this equation."}, nil
	}
	if err != nil {
		return c, fmt.Errorf("claims: checking %q: %w", c.ID, err)
	}
	for _, u := range c.rests.unneeded {
		finding.detail("%s makes no difference to the verdict: %s", u.name, u.why)
	}
	finding.Sentence = minusSigns(finding.Sentence)
	finding.Counterexample = minusSigns(finding.Counterexample)
	finding.Details = lists.Map(finding.Details, minusSigns)
	c.Finding = finding
	return c, nil
}

// run returns the finding of the check, or the error that ended it.
func (c Claim) run(s *subject) (f Finding, err error) {
	defer must.Catch(&err)
	for _, name := range c.rests.objectives { // first, since the check may take longer
		must.Do(s.gauge(s.planted(equations[name].objective)))
	}
	f = c.check(s)
	if name := s.forgotten(); name != "" {
		return f, fmt.Errorf("the claim rests on %q, which its check did not ask for", name)
	}
	return f, f.checkNumbers()
}

// hyphenMinus is a hyphen in front of a number, as package fmt writes it. One after a letter or a digit, as in "theorem-2",
// "0-1" or "1e-05", stays.
var hyphenMinus = regexp.MustCompile(`(^|[^\pL\d])-(\d)`)

// minusSigns replaces hyphens before the numbers of a text by the minus sign of the other text.
func minusSigns(text string) string { return hyphenMinus.ReplaceAllString(text, "$1−$2") }

// New returns the claim c with a custom check, which receives the engine and returns its finding or an error. A check
// that needs no engine may receive nil.
func New(c Claim, check func(eng *engine.Engine) (Finding, error)) Claim {
	if check != nil {
		c.check = func(s *subject) Finding { return must.Get(check(s.eng)) }
	}
	return c
}

// String returns one line: "noise-rate: conditional. …".
func (c Claim) String() string {
	if c.Sentence == "" {
		return fmt.Sprintf("%s: %s", c.ID, c.Verdict)
	}
	return fmt.Sprintf("%s: %s. %s", c.ID, c.Verdict, c.Sentence)
}

// All lists all claims, none checked yet.
func All() []Claim {
	return []Claim{
		Theorem1(), Theorem1Repaired(),
		Theorem2Unbiased(), Theorem2Inequality(), Theorem2Variance(), Theorem2VarianceRepaired(), Theorem2Monotone(),
		Theorem3(), Theorem3Repaired(), Theorem4(), Theorem4Repaired(), Theorem4Variance(),
		Lemma1(), Lemma1Repaired(), Lemma2(), Lemma3(), NoiseRate(), Hypercube(), PUPLVariants(),
		BiasBySupervision(), Equation24(), SphereRadius(), IdealSign(), SCLConsistent(), SCLVariance(),
		VarianceConvergence(), PUCLAsMixed(), LossCode(),
		PriorError(), LabelVariance(), PriorOne(), NaiveBoundary(), SingleDatasetShare(),
		RoundsDecrease(), PUPLAlmostSurely(), PUPLLinear(), PositivesTogether(),
		SamplingBias(), DCLDecomposition(), DCLLimit(), DCLLimitRepaired(),
		InfoNCEMutualInformation(), LossDirections(), TemperatureLimits(), InnerProductDistance(), AlignedUniform(),
		MAKBudget(),
		LPosIdentity(), LPosRecovers(), LPosLimit(), LPosLimitRepaired(), LPosMutualInformation(), LPosMutualInformationRepaired(),
		PUDebiasedBias(), PUDebiasedPrior(), PUDebiasedError(),
	}
}
