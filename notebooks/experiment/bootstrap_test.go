package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// The ends of the bootstrap interval are quantiles of the mean over all equally likely resamples: 3³ of three tables,
// times 2² of two settings for each of them. A setting of two runs counts once.
func TestPairedBootstrap(t *testing.T) {
	differences := [3][2][]float64{{{0, 0.2}, {0.3}}, {{-0.4}, {0.7}}, {{1, 1.2}, {0.5}}}
	cells := &Cells{}
	for table, settings := range differences {
		for setting, runs := range settings {
			for seed, difference := range runs {
				for method, value := range map[string]float64{"a": 2 + difference, "b": 2} {
					cells.Standings = append(cells.Standings, Standing{
						Run:   Run{Setting: fmt.Sprintf("%d, %d", table, setting), Method: method, Seed: uint64(seed)},
						State: Done, Result: &Result{Points: []Point{{Values: map[string]float64{"x": value}}}},
					})
				}
			}
		}
	}
	interval := func(tables int) (low, high float64) {
		some := &Cells{slices.DeleteFunc(slices.Clone(cells.Standings), func(s Standing) bool {
			return int(s.Run.Setting[0]-'0') >= tables
		})}
		return some.PairedBootstrap(func(r Run) string { return r.Setting[:1] }, func(r Run) string { return r.Setting },
			Series{"", "a", ""}, Series{"", "b", ""}, func(a, b []Point) (float64, bool) { return a[0].Values["x"] - b[0].Values["x"], true })
	}
	means := [3][2]float64{{0.1, 0.3}, {-0.4, 0.7}, {1.1, 0.5}}
	for _, tables := range []int{2, 3} {
		sums := []float64{0}
		for range tables { // every table drawn, and two settings of it
			var longer []float64
			for _, sum := range sums {
				for _, of := range means[:tables] {
					for pair := range 4 {
						longer = append(longer, sum+(of[pair%2]+of[pair/2])/2/float64(tables))
					}
				}
			}
			sums = longer
		}
		slices.Sort(sums)
		at := func(p float64) float64 { return sums[int(math.Ceil(p*float64(len(sums))))-1] }
		low, high := interval(tables)
		// The resampled quantile is one of the exact values at levels within four standard errors.
		const error = 4 * 0.00156
		expect.That(t, at(0.025-error) <= low+1e-12 && low-1e-12 <= at(0.025+error) &&
			at(0.975-error) <= high+1e-12 && high-1e-12 <= at(0.975+error),
			"%d tables: %g to %g, want %g to %g", tables, low, high, at(0.025), at(0.975))
		again, _ := interval(tables)
		expect.That(t, cmp.Compare(again, low) == 0, "another call returns %g, the first %g", again, low)
	}
	low, high := interval(1)
	expect.That(t, math.IsNaN(low) && math.IsNaN(high), "one table: %g to %g", low, high)
}
