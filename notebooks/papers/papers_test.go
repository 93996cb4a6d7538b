package papers

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/naming"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
)

var sizes = []experiment.Size{experiment.Smoke, experiment.Laptop, experiment.Paper}

// Every grid exists at every size, and a run in two grids is one run.
func TestGrids(t *testing.T) {
	expect.Slow(t)
	for _, size := range sizes {
		identities := map[string]experiment.Identity{}
		for _, name := range Names() {
			grid := expect.Must(Find(name, size))(t)
			expect.That(t, grid.Name == name && grid.Size == size && len(grid.Runs) != 0,
				"%s at %s: grid %s at %s of %d runs", name, size, grid.Name, grid.Size, len(grid.Runs))
			expect.NoError(t, grid.Check())
			for _, run := range grid.Runs {
				identity := expect.Must(run.Identity())(t)
				other, twice := identities[run.Path()]
				expect.That(t, !twice || len(other.Differences(identity)) == 0,
					"%s differs between tables: %s", run, other.Differences(identity))
				identities[run.Path()] = identity
			}
		}
	}
}

// The grids have the intended runs: fewer seeds of slow baselines, settings with few baselines, the first seeds first.
func TestRunsOfALaptop(t *testing.T) {
	grid := expect.Must(Table2().Grid(experiment.Laptop))(t)
	seeds := map[string][]uint64{}
	for _, run := range grid.Runs {
		key := run.Setting + " / " + run.Method
		seeds[key] = append(seeds[key], run.Seed)
	}
	for key, want := range map[string]int{
		"FMNIST-I, 1000 labeled / nnPU": 5, "FMNIST-I, 1000 labeled / PAN": 3, "FMNIST-II, 1000 labeled / PUCL": 5,
		"FMNIST-I, 3000 labeled / vPU": 5, "FMNIST-I, 3000 labeled / uPU": 0, "CIFAR-I, 1000 labeled / P3MIX-C": 3,
		"CIFAR-I, 1000 labeled / PAN": 0, "CIFAR-II, 1000 labeled / PUCL": 3,
		"FMNIST-I, 1000 labeled / all true labels": 3, "FMNIST-I, 3000 labeled / all true labels": 0, "CIFAR-II, 1000 labeled / all true labels": 3,
	} {
		if got := seeds[key]; len(got) != want || !slices.IsSorted(got) || want > 0 && got[0] != 1 {
			t.Errorf("%s: seeds %d, want %d of them", key, got, want)
		}
	}
	first, second, last := grid.Runs[0], grid.Runs[1], grid.Runs[len(grid.Runs)-1]
	expect.That(t, first.Seed == 1 && second.Seed == 1 && last.Setting == "CIFAR-II, 1000 labeled",
		"the grid goes from %s, %s to %s", first, second, last)
}

// Only baselines that train on views get them, with the recipe of contrastive runs.
func TestViews(t *testing.T) {
	s := small()
	want := s.contrastive(objectives()[0], 1).Config.(Contrastive).Views
	for _, c := range competitors() {
		views := s.baseline(c, 1).Config.(Baseline).Views
		learns := c.name == "LaGAM" || c.name == "NcPU"
		expect.That(t, learns == (views == want) && (learns || views == ""), "%s learns from views %q", c.name, views)
	}
}

// Methods are given the true class prior.
func TestPrior(t *testing.T) {
	list := expect.Must(settings(experiment.Paper))(t)
	for _, s := range list {
		want := map[string]float64{
			"FMNIST-I": 0.3, "FMNIST-II": 0.7, "CIFAR-I": 0.4, "CIFAR-II": 0.6, "STL-I": 0.51, "STL-II": 0.49,
		}[s.Data.Benchmark]
		expect.Equal(t, s.prior(), want, "%s: π =", s.Name)
	}
}

// Published numbers and claims are about existing rows and settings.
func TestPublishedAndClaims(t *testing.T) {
	for _, table := range []Table{Table1(), Table2()} {
		settings := expect.Must(table.Settings(experiment.Paper))(t)
		seen := map[Published]bool{}
		for _, p := range table.Published {
			key := Published{Setting: p.Setting, Row: p.Row, Rule: p.Rule, Source: p.Source}
			expect.That(t, !seen[key],
				"%s: %s in %s by rule %q is published twice by %s", table.Name, p.Row, p.Setting, p.Rule, p.Source)
			seen[key] = true
			expect.That(t, slices.Contains(settings, p.Setting) && slices.Contains(table.Rows, p.Row) && p.Mean > 40 &&
				p.Mean < 100 && p.Spread >= 0 && strings.Contains(p.Source, "epoch"), "%s: published %+v", table.Name,
				p) // the epoch that counts, or that the source does not state it
		}
		for _, c := range table.Claims {
			expect.That(t, slices.Contains(settings, c.Setting) && slices.Contains(table.Rows, c.Above) &&
				slices.Contains(table.Rows, c.Below) && c.Above != c.Below && c.Statement != "" && c.Source != "",
				"%s: claim %+v", table.Name, c)
		}
		expect.That(t, len(table.Claims) != 0, "%s has no claims", table.Name)
	}
}

