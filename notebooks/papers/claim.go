package papers

import (
	"cmp"
	"math"

	"github.com/puclab/puclab/notebooks/experiment"
)

// Claim is a statement about two rows, in one setting or in two. With Than it compares their accuracies in both
// settings, without Measure and BelowSetting.
type Claim struct {
	Experiment string // of the source: "table 1", "figure 13"
	Statement  string
	Source     string
	Setting    string // "" for all settings of the grid together
	Above      Row
	Below      Row
	Within     float64 // 0: Above is above Below. Otherwise: they differ by less than this many points of accuracy
	// Less, with Within 0, means that Above is above Below minus this many points, so it may be this far below, and
	// above by any lead.
	Less         float64
	BelowSetting string  // of Below; "" means Setting
	Measure      Measure // for which Above is above; "" means accuracy on test images
	BelowMeasure Measure // of Below; "" means Measure
	Magnitude    bool    // compare absolute values of the measures
	// Than is a setting where Above leads Below by less accuracy, or with Within by the same; "" for a claim about one
	// lead.
	Than string
}

// Measure is the quantity of a claim: accuracy, [Steps], or the value of that name at the last point of a head, such as
// [ManyAccuracy] or [Uniformity]; see experiment.Point. Within, Less and effects are in hundredths of it.
type Measure string

// Steps is the measure for which Above is above Below if it reaches Below's final accuracy in fewer steps: see
// [experiment.Cells.Sooner].
const Steps Measure = "steps"

// PriorError is the measure |estimated class prior − true class prior|.
const PriorError Measure = "error of the prior"

// of returns the value of that name at the last point of a head, or its magnitude.
func (m Measure) of(points []experiment.Point, head string, magnitude bool) (float64, bool) {
	values := experiment.LastPoint(points, head).Values
	value, ok := values[string(m)]
	if m == PriorError {
		value, ok = values[EstimatedPrior]
		value = math.Abs(value - values[TruePrior])
	}
	if magnitude {
		value = math.Abs(value)
	}
	return value, ok
}

// series returns the two series that the claim compares.
func (c Claim) series() (above, below experiment.Series) {
	return c.Above.in(c.Setting), c.Below.in(cmp.Or(c.BelowSetting, c.Setting))
}

// has reports whether the grid of these cells has runs of both rows, in both settings if the claim is about two leads.
func (c Claim) has(cells *experiment.Cells) bool {
	above, below := c.series()
	there := len(cells.Runs(above.Setting, above.Method)) > 0 && len(cells.Runs(below.Setting, below.Method)) > 0
	return there && (c.Than == "" || len(cells.Runs(c.Than, above.Method)) > 0 && len(cells.Runs(c.Than, below.Method)) > 0)
}
