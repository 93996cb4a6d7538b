package lab_test

import (
	"github.com/puclab/puclab/notebooks/lab"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/claims"
	"github.com/puclab/puclab/viz"
)

// A claim with two measured numbers: without words no number is shown; with words only the matching ones.
func ExampleVerdict() {
	claim := claims.New(claims.Claim{ID: "two-by-two"}, func(*engine.Engine) (claims.Finding, error) {
		return claims.Finding{Verdict: claims.Holds, Sentence: "2·2 is 4.", Measured: []claims.Measurement{
			{Name: "product", Value: theory.Exactly(4)}, {Name: "sum", Value: theory.Exactly(4)}}}, nil
	})
	lab.Verdict(nil, claim)
	lab.Verdict(nil, claim, "product")
	// Output:
	// **two-by-two: holds.** 2·2 is 4.
	// **two-by-two: holds.** 2·2 is 4.
	//
	// | measured | |
	// | :--- | ---: |
	// | product | 4 |
}

// The caption is below the figure. Outside a notebook only the alternative text of the figure is printed.
func ExampleDial() {
	lab.Dial(lab.Axes("x", "y", viz.Reference{Name: "one", Y: 1}), "A line rises from 0 to 2.", "It passes 1 at x = 1.",
		viz.CurveOf("2x", []float64{0, 1}, func(x float64) float64 { return 2 * x }))
	// Output:
	// Figure: A line rises from 0 to 2.
	// (To see it, run this in a GoNB notebook, or write it to a file: viz.Save(figure, "figure.png", 0, 0).)
	// *It passes 1 at x = 1.*
}
