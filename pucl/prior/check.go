package prior

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/rows"
)

// fewest is the smallest number of labeled and of unlabeled examples.
const fewest = 10

// count returns the numbers of labeled and of unlabeled examples, or an error if these are too few.
func count(labeled []bool) (positives, unlabeled int, err error) {
	for _, l := range labeled {
		if l {
			positives++
		}
	}
	unlabeled = len(labeled) - positives
	return positives, unlabeled, cmp.Or(
		fault.If(len(labeled) == 0, "prior: no examples; give scores or rows, and which of them are labeled positives"),
		fault.If(positives == 0, "prior: none of %d examples is a labeled positive; mark in labeled those that are", len(labeled)),
		fault.If(unlabeled == 0, "prior: all of %d examples are labeled positives; add the unlabeled ones whose prior is asked for",
			len(labeled)),
		fault.If(min(positives, unlabeled) < fewest, "prior: %d labeled positives and %d unlabeled examples tell nothing; give at least %d "+
			"of both", positives, unlabeled, fewest),
	)
}

// checkScores returns an error if the scores do not allow an estimate.
func checkScores(scores []float64, labeled []bool) error {
	if len(scores) != len(labeled) {
		return fmt.Errorf("prior: %d scores and %d entries in labeled; give one for each, in the same order", len(scores), len(labeled))
	}
	if _, _, err := count(labeled); err != nil {
		return err
	}
	for i, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return fmt.Errorf("prior: score %d is %g; scores must be finite: did the classifier diverge?", i, s)
		}
	}
	low, high := floats.Min(scores), floats.Max(scores)
	return cmp.Or(
		fault.If(rows.Constant(scores),
			"prior: all scores are %g, so that nothing tells labeled from unlabeled examples; train the classifier, or "+
				"give it features that differ", scores[0]),
		fault.If(!(high-low > 1e-100 && high-low < 1e100), "prior: scores from %g to %g, which cannot be computed with; give logits", low, high),
	)
}

// checkRows returns an error if the rows of x do not allow an estimate.
func checkRows(x *mat.Dense, labeled []bool) error {
	_, _, err := rows.Check(x, len(labeled), "entries in labeled")
	if err == nil {
		err = rows.CheckFinite(x)
	}
	if err == nil {
		err = rows.CheckSpread(x)
	}
	if err != nil {
		return fmt.Errorf("prior: %w", err)
	}
	_, _, err = count(labeled)
	return err
}
