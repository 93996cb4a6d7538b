package papers

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// missing returns the runs of a grid, none of them done.
func missing(t *testing.T, name string, size experiment.Size) *experiment.Cells {
	t.Helper()
	grid := expect.Must(Find(name, size))(t)
	cells := &experiment.Cells{}
	for _, run := range grid.Runs {
		cells.Standings = append(cells.Standings, experiment.Standing{Run: run, State: experiment.Missing})
	}
	return cells
}

// Every claim occurs once, about runs of its grid at size laptop or paper, and about stored heads or values.
func TestClaimsHaveRuns(t *testing.T) {
	figures := map[string]bool{openWorldGrid: true} // both sizes are published
	for _, of := range claimedByFigures() {
		figures[of.grid] = true
	}
	for _, of := range claimed() {
		at, some, seen := map[experiment.Size]int{}, map[int]bool{}, map[Claim]bool{}
		for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
			cells := missing(t, of.grid, size)
			for i, c := range of.list {
				seen[c] = true
				if !c.has(cells) {
					continue
				}
				at[size]++
				some[i] = true
				above, below := c.series()
				for k, s := range []experiment.Series{above, below} {
					measure := []Measure{c.Measure, cmp.Or(c.BelowMeasure, c.Measure)}[k]
					run := cells.Runs(s.Setting, s.Method)[0].Run
					kept := keeps(of.grid, figures[of.grid], run, s.Head, measure)
					expect.That(t, c.Statement != "" && c.Source != "" && kept, "%s: no head or value: %+v", of.grid, c)
				}
			}
		}
		n, both := len(of.list), at[experiment.Laptop] > 0 && at[experiment.Paper] > 0
		expect.That(t, n > 0 && len(some) == n && len(seen) == n && (both || !figures[of.grid]),
			"%s: of %d claims, %d of them different, %d have runs: %v", of.grid, n, len(seen), len(some), at)
	}
}

// keeps reports whether a run of a grid stores a head's judgements, or a value.
func keeps(grid string, figure bool, run experiment.Run, head string, measure Measure) bool {
	values := []Measure{Alignment, Uniformity, PlainBias, CorrectedBias, PlainDeviation, CorrectedDeviation}
	ofTen := grid == samplingBias || grid == geometry
	var heads []string
	switch config := run.Config.(type) {
	case Contrastive:
		if heads = config.Heads; heads == nil {
			heads = Heads()
		}
		if config.Neighbors > 0 {
			heads = append(slices.Clone(heads), Neighbors)
		}
	case Baseline:
		heads = []string{""}
	default:
		heads = []string{Neighbors, Ceiling} // of watched runs and of ten classes
	}
	switch {
	case ofTen && measure != "":
		return head == "" && slices.Contains(values, measure)
	case grid == openWorldGrid:
		return slices.Contains([]string{LinearSeparability, FewShots}, head) && slices.Contains(Measures(), measure)
	case grid == inThePlane:
		linear := append(Heads(), "nnPU, prior 20% too low", "nnPU, prior 20% too high")
		return slices.Contains(map[string][]string{"PUCL": Heads(), NetworkNNPU: {""}, linearMethod: linear}[run.Method], head)
	}
	return !figure && !ofTen || slices.Contains(heads, head)
}

// The laptop runs of the three figures: ssCL once for all shares, and only shared runs for figure 9.
func TestRunsOfFigures(t *testing.T) {
	for name, want := range map[string]map[string]int{
		figure1: {"ssCL": 3, "SCL-PU": 15, "PUCL": 15},
		figure9: {"ssCL": 3 + 10, "SCL-PU": 15 + 10, "PUCL": 15 + 10},
		figure10: {"ssCL": 3, "SCL-PU": 15, "PUCL": 15, "MCL, λ = 0.25": 9, "MCL, λ = 0.5": 9, "MCL, λ = 0.75": 9, "DCL, τ⁺ = 0.1": 3,
			"DCL, τ⁺ = 0.3": 3, "DCL, τ⁺ = 0.5": 3, "DCL, τ⁺ = 0.7": 3, "DCL, τ⁺ = 0.9": 3},
	} {
		grid := expect.Must(Find(name, experiment.Laptop))(t)
		got := map[string]int{}
		for _, run := range grid.Runs {
			got[run.Method]++
		}
		for method, n := range want {
			expect.That(t, got[method] == n, "%s: %d runs of %s, want %d", name, got[method], method, n)
		}
		expect.That(t, len(got) == len(want), "%s: methods %v", name, got)
	}
}

