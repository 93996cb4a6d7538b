package papers

import (
	"errors"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// A claim about a lead in two settings is decided by within-seed differences of differences.
func TestDecideThan(t *testing.T) {
	cells := fakeLeads()
	for _, tt := range []struct {
		setting, than string
		within        float64
		want          Verdict
		mean          float64
	}{
		{"hard", "easy", 0, Agrees, 0.02}, {"easy", "hard", 0, Disagrees, -0.02}, {"hard", "easy", 2.5, Agrees, 0.02},
		{"hard", "easy", 1, Disagrees, 0.02}, {"hard", "none", 0, NotRun, math.NaN()},
	} {
		f := decided(Claim{Setting: tt.setting, Than: tt.than, Above: Row{Method: "PUCL"}, Below: Row{Method: "ssCL"}, Within: tt.within}, cells)
		if f.Verdict != tt.want || math.Abs(f.Effect.Mean-tt.mean) > 1e-12 && !(math.IsNaN(f.Effect.Mean) && math.IsNaN(tt.mean)) {
			t.Errorf("%s than %s within %g: %s, effect %s", tt.setting, tt.than, tt.within, f.Verdict, f.Effect.Percent())
		}
	}
}

// fakeLeads returns results of three seeds: PUCL leads ssCL by 1 to 3 points in the easy setting, and by 2 points more
// in the hard one for each seed. The seeds of the settings are in different order, and the hard setting has one more
// seed.
func fakeLeads() *experiment.Cells {
	cells := &experiment.Cells{}
	for _, run := range []struct {
		setting, method string
		seed            uint64
		right           int
	}{
		{"easy", "PUCL", 1, 910}, {"easy", "PUCL", 2, 720}, {"easy", "PUCL", 3, 530}, {"easy", "ssCL", 3, 500}, {"easy", "ssCL", 2, 700},
		{"easy", "ssCL", 1, 900}, {"hard", "PUCL", 3, 449}, {"hard", "PUCL", 2, 640}, {"hard", "PUCL", 1, 831}, {"hard", "PUCL", 4, 999},
		{"hard", "ssCL", 1, 800}, {"hard", "ssCL", 2, 600}, {"hard", "ssCL", 3, 400}, {"hard", "ssCL", 4, 100},
	} {
		cells.Standings = append(cells.Standings, scoredRun(run.setting, Row{Method: run.method}, run.seed, run.right))
	}
	return cells
}

// scoredRun returns a done run with right of 1,000 test images correct.
func scoredRun(setting string, row Row, seed uint64, right int) experiment.Standing {
	test := evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: right, FalseNegative: 1000 - right}}
	return experiment.Standing{Run: experiment.Run{Setting: setting, Method: row.Method, Seed: seed}, State: experiment.Done,
		Result: &experiment.Result{Points: []experiment.Point{{Head: row.Head, Test: &test}}}}
}

// Tasks with other classes, amounts and priors contain the stated images.
func TestAmounts(t *testing.T) {
	for _, tt := range []struct {
		data                     Data
		unlabeled                int
		prior                    float64
		heldLabeled              int
		testPositive, testImages int
		pool                     int
	}{
		{Data{Benchmark: "FMNIST-I", Unlabeled: 2000, Prior: 0.7, Labeled: 200}, 2000, 0.7, 20, 600, 2000, 7200},
		{Data{Benchmark: "FMNIST-I", Single: true, Total: 2000, Prior: 0.3, Labeled: 182}, 1818, 418. / 1818, 18, 600, 2000, 7200},
		{Data{Benchmark: "FMNIST-hard", Single: true, Total: 2880, Prior: 0.5, Labeled: 440}, 2440, 1000. / 2440, 44, 400, 800, 2880},
		{Data{Benchmark: "FMNIST-medium", Single: true, Total: 2880, Prior: 0.75, Labeled: 440}, 2440, 1720. / 2440, 44, 600, 800, 2880},
	} {
		tt.data.Files, tt.data.HeldOut = BuiltIn, 0.1
		o, err := tt.data.open(1)
		if err != nil {
			t.Errorf("%+v: %v", tt.data, err)
			continue
		}
		train := o.train
		if train.NumLabeled() != tt.data.Labeled || train.NumUnlabeled() != tt.unlabeled || math.Abs(train.Prior-tt.prior) > 1e-12 {
			t.Errorf("%s: %d labeled, %d unlabeled, π = %g", tt.data.Benchmark, train.NumLabeled(), train.NumUnlabeled(), train.Prior)
		}
		positives := 0
		for _, positive := range o.truth {
			if positive {
				positives++
			}
		}
		if positives != tt.testPositive || len(o.truth) != tt.testImages || len(o.truth) != o.test.Len() {
			t.Errorf("%s: %d of %d test images are positive, and there are %d", tt.data.Benchmark, positives, len(o.truth), o.test.Len())
		}
		expect.That(t, o.held.NumLabeled() == tt.heldLabeled,
			"%s: %d labeled held out, want %d", tt.data.Benchmark, o.held.NumLabeled(), tt.heldLabeled)
		among := slices.Contains(train.Index[tt.data.Labeled:], train.Index[0])
		expect.That(t, !among || !tt.data.Single, "%s: a labeled image is unlabeled too", tt.data.Benchmark)
		pool := map[int]bool{}
		for i, row := range o.pool {
			pool[row] = o.poolTruth[i]
		}
		expect.That(t, len(pool) == tt.pool && len(o.poolTruth) == tt.pool,
			"%s: a pool of %d images, want %d", tt.data.Benchmark, len(pool), tt.pool)
		for i, row := range train.Index {
			if positive, there := pool[row]; !there || positive != train.Positive[i] {
				t.Fatalf("%s: image %d is in the pool %v, %v there and %v in the split", tt.data.Benchmark, row, there, positive, train.Positive[i])
			}
		}
	}
}

