package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
)

// experimentBias is the experiment name of claims about [SamplingBias].
const experimentBias = "sampling bias"

// claimsSamplingBias returns the claims about false negatives and their correction.
func claimsSamplingBias() (list []Claim) {
	const figure, text, code = "Debiased Contrastive Learning, Figure (b)", "Chuang et al. (2020), Debiased Contrastive Learning", "this library"
	for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
		for i, task := range UnlabeledTasks(size) {
			s, err := unlabeled(size, task)
			if err != nil {
				panic(err) // sizes and tasks are those above
			}
			add := func(source, statement, setting string, above, below Row) *Claim {
				list = append(list, Claim{Experiment: experimentBias, Statement: statement, Source: source, Setting: setting, Above: above, Below: below})
				return &list[len(list)-1]
			}
			dcl := DCLAt(TenClasses)
			for _, head := range []string{Ceiling, Neighbors} {
				add(figure, "false negatives cost accuracy: true negatives are above ssCL ("+head+")", s.Name, Row{OracleNegatives, head}, Row{"ssCL", head})
				add(text, "the correction gains: DCL with the true τ⁺ is above ssCL ("+head+")", s.Name, Row{dcl, head}, Row{"ssCL", head})
			}
			biased := func(statement, method string) {
				c := add(text, statement, s.Name, Row{Method: method}, Row{Method: method})
				c.Measure, c.BelowMeasure, c.Magnitude = PlainBias, CorrectedBias, true
			}
			biased("at the end of a run of ssCL the corrected mean over negatives is less biased than the plain one", "ssCL")
			biased("and so at the end of a run of DCL", dcl)
			c := add(code, "less bias costs variance: the corrected mean varies more than the plain one", s.Name, Row{Method: dcl}, Row{Method: dcl})
			c.Measure, c.BelowMeasure = CorrectedDeviation, PlainDeviation
			if i > 0 {
				continue
			}
			for _, tauPlus := range CorrectionsOfTen() {
				if tauPlus != TenClasses {
					add(text, fmt.Sprintf("the true τ⁺ is best: 0.1 is above %g", tauPlus), s.Name, Row{dcl, Ceiling}, Row{DCLAt(tauPlus), Ceiling})
				}
			}
			four := ViewsOf(s.Name, 4)
			add(text, "more positives estimate better: M = 3 is above M = 1", four, Row{DCLWith(TenClasses, 3), Ceiling}, Row{DCLWith(TenClasses, 1), Ceiling})
			add(text, "with 4 views DCL is above ssCL", four, Row{DCLWith(TenClasses, 3), Ceiling}, Row{"ssCL", Ceiling})
			for _, batch := range batchSizes(s) {
				at := BatchesOf(s.Name, batch)
				add(figure, "false negatives cost accuracy whatever the batch: true negatives are above ssCL", at, Row{OracleNegatives, Ceiling}, Row{"ssCL", Ceiling})
				add(text, "the correction gains whatever the batch: DCL is above ssCL", at, Row{dcl, Ceiling}, Row{"ssCL", Ceiling})
			}
			sizes := batchSizes(s)
			add(text, "the more negatives, the more the correction gains", BatchesOf(s.Name, sizes[1]), Row{dcl, Ceiling},
				Row{"ssCL", Ceiling}).Than = BatchesOf(s.Name, sizes[0])
		}
	}
	return list
}