// Every setting leaves a positive image unlabeled, and its true share equals the share in the name, except for rounding
// and a lack of positives.
func TestShares(t *testing.T) {
	for _, size := range sizes {
		list := expect.Must(supervised(size))(t)
		dogs := expect.Must(overShares(paperDogsAndCats(), "CIFAR-0", dogShares))(t)
		for _, s := range append(list, dogs...) {
			positives, all := s.Data.counts(s.benchmark)
			share := float64(s.Data.Labeled) / (0.9 * all)
			named := math.NaN()
			for _, x := range append(append(Shares(), 0), dogShares...) {
				if strings.HasSuffix(s.Name, ShareAt("", x)) {
					named = x
				}
			}
			if off := share - named; !(math.Abs(off) < 1e-4 || named == 0.5 && off < 0 && off > -0.02) || float64(s.Data.Labeled) > 0.991*0.9*positives {
				t.Errorf("%s: %s labels %d of %g, %g of them positive", size, s.Name, s.Data.Labeled, 0.9*all, 0.9*positives)
			}
			expect.That(t, s.Data.Single && s.Batch.Share == 0, "%s: %+v, %+v", s.Name, s.Data, s.Batch)
		}
	}
}

// The data of size smoke are available at each share of labels: the images of six classes, of which half are positive.
func TestSingleData(t *testing.T) {
	list := expect.Must(supervised(experiment.Smoke))(t)
	for _, s := range list {
		o := expect.Must(s.Data.open(1))(t)
		labeled, positive, n := 0, 0, o.train.images.Len()
		for i, l := range o.train.Labeled {
			if o.train.Positive[i] {
				positive++
			}
			if l {
				labeled++
				expect.Require(t, o.train.Positive[i], "%s: example %d is labeled and negative", s.Name, i)
			}
		}
		if labeled != s.Data.Labeled || len(o.train.Labeled) != 6*720 || len(o.truth) != 6*200 || n != 7200 || positive != len(o.train.Labeled)/2 {
			t.Errorf("%s: %d of %d examples of %d images are labeled, want %d; %d are positive, and of %d test images some", s.Name, labeled,
				len(o.train.Labeled), n, s.Data.Labeled, positive, len(o.truth))
		}
		expect.NoError(t, o.close())
	}
}

// watchedCells returns two seeds of PUCL in two settings, evaluated twice, and one seed of ssCL.
func watchedCells() *experiment.Cells {
	cells := &experiment.Cells{}
	add := func(method, setting string, seed uint64, right ...int) {
		result := &experiment.Result{Seconds: 120 * float64(seed)}
		for i, right := range right {
			test := evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: right, FalseNegative: 100 - right}}
			result.Points = append(result.Points, experiment.Point{Head: Neighbors, Step: 10 * (i + 1), Test: &test},
				experiment.Point{Step: 10 * (i + 1), Values: map[string]float64{Alignment: float64(right) / 100, Uniformity: -float64(i)}})
		}
		cells.Standings = append(cells.Standings, experiment.Standing{
			Run: experiment.Run{Setting: setting, Method: method, Seed: seed}, State: experiment.Done, Result: result})
	}
	add("PUCL", ShareAt("T", 0.1), 1, 80, 90)
	add("PUCL", ShareAt("T", 0.1), 2, 82, 96)
	add("PUCL", ShareAt("T", 0.5), 1, 70, 97)
	add("PUCL", ShareAt("T", 0.5), 2, 74, 99)
	add("ssCL", ShareAt("T", 0), 1, 60, 90)
	return cells
}

