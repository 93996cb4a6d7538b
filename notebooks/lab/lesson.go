package lab

import (
	"strings"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/claims"
	"github.com/puclab/puclab/viz"
)

// Caption writes a sentence below a figure or a table.
func Caption(text string) { Check(viz.ShowMarkdown("*" + text + "*")) }

// Dial shows curves over an adjustable parameter, in a flat figure with its caption below. Alt describes the figure in
// words.
func Dial(config viz.CurvesConfig, alt, caption string, curves ...viz.Curve) {
	if config.Height == 0 {
		config.Height = 2.9 * viz.Inch
	}
	Check(viz.Show(Must(viz.LearningCurves(config, curves...)), alt))
	Caption(caption)
}

// Verdict checks a claim, on eng if the claim needs an engine. It shows the verdict, its reason, and the measured
// numbers whose names contain one of the words. It returns the checked claim.
func Verdict(eng *engine.Engine, c claims.Claim, words ...string) claims.Claim {
	c = Must(c.Check(eng))
	report := c.Report(words...)
	if len(words) == 0 {
		report, _, _ = strings.Cut(report, "\n\n") // without the table of all numbers
	}
	Check(viz.ShowMarkdown(report))
	return c
}

// Axes returns the configuration of [Dial]'s plot: axis labels and horizontal reference lines.
func Axes(x, y string, references ...viz.Reference) viz.CurvesConfig {
	return viz.CurvesConfig{Figure: viz.Figure{XLabel: x, YLabel: y}, References: references}
}
