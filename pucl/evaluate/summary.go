package evaluate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Summary is a result over several runs that differ only in the seed.
type Summary struct {
	Mean       float64
	StdDev     float64 // of one run, with n − 1 in the denominator; NaN for one seed
	HalfWidth  float64 // of the interval Mean ± HalfWidth; NaN for one seed
	Confidence float64 // confidence level of the interval for the mean over all seeds
	Seeds      int     // runs
}

// Summarize returns the mean of values, one per seed, and Student's t interval for the mean over all seeds:
//
//	mean ± t(n−1, (1+confidence)/2) · s/√n
//
// With five seeds and 95% the half-width is 1.24 standard deviations; the common 1.96/√n covers only 88%. One value has
// no interval; String states that. A confidence of 0 means 0.95.
//
// It is an error if there are no values, if one is NaN or infinite, or if confidence is not between 0 and 1.
//
// Source: Student, "The probable error of a mean" (1908).
func Summarize(values []float64, confidence float64) (Summary, error) {
	if confidence = cmp.Or(confidence, 0.95); !(confidence > 0 && (1+confidence)/2 < 1) {
		return Summary{}, fmt.Errorf("evaluate: confidence %g; it must be between 0 and 1, such as 0.95", confidence)
	}
	if len(values) == 0 {
		return Summary{}, errors.New("evaluate: no results to summarize; at least one seed is needed")
	}
	for i, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return Summary{}, fmt.Errorf("evaluate: the result of run %d is %g; a mean over seeds needs numbers", i+1, x)
		}
	}
	n := float64(len(values))
	s := Summary{Mean: values[0], StdDev: math.NaN(), HalfWidth: math.NaN(), Confidence: confidence, Seeds: len(values)}
	if len(values) > 1 {
		s.Mean, s.StdDev = stat.MeanStdDev(values, nil)
		s.HalfWidth = distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+confidence)/2) * s.StdDev / math.Sqrt(n)
	}
	return s, nil
}

// Interval returns the ends of the interval; both are NaN for one seed.
func (s Summary) Interval() (low, high float64) { return s.Mean - s.HalfWidth, s.Mean + s.HalfWidth }

// String returns mean and half-width to four digits, for example "0.9132 ± 0.0041 (95% interval, 5 seeds)".
func (s Summary) String() string { return s.text(1, "") }

// Percent returns String for shares, in percent: "91.32 ± 0.41% (95% interval, 5 seeds)".
func (s Summary) Percent() string { return s.text(100, "%") }

func (s Summary) text(scale float64, unit string) string {
	digits := map[float64]int{1: 4, 100: 2}[scale]
	if s.Seeds < 2 {
		return fmt.Sprintf("%.*f%s (one seed, no interval)", digits, scale*s.Mean, unit)
	}
	return fmt.Sprintf("%.*f ± %.*f%s (%g%% interval, %d seeds)", digits, scale*s.Mean, digits, scale*s.HalfWidth, unit,
		100*s.Confidence, s.Seeds)
}

// SelectionSummary is the summary over seeds by each rule of epoch selection.
type SelectionSummary struct {
	Last             Summary
	WithoutNegatives Summary
	Oracle           Summary

	Degenerate [3]int // number of runs with a degenerate classifier, by Choice
}

// SummarizeSelections summarizes the test results of runs, one per seed, by each rule; confidence is as for
// [Summarize].
func SummarizeSelections(runs []Selection, confidence float64) (SelectionSummary, error) {
	var out SelectionSummary
	for choice, to := range []*Summary{&out.Last, &out.WithoutNegatives, &out.Oracle} {
		values := make([]float64, len(runs))
		for i, run := range runs {
			e := run.all()[choice]
			if values[i] = e.Test; e.Degenerate {
				out.Degenerate[choice]++
			}
		}
		var err error
		if *to, err = Summarize(values, confidence); err != nil {
			return SelectionSummary{}, err
		}
	}
	return out, nil
}

// String returns one line for each rule, in percent, with the number of degenerate runs.
func (s SelectionSummary) String() string {
	var lines []string
	for choice, summary := range []Summary{s.Last, s.WithoutNegatives, s.Oracle} {
		line := fmt.Sprintf("%s: %s", Choice(choice), summary.Percent())
		if d := s.Degenerate[choice]; d > 0 {
			line += fmt.Sprintf("; degenerate in %d of %d runs", d, summary.Seeds)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