// SCL uses every class: all positive examples are labeled and come first.
func TestAllLabeled(t *testing.T) {
	labels := []int{1, 0, 1, 1, 0}
	s, err := datasets.NewSplit(labels, []string{"-", "+"}, datasets.SplitConfig{Positive: []int{1}, Labeled: 1, Setting: datasets.SingleDataset})
	expect.NoError(t, err)
	all := allLabeled(s)
	expect.That(t, all.NumLabeled() == 3 && all.Len() == 5 && all.Of == 5,
		"%d of %d labeled", all.NumLabeled(), all.Len())
	for i, row := range all.Index {
		expect.That(t, all.Labeled[i] == (labels[row] == 1) && all.Labeled[i] == all.Positive[i],
			"example %d: row %d, labeled %v", i, row, all.Labeled[i])
	}
	expect.That(t, scl().Name == sclName && pucl.SCLPU().Name != sclName, "%v", scl().Name)
}

// A run of a figure is evaluated by nearest neighbors and all heads, and so is SCL, which has all classes.
func TestRunOfAFigure(t *testing.T) {
	expect.Slow(t)
	grid := expect.Must(Figure8(experiment.Smoke))(t)
	at := slices.IndexFunc(grid.Runs, func(r experiment.Run) bool { return r.Method == sclName })
	outcome, err := grid.Runs[at].Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()})
	expect.NoError(t, err)
	judged := map[string]float64{}
	for _, p := range outcome.Points {
		if p.Test != nil {
			judged[p.Head] = p.Test.Accuracy()
		}
	}
	if judged[Neighbors] < 0.9 || judged[Ceiling] < 0.9 || outcome.Points[len(outcome.Points)-1].Head != Neighbors {
		t.Errorf("shoes and tops apart, all classes known: %v", judged) // pixels alone separate them
	}
}

// Published numbers refer to settings and rows of the figure, once each.
func TestPublishedOfSweeps(t *testing.T) {
	sweeps := []Sweep{AuthorsOverLabels(), AuthorsProbes()}
	for _, v := range samplings[experiment.Paper] {
		sweeps = append(sweeps, v.Over(false, PUPL), v.Over(true, PUPL))
	}
	for task := range 3 {
		sweeps = append(sweeps, groupings[experiment.Paper].Over(task, Ceiling))
	}
	drawn := 0
	for _, s := range sweeps {
		seen := map[Published]bool{}
		for _, p := range s.Published {
			key := Published{Setting: p.Setting, Row: p.Row}
			expect.That(t, !seen[key] && p.Source != "" && p.Rule == experiment.Oracle && p.Mean > 40 && p.Mean < 100,
				"%s: %+v", s.Title, p)
			seen[key] = true
		}
		if p, words, err := s.DrawPublished(); err == nil && p != nil && strings.Contains(words, "as published") {
			drawn++
		} else if s.Title != "Woof-vs-Nette, labels beside the unlabeled images: "+PUPL {
			t.Errorf("%s: %v", s.Title, err) // for these heads nothing is published
		}
	}
	expect.That(t, drawn == len(sweeps)-1, "%d of %d drawn", drawn, len(sweeps))
}