// The means printed in Table 1 equal the means of its rows up to rounding; this detects copying errors.
func TestAveragesOfTable1(t *testing.T) {
	for _, tt := range []struct {
		labeled int
		row     Row
		average float64
	}{
		{1000, Row{"ssCL", NNPU}, 86.6}, {1000, Row{"SCL-PU", NNPU}, 72.5}, {1000, Row{"PUCL", NNPU}, 87.2},
		{1000, Row{"ssCL", PUPL}, 87.1}, {1000, Row{"SCL-PU", PUPL}, 75.3}, {1000, Row{"PUCL", PUPL}, 88.8},
		{3000, Row{"ssCL", NNPU}, 87.6}, {3000, Row{"SCL-PU", NNPU}, 85.8}, {3000, Row{"PUCL", NNPU}, 88.9},
		{3000, Row{"ssCL", PUPL}, 88.5}, {3000, Row{"SCL-PU", PUPL}, 87.5}, {3000, Row{"PUCL", PUPL}, 89.9},
	} {
		sum := 0.0
		for _, benchmark := range benchmarks1 {
			p, ok := Table1().published(settingOf(benchmark, tt.labeled), tt.row, experiment.Last)
			expect.Require(t, ok, "%s in %s with %d labels is not there", tt.row, benchmark, tt.labeled)
			sum += p.Mean
		}
		if off := sum/6 - tt.average; off > 0.1 || off < -0.1 {
			t.Errorf("%s, %d labeled: the mean is %.2f, the paper prints %.1f", tt.row, tt.labeled, sum/6, tt.average)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, tt := range []struct {
		of   func() error
		want []string
	}{
		{func() error { _, err := Find("table-3", experiment.Smoke); return err }, []string{`no table "table-3"`, "table-1, table-2"}},
		{func() error { _, err := Find("table-1", "huge"); return err }, []string{`no size "huge"`}},
		{func() error { _, err := Data{Benchmark: "FMNIST-III"}.open(1); return err }, []string{"FMNIST-III", "FMNIST-II"}},
		{func() error {
			_, err := Data{Benchmark: "FMNIST-I", Files: BuiltIn, Labeled: 1e6, HeldOut: 0.1}.open(1)
			return err
		},
			[]string{"FMNIST-I", "2160"}},
		{func() error { _, err := Data{Benchmark: "Woof-vs-Nette"}.open(1); return err }, []string{"Imagenette and Imagewoof"}},
	} {
		err := tt.of()
		for _, word := range tt.want {
			expect.That(t, err != nil && strings.Contains(err.Error(), word), "%v, want %q in it", err, word)
		}
	}
}

// The two baselines whose steps cost several times as much as others' make half the epochs at size laptop, so that
// their runs end within the time of the others. With a GPU they make all epochs.
func TestDearBaselinesMakeFewerEpochs(t *testing.T) {
	for size, want := range map[experiment.Size][2]int{experiment.Laptop: {10, 5}, experiment.Paper: {200, 200}} {
		grid := expect.Must(Table2().Grid(size))(t)
		for _, run := range grid.Runs {
			config, ok := run.Config.(Baseline)
			if !ok || run.Setting != "FMNIST-I, 1000 labeled" {
				continue
			}
			epochs := want[0]
			if run.Method == "Self-PU" || run.Method == "LaGAM" {
				epochs = want[1]
			}
			expect.That(t, config.Epochs == epochs,
				"%s, %s: %d epochs, want %d", size, run.Method, config.Epochs, epochs)
		}
	}
}

// No claim has a field that deciding it would ignore: leads in two settings are compared by accuracy, both rows in
// either, magnitudes are of values, and Less is about which row is above.
func TestClaimsSayNothingInVain(t *testing.T) {
	for _, of := range claimed() {
		for _, c := range of.list {
			for what, vain := range map[string]bool{
				"Than with Measure":                  c.Than != "" && c.Measure != "",
				"Than with BelowSetting":             c.Than != "" && c.BelowSetting != "",
				"BelowMeasure without values":        c.BelowMeasure != "" && (c.Measure == "" || c.Measure == Steps),
				"Magnitude without values":           c.Magnitude && (c.Measure == "" || c.Measure == Steps),
				"Less with Within":                   c.Less != 0 && c.Within != 0,
				"a negative number":                  c.Less < 0 || c.Within < 0,
				"one of two settings, and all of it": c.BelowSetting != "" && c.Setting == "",
			} {
				expect.That(t, !vain, "%s, %q: %s", of.grid, c.Statement, what)
			}
		}
	}
}

// Values are compared directly, or by their magnitude, at the end of a run.
func TestDecideByValues(t *testing.T) {
	var cells experiment.Cells
	for seed := range uint64(3) {
		off := 0.01 * float64(seed)
		points := []experiment.Point{{Step: 1, Values: map[string]float64{"bias": 9, "other": -9}}, {Step: 2, Values: map[string]float64{"bias": 0.2 + off, "other": -0.5 + off}}}
		cells.Standings = append(cells.Standings, experiment.Standing{Run: experiment.Run{Setting: "s", Method: "a", Seed: seed}, State: experiment.Done,
			Result: &experiment.Result{Points: points}})
	}
	const bias, other, none = "bias", "other", "none"
	for _, tt := range []struct {
		above, below Measure
		magnitude    bool
		want         Verdict
		effect       float64
	}{
		{bias, other, false, Agrees, 0.7}, {other, bias, false, Disagrees, -0.7}, {bias, other, true, Disagrees, -0.28}, {other, bias, true, Agrees, 0.28},
		{bias, none, false, NotRun, math.NaN()}, {bias, "", false, Inconclusive, 0}, // the same value twice
	} {
		f := decided(Claim{Setting: "s", Above: Row{Method: "a"}, Below: Row{Method: "a"}, Measure: tt.above, BelowMeasure: tt.below,
			Magnitude: tt.magnitude}, &cells)
		if f.Verdict != tt.want || math.Abs(f.Effect.Mean-tt.effect) > 1e-12 {
			t.Errorf("%s above %s, magnitudes %t: %s, effect %v, want %s and %g", tt.above, tt.below, tt.magnitude, f.Verdict, f.Effect, tt.want, tt.effect)
		}
	}
}

// A claim is decided by within-seed differences, which may be stable when accuracies are not.
func TestDecide(t *testing.T) {
	run := func(method string, seed uint64, right int) experiment.Standing {
		test := evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: right, FalseNegative: 1000 - right}}
		return experiment.Standing{Run: experiment.Run{Setting: "s", Method: method, Seed: seed}, State: experiment.Done,
			Result: &experiment.Result{Points: []experiment.Point{{Test: &test}}}}
	}
	var cells experiment.Cells
	for seed, right := range []int{500, 700, 900} {
		cells.Standings = append(cells.Standings, run("a", uint64(seed), right+10+seed), run("b", uint64(seed), right),
			run("c", uint64(2-seed), right+4)) // its seeds are in another order
	}
	a, b, c := Row{Method: "a"}, Row{Method: "b"}, Row{Method: "c"}
	for _, tt := range []struct {
		above, below Row
		within       float64
		less         float64
		want         Verdict
	}{
		{a, b, 0, 0, Agrees}, {b, a, 0, 0, Disagrees}, {a, c, 0, 0, Inconclusive}, // 1.1 ± 0.25 points, and −39 to 41
		{a, b, 1.4, 0, Agrees}, {a, b, 0.8, 0, Disagrees}, {b, a, 0.8, 0, Disagrees}, {a, b, 1.2, 0, Inconclusive}, {a, Row{Method: "none"}, 0, 0, NotRun},
		{a, b, 0, 2, Agrees}, {b, a, 0, 2, Agrees}, {b, a, 0, 0.8, Disagrees}, {b, a, 0, 1.2, Inconclusive}, // a is 1.1 ± 0.25 above b
	} {
		f := decided(Claim{Setting: "s", Above: tt.above, Below: tt.below, Within: tt.within, Less: tt.less}, &cells)
		expect.That(t, f.Verdict == tt.want, "%s above %s within %g, less %g: %s, effect %s", tt.above, tt.below,
			tt.within, tt.less, f.Verdict, f.Effect.Percent())
	}
}

// The command line lists the grids without linking them.
func TestNamesForTheCommandLine(t *testing.T) {
	got := naming.Grids()
	expect.That(t, slices.Equal(got, Names()), "internal/naming lists the grids %q; they are %q", got, Names())
	for _, size := range naming.Sizes() {
		expect.Must(experiment.ParseSize(size))(t)
	}
}
