package pu

import (
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/evaluate"
)

// P-values are compared with SciPy 1.17 (ttest_rel) and statsmodels (multipletests, method "holm"):
//
//	p = [ttest_rel(m, base).pvalue for m in methods]; multipletests(p, method="holm")[1]
func TestSignificance(t *testing.T) {
	methods := [][]float64{ // accuracies of five seeds, the first method first
		{.90, .91, .89, .92, .90}, {.93, .92, .91, .94, .92}, {.905, .915, .889, .921, .905}, {.90, .93, .88, .90, .91},
		{.80, .84, .82, .83, .81},
	}
	c := &Comparison{Seeds: make([]uint64, 5)}
	for _, accuracies := range methods {
		var r MethodResult
		for _, a := range accuracies {
			r.Scores = append(r.Scores, evaluate.Binary{Confusion: evaluate.Confusion{
				TruePositive: int(math.Round(1000 * a)), FalsePositive: 1000 - int(math.Round(1000*a)),
			}})
		}
		c.Methods = append(c.Methods, r)
	}
	expect.NoError(t, c.summarize())
	c.test()
	p := []float64{math.NaN(), 0.0031982021523353187, 0.07667814018767839, 1, 0.0001510114022217988}
	holm := []float64{math.NaN(), 0.009594606457005956, 0.15335628037535678, 1, 0.0006040456088871952}
	for i, m := range c.Methods[1:] {
		expect.Near(t, m.P, p[i+1], 1e-12, "method %d", i+1)
		expect.Near(t, m.Holm, holm[i+1], 1e-12, "method %d", i+1)
	}
	expect.That(t, math.IsNaN(c.Methods[0].P) && math.IsNaN(c.Methods[0].Holm), "the first method has a p-value")
	for i := range c.Methods {
		c.Methods[i].Scores = c.Methods[i].Scores[:1]
	}
	expect.NoError(t, c.summarize())
	c.test()
	expect.That(t, math.IsNaN(c.Methods[2].Holm), "one seed has the p-value %g", c.Methods[2].Holm)
}