// In the authors' numbers SCL-PU overtakes PUCL between 5,000 and 10,000 labels.
func TestAuthorsOvertake(t *testing.T) {
	s := AuthorsOverLabels()
	low, high := s.Crossing(s.PublishedMean, Row{Method: "SCL-PU"}, Row{Method: "PUCL"})
	expect.That(t, low == 5000 && high == 10_000, "between %g and %g", low, high)
	if low, high := s.Crossing(s.PublishedMean, Row{Method: "PUCL"}, Row{Method: "ssCL"}); !math.IsNaN(low) || high != 500 {
		t.Errorf("PUCL above ssCL between %g and %g", low, high)
	}
}

// A sweep draws the done runs and names the command for the rest; the table shows n/a.
func TestSweep(t *testing.T) {
	s := Sweep{Title: "leads", XLabel: "x", Rows: []Row{{Method: "PUCL"}, {Method: "ssCL"}}, X: []float64{1, 2}, Grid: "figure-9000",
		Setting: func(x float64) string { return map[float64]string{1: "easy", 2: "hard"}[x] }}
	p, words, err := s.Draw(fakeLeads(), experiment.Last)
	expect.That(t, err == nil && p != nil && strings.Contains(words, "PUCL: 72.0% at 1, 73.0% at 2."),
		"%v, %q, %v", p, words, err)
	holds(t, s.Table(fakeLeads(), experiment.Last), "PUCL", "72.0 ± 47.2", "73.0")
	nothing := &experiment.Cells{}
	if p, words, err := s.Draw(nothing, experiment.Last); err != nil || p != nil || !strings.Contains(words, "grid -size laptop figure-9000") {
		t.Errorf("%v, %q, %v", p, words, err)
	}
	holds(t, s.Table(nothing, experiment.Last), "ssCL", "n/a")
	rows := s.Table(nothing, experiment.Last).Rows
	expect.That(t, len(rows) == 2, "rows %q of two, of which nothing is published", rows)
	s.Published = []Published{{Setting: "hard", Row: s.Rows[1], Mean: 90, Rule: experiment.Oracle, Source: "somebody"}}
	holds(t, s.Table(nothing, experiment.Last), "ssCL, published", "n/a", "90.0")
	if note := s.Table(nothing, experiment.Last).Note; !strings.Contains(note, "Published: somebody; point chosen by: oracle.") {
		t.Errorf("the note does not say how published numbers were chosen: %s", note)
	}
	s.Published = append(s.Published, Published{Setting: "easy", Row: s.Rows[1], Mean: 91, Source: "somebody else"},
		Published{Setting: "hard", Row: s.Rows[0], Mean: 92, Rule: experiment.Oracle, Source: "somebody"})
	if note := s.Table(nothing, experiment.Last).Note; strings.Count(note, "Published: somebody; point chosen by: oracle.") != 1 ||
		!strings.Contains(note, "Published: somebody else; point chosen by: not told.") {
		t.Errorf("the note does not name both sources, once each: %s", note)
	}
	low, high := s.Crossing(MeasuredMean(fakeLeads(), experiment.Last), Row{Method: "PUCL"}, Row{Method: "ssCL"})
	expect.That(t, math.IsNaN(low) && high == 1, "PUCL above ssCL between %g and %g", low, high)
	if low, high := s.Crossing(MeasuredMean(nothing, experiment.Last), Row{Method: "PUCL"}, Row{Method: "ssCL"}); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("of nothing: between %g and %g", low, high)
	}
}

// Differences of tenths of a point are not enlarged to the full axis, and no axis extends beyond 100 for them.
func TestSweepHasAScale(t *testing.T) {
	for _, c := range []struct{ low, high, from, to float64 }{{99.9, 99.95, 98, 100}, {70, 70.5, 69.25, 71.25}, {50, 95, 48.2, 96.8}} {
		p, err := Sweep{}.draw("", []viz.Curve{{Name: "PUCL", X: []float64{1, 2}, Y: []float64{c.low, c.high}}})
		expect.That(t, err == nil && math.Abs(p.Y.Min-c.from) <= 1e-9 && math.Abs(p.Y.Max-c.to) <= 1e-9,
			"%+v: %v, from %g to %g", c, err, p.Y.Min, p.Y.Max)
	}
}

// The error for an unknown size lists the sizes; the error for missing dog images names their data set.
func TestFiguresRefuse(t *testing.T) {
	for _, of := range map[string]func(experiment.Size) (experiment.Grid, error){figure3: Figure3, figure4: Figure4, figure5: Figure5, figure8: Figure8} {
		expect.Error(t, expect.Err(of("huge")), `no size "huge"`)
	}
	t.Setenv(datasets.EnvDataDir, t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, task := range []string{"Woof-vs-Nette", "Dogs-vs-Non-Dogs"} {
		_, err := Data{Benchmark: task, Files: Official, HeldOut: 0.1}.open(1)
		expect.That(t, errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), "imagenette2-160"),
			"%s: %v", task, err)
	}
}