// Means and intervals are over seeds, ± 12.706·s/√2, and a series of one seed is omitted; names contain the differing
// part.
func TestCurvesOfFigures(t *testing.T) {
	cells := watchedCells()
	few, many, none := experiment.Series{Setting: ShareAt("T", 0.1), Method: "PUCL", Head: Neighbors},
		experiment.Series{Setting: ShareAt("T", 0.5), Method: "PUCL", Head: Neighbors},
		experiment.Series{Setting: ShareAt("T", 0), Method: "ssCL", Head: Neighbors}
	curves := CurvesOverSteps(cells, few, many, none)
	expect.That(t, len(curves) == 2 && curves[0].Name == "PUCL, 0.1 of all labeled" &&
		slices.Equal(curves[1].X, []float64{10, 20}) && math.Abs(curves[1].Y[0]-72) <= 1e-9 &&
		math.Abs(curves[1].High[0]-72-12.7062*2) <= 1e-3, "%+v", curves)
	if curves := CurvesOverSteps(cells, few); len(curves) != 1 || curves[0].Name != "PUCL" {
		t.Errorf("%+v", curves)
	}
	if over := CurvesOverMinutes(cells, few, none); len(over) != 1 || over[0].Name != "PUCL, "+Neighbors || !slices.Equal(over[0].X, []float64{1, 2}) ||
		!slices.Equal(over[0].Y, CurvesOverSteps(cells, few)[0].Y) {
		t.Errorf("%+v", over)
	}
	holds(t, DrawCompute(cells, few, none, experiment.Series{Setting: "U", Method: "PUCL"}), "PUCL, "+Neighbors, "2.0", "93.0 ± 38.1")
	// The first ends after a third of the steps.
	first, second := Row{crossFitMethod, FirstTime}, Row{crossFitMethod, SecondTime}
	test := evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: 9, FalseNegative: 1}}
	whole := &experiment.Cells{Standings: []experiment.Standing{{Run: experiment.Run{Setting: "S", Method: crossFitMethod}, State: experiment.Done,
		Result: &experiment.Result{Seconds: 180, Points: []experiment.Point{{Head: FirstTime, Step: 10, Test: &test}, {Head: SecondTime, Step: 30, Test: &test}}}}}}
	minutes := DrawCompute(whole, first.in("S"), second.in("S"))
	holds(t, minutes, first.String(), "1.0")
	holds(t, minutes, second.String(), "3.0")
	paths := PathsOverSteps(cells, few, none)
	if len(paths) != 1 || paths[0].Name != "PUCL, 0.1 of all labeled" || math.Abs(paths[0].Alignment[1]-0.93) > 1e-9 || paths[0].Uniformity[1] != -1 || paths[0].Steps[1] != 20 {
		t.Errorf("%+v", paths)
	}
	if over := CurvesOverShares(cells, "T", Neighbors); len(over) != 1 || over[0].Name != "PUCL" || !slices.Equal(over[0].X, []float64{0.1, 0.5}) ||
		math.Abs(over[0].Y[0]-93) > 1e-9 {
		t.Errorf("%+v", over)
	}
	for name, accuracies := range map[string][]viz.Curve{"steps": curves, "shares": CurvesOverShares(cells, "T", Neighbors)} {
		if p, err := viz.LearningCurves(viz.CurvesConfig{}, accuracies...); err != nil || p.Y.Max != 100 {
			t.Errorf("%v; over %s the axis of accuracies goes on beyond 100, though 93.0 ± 38.1 is none", err, name)
		}
	}
	if p, err := viz.LearningCurves(viz.CurvesConfig{}, ValuesOverSteps(cells, Uniformity, few)...); err != nil || p.Y.Min >= -1 {
		t.Errorf("%v; the axis of uniformity, which goes down to −1, begins above", err)
	}
	table := DrawCurves("title", "step", curves)
	holds(t, table, "10", "81.0 ± 12.7", "72.0 ± 25.4")
	holds(t, table, "20", "93.0 ± 38.1", "98.0 ± 12.7")
	text := DrawCurves("values", "step", ValuesOverSteps(cells, Alignment, few))
	expect.That(t, text.Decimals == 3, "%d decimals", text.Decimals)
	holds(t, DrawCurves("published", "n_P", PublishedOverLabels()), "20000", "96.31", "95.50", "95.67")
	holds(t, DrawSooner(cells, none, few), "PUCL, 0.1 of all labeled", "93.0 ± 38.1", "0.0")
}

