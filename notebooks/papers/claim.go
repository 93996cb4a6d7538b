package papers

import (
	"cmp"
	"math"

	"github.com/puclab/puclab/notebooks/experiment"
)

// Claim is what somebody says about two rows, of one setting or of two. With Than it is one about accuracy and about both rows in either
// setting, without Measure and BelowSetting.
type Claim struct {
	Experiment   string // that it is read from: "table 1", "figure 13"
	Statement    string
	Source       string
	Setting      string // "" for all settings of the grid together
	Above        Row
	Below        Row
	Within       float64 // 0: Above is above Below. Otherwise: the two are less than so many points of accuracy apart
	Less         float64 // with Within 0: Above is above Below less so many points, so that it may be that far below, and above by any lead
	BelowSetting string  // that Below is of; "" means Setting
	Measure      Measure // by which Above is above; "" means accuracy on test images
	BelowMeasure Measure // by which Below is compared; "" means Measure
	Magnitude    bool    // compare how far from 0 both are by their measures
	Than         string  // a setting where Above has less of a lead in accuracy over Below, or with Within as large a one; "" for a claim of one lead
}

// Measure is what a claim compares: accuracy, [Steps], or what was measured by that name at the last point of a head, as
// [ManyAccuracy] or [Uniformity]; see experiment.Point. Within, Less and effects are in hundredths of it.
type Measure string

// Steps is the measure by which Above is above Below where it is sooner as accurate as Below is at its end: see
// [experiment.Cells.Sooner].
const Steps Measure = "steps"

// PriorError is the measure of how far an estimate of the class prior is from it.
const PriorError Measure = "error of the prior"

// of returns what was measured by that name at the last point of a head, or its magnitude.
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

// series returns what the claim compares.
func (c Claim) series() (above, below experiment.Series) {
	return c.Above.in(c.Setting), c.Below.in(cmp.Or(c.BelowSetting, c.Setting))
}

// has reports whether the grid of these cells has runs of both rows, in both settings where it is about two leads.
func (c Claim) has(cells *experiment.Cells) bool {
	above, below := c.series()
	there := len(cells.Runs(above.Setting, above.Method)) > 0 && len(cells.Runs(below.Setting, below.Method)) > 0
	return there && (c.Than == "" || len(cells.Runs(c.Than, above.Method)) > 0 && len(cells.Runs(c.Than, below.Method)) > 0)
}
