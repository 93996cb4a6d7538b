package lab

import (
	"strings"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/claims"
	"github.com/puclab/puclab/viz"
)

// Caption writes a sentence below a figure or a table.
func Caption(text string) { Check(viz.ShowMarkdown("*" + text + "*")) }

// Dial shows curves over what a reader turns, in a flat figure with its caption below. Alt says in words what there is to see.
func Dial(config viz.CurvesConfig, alt, caption string, curves ...viz.Curve) {
	if config.Height == 0 {
		config.Height = 2.9 * viz.Inch
	}
	Check(viz.Show(Must(viz.LearningCurves(config, curves...)), alt))
	Caption(caption)
}

// Verdict checks a claim, on an engine where it needs one, and shows the verdict with its reason, and those measured numbers whose
// names hold one of the words. It returns the claim as checked.
func Verdict(eng *engine.Engine, c claims.Claim, words ...string) claims.Claim {
	c = Must(c.Check(eng))
	report := c.Report(words...)
	if len(words) == 0 {
		report, _, _ = strings.Cut(report, "\n\n") // without the table, which would be of all numbers
	}
	Check(viz.ShowMarkdown(report))
	return c
}

// Axes returns what [Dial] draws into: a plane with the given labels and horizontal lines to compare with.
func Axes(x, y string, references ...viz.Reference) viz.CurvesConfig {
	return viz.CurvesConfig{Figure: viz.Figure{XLabel: x, YLabel: y}, References: references}
}