// A path belongs to one series. The first of two has no uniformity, and the second none at its first step: the second
// has its own path, from its second step on.
func TestPathsOfSeriesThatLackValues(t *testing.T) {
	cells := watchedCells()
	few, many := experiment.Series{Setting: ShareAt("T", 0.1), Method: "PUCL"}, experiment.Series{Setting: ShareAt("T", 0.5), Method: "PUCL"}
	for _, s := range cells.Standings {
		for _, p := range s.Result.Points {
			if s.Run.Setting == few.Setting || p.Step == 10 {
				delete(p.Values, Uniformity)
			}
		}
	}
	paths := PathsOverSteps(cells, few, many)
	if len(paths) != 1 || paths[0].Name != "PUCL, 0.5 of all labeled" || !slices.Equal(paths[0].Steps, []float64{20}) ||
		len(paths[0].Alignment) != 1 || math.Abs(paths[0].Alignment[0]-0.98) > 1e-9 || !slices.Equal(paths[0].Uniformity, []float64{-1}) {
		t.Errorf("%+v", paths)
	}
}

// The published numbers of a figure are percentages, one for each of its levels.
func TestPublishedOfFigures(t *testing.T) {
	for _, list := range [][]viz.Curve{PublishedOverShares(), PublishedOverLabels(), {PublishedOverTauPlus()}} {
		for _, c := range list {
			expect.That(t, len(c.X) == len(c.Y) && len(c.X) == len(list[0].X) && slices.IsSorted(c.X) &&
				slices.Min(c.Y) >= 50 && slices.Max(c.Y) <= 100, "%+v", c)
		}
	}
	expect.Equal(t, Task(watchedCells()), "T", "task")
}

// The claims of figures have the rows of both settings, and claims about steps are marked.
func TestDrawVerdicts(t *testing.T) {
	grid := expect.Must(Find(figure1, experiment.Laptop))(t)
	cells := &experiment.Cells{}
	for _, run := range grid.Runs {
		s := experiment.Standing{Run: run, State: experiment.Missing}
		if run.Seed < 3 && (run.Method == "ssCL" || run.Setting == ShareAt("FMNIST look-alikes", 0.5)) {
			points := watchedCells().Standings[run.Seed+1].Result.Points // PUCL with many labels
			if run.Method == "ssCL" {
				points = watchedCells().Standings[run.Seed-1].Result.Points // like PUCL with few labels
			}
			s.State, s.Result = experiment.Done, &experiment.Result{Points: points}
		}
		cells.Standings = append(cells.Standings, s)
	}
	table := DrawVerdicts(verdictsOf(figure1, cells), figure1, "figure 1")
	expect.That(t, len(table.Rows) == len(claimsSupervision())/2-len(Shares()) &&
		strings.Contains(table.Note, "in percent of all steps"), "%d rows; %s", len(table.Rows), table.Note)
	holds(t, table, "FMNIST look-alikes, 0.5 of all labeled: labels help", "98.00 ± 12.71", "93.00 ± 38.12", "5.00 ± 25.41", "inconclusive")
	holds(t, table, "FMNIST look-alikes, 0.01 of all labeled: labels help", "n/a", "93.00 ± 38.12", "not run")
	holds(t, table, "FMNIST look-alikes, 0.5 of all labeled: PUCL is sooner", "0.0", "inconclusive")
}
