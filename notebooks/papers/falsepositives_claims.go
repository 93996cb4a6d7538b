package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/viz"
)

// The experiment names of claims about false positives.
const (
	experimentCircle = "artificial experiment"
	experimentPairs  = "classification with false positives"
)

// claimsRecovery returns the questions of the slides about the artificial experiment. A smaller distance from p⁺ is
// better, so the row above recovers less.
func claimsRecovery() (list []Claim) {
	const source = "slides on distribution bias, artificial experiment"
	for _, rate := range RecoveryRates()[1:] {
		add := func(statement string, above, below Row, within float64) {
			list = append(list, Claim{Experiment: experimentCircle, Statement: statement, Source: source, Setting: OnCircle(rate),
				Above: above, Below: below, Measure: Variation, Within: within})
		}
		raw := Row{NPair, AsTrained}
		add("L_Pos recovers p⁺ better than N-pair does, told the rate and over all rows", raw, Row{LPosRate, AsTrained}, 0)
		add("L_Pos recovers p⁺ better than N-pair does, told the rate and with the observed positive for the mixture", raw, Row{LPosPairs, AsTrained}, 0)
		add("p⁺ = (p − τ⁻p⁻)/τ⁺ applied to what N-pair recovers does as well as L_Pos over all rows: within 5 points", Row{NPair, Corrected},
			Row{LPosRate, AsTrained}, 5)
	}
	return list
}

// claimsFalsePositives returns the expectations of the slides about classification.
func claimsFalsePositives() (list []Claim) {
	const source = "slides on distribution bias, classification"
	for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
		task := FalsePositiveTask(size)
		for _, rate := range FalsePositiveRates() {
			at := FalsePositivesAt(task, rate)
			add := func(statement, above, below string, measure Measure) {
				list = append(list, Claim{Experiment: experimentPairs, Statement: statement, Source: source, Setting: at,
					Above: Row{above, Ceiling}, Below: Row{below, Ceiling}, Measure: measure})
			}
			add("L_Pos is above N-pair, τ⁺ the share of a class", LPosShare, NPair, "")
			if rate == 0 {
				continue
			}
			add("L_Pos is above N-pair, told the rate and over all rows", LPosRate, NPair, "")
			add("L_Pos is above N-pair, told the rate and with the observed positive for the mixture", LPosPairs, NPair, "")
			add("positives are what needs correcting: L_Pos, told the rate, is above L_Neg", LPosRate, LNeg, "")
			for _, k := range TopKs() {
				add(fmt.Sprintf("L_Pos is above N-pair by %s, told the rate and over all rows", Top(k)), LPosRate, NPair, Top(k))
			}
		}
	}
	return list
}

// CurvesOfRecovery returns p⁺ over the angle from an anchor and the distribution recovered by a head of each method,
// with 95% intervals over seeds.
func CurvesOfRecovery(cells *experiment.Cells, rate float64, head string) (curves []viz.Curve) {
	truth := viz.Curve{Name: "p⁺, true"}
	for k, p := range (Circle{Concentration: circleConcentration}).World().Positive {
		truth.Add(AngleOf(k), p)
	}
	curves = append(curves, truth)
	for _, method := range RecoveryMethods() {
		curve := viz.Curve{Name: method}
		for k := range Places() {
			addSummary(&curve, AngleOf(k), cells.Value(OnCircle(rate), method, head, string(ProbabilityAt(k))), 1)
		}
		if len(curve.X) > 0 {
			curves = append(curves, curve)
		}
	}
	return curves
}

// VariationOverRates returns the total variation between the distribution that a head of each method recovers and p⁺,
// over ρ.
func VariationOverRates(cells *experiment.Cells, head string) (curves []viz.Curve) {
	for _, method := range RecoveryMethods() {
		curve := viz.Curve{Name: method}
		for _, rate := range RecoveryRates() {
			addSummary(&curve, rate, cells.Value(OnCircle(rate), method, head, string(Variation)), 1)
		}
		if len(curve.X) > 0 {
			curves = append(curves, curve)
		}
	}
	return curves
}

// ExactVariation returns the same for scores that minimize the losses with n negatives, for an encoder without
// constraints on scores. It also has L̃_Pos with expectations inside the logarithm and scores between e^(−1/τ) and
// e^(1/τ).
func ExactVariation(n float64, rates []float64) (curves []viz.Curve, err error) {
	for _, m := range []struct {
		name string
		of   func(theory.FalsePositives) ([]float64, error)
	}{
		{NPair, func(w theory.FalsePositives) ([]float64, error) { return w.Recovered(theory.AsObserved, n) }},
		{LPosPairs, func(w theory.FalsePositives) ([]float64, error) { return w.Recovered(theory.Subtracted, n) }},
		{LPosRate, func(w theory.FalsePositives) ([]float64, error) { return w.Recovered(theory.Mixed, n) }},
		{"L_Pos, mean inside", func(w theory.FalsePositives) ([]float64, error) { return w.ThresholdRule(boundedScores) }},
	} {
		curve := viz.Curve{Name: m.name}
		for _, rate := range rates {
			w := Circle{Concentration: circleConcentration, Rate: rate}.World()
			q, err := m.of(w)
			if err != nil {
				return nil, err
			}
			distance, err := theory.TotalVariation(w.Positive, q)
			if err != nil {
				return nil, err
			}
			curve.Add(rate, distance)
		}
		curves = append(curves, curve)
	}
	return curves, nil
}

// TableOfTopK shows accuracy and top-k of all methods at that rate of false positives.
func TableOfTopK(cells *experiment.Cells, task string, rate float64) viz.Table {
	out := viz.Table{Title: FalsePositivesAt(task, rate), RowsHeader: "method", Columns: []string{"Acc = top-1"},
		Note: fmt.Sprintf("%% of test images, linear probe at the end of the run, mean ± 95%% interval over seeds. The whole grid: %s.", cells)}
	for _, k := range TopKs() {
		out.Columns = append(out.Columns, string(Top(k)))
	}
	setting := FalsePositivesAt(task, rate)
	for _, r := range readings(rate, 128) {
		line := []viz.Cell{Percent(cells.At(setting, r.method, Ceiling, experiment.Last).Accuracy)}
		for _, k := range TopKs() {
			line = append(line, Percent(cells.Value(setting, r.method, Ceiling, string(Top(k)))))
		}
		out.Add(r.method, line)
	}
	return out
}

// SweepOfFalsePositives is the accuracy over ρ.
func SweepOfFalsePositives(task string) Sweep {
	s := Sweep{Title: task + ", ten classes", XLabel: "ρ, share of false positives", X: FalsePositiveRates(), Grid: debiasedPos,
		Setting: func(x float64) string { return FalsePositivesAt(task, x) }}
	for _, method := range []string{NPair, LNeg, LPosRate, LPosShare, LPosPairs, LPosClasses} {
		s.Rows = append(s.Rows, Row{method, Ceiling})
	}
	return s
}
