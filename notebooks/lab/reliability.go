package lab

import (
	"fmt"

	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// ReliabilityCurve returns a curve for [viz.Reliability]. Its name includes its calibration error; its bins have
// intervals of about 95%. Probabilities gives the histogram; nil means none.
func ReliabilityCurve(name string, r evaluate.Reliability, probabilities []float64) viz.ReliabilityCurve {
	curve := viz.ReliabilityCurve{Name: fmt.Sprintf("%s: %.3f", name, r.CalibrationError()), Probabilities: probabilities}
	for _, b := range r {
		half := 1.96 * b.Error
		curve.Bins = append(curve.Bins, viz.ReliabilityBin{Mean: b.Mean, Positive: b.Positive, Low: max(b.Positive-half, 0), High: b.Positive + half})
	}
	return curve
}
