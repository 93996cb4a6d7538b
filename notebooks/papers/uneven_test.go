package papers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/prior"
)

// The labeling rates of successive positive classes have the given ratio, up to chance, in held-out data too; the even
// setting is that of the tables.
func TestUnevenLabels(t *testing.T) {
	d := smoke().Data
	d.Labeled, d.Uneven = 600, 2
	o := expect.Must(d.open(1))(t)
	defer o.close()
	for name, part := range map[string]struct {
		part
		classes []int
	}{"learn": {o.train, o.learn}, "held out": {o.held, o.aside}} {
		counts, labeled := map[int]float64{}, 0.0
		for i, is := range part.Labeled {
			if is {
				counts[part.classes[part.Index[i]]]++
				labeled++
			}
		}
		for i, class := range part.Config.Positive {
			want := labeled * math.Pow(2, float64(2-i)) / 7
			if got := counts[class]; math.Abs(got-want) > 4*math.Sqrt(want) {
				t.Errorf("%s: %g of %g labels are of positive class %d, want about %.0f", name, got, labeled, i, want)
			}
		}
	}
	grid := expect.Must(UnevenLabels(experiment.Laptop))(t)
	tables := expect.Must(WithoutPrior().Grid(experiment.Laptop))(t)
	shared := 0
	for _, run := range grid.Runs {
		for _, other := range tables.Runs {
			if run.Path() == other.Path() {
				mine, err := run.Identity()
				theirs, otherErr := other.Identity()
				expect.That(t, err == nil && otherErr == nil && len(mine.Differences(theirs)) == 0,
					"%s is another run in the table: %v, %v, %v", run, mine.Differences(theirs), err, otherErr)
				shared++
			}
		}
	}
	expect.That(t, len(grid.Runs) == 18 && shared == 6,
		"%d runs, %d of them shared; want 18 and 6", len(grid.Runs), shared)
}

// Of the committed runs, each unevenness has three, with all heads of PUCL except the fully supervised one.
func TestUnevenChoosing(t *testing.T) {
	cells := committed(t, unevenLabels)
	kinds := StudyUnevenChoosing(cells)
	expect.Require(t, len(kinds) == len(Unevenness()), "%d kinds, want one for each unevenness", len(kinds))
	heads := len(cells.Heads(UnevenAt(1), "PUCL")) - 1
	for i, c := range kinds {
		for _, rule := range experiment.Rules() {
			mean := 0.0
			for _, gap := range c.Gaps[rule] {
				mean += gap / float64(len(c.Gaps[rule]))
			}
			if c.Means[rule].Seeds != 3 || len(c.Gaps[rule]) != 3*heads || math.Abs(c.Means[rule].Mean-mean) > 1e-12 {
				t.Errorf("by %g, %s: %d runs, %d classifiers, a mean of %g, by hand %g; want 3 and %d",
					Unevenness()[i], rule, c.Means[rule].Seeds, len(c.Gaps[rule]), c.Means[rule].Mean, mean, 3*heads)
			}
		}
	}
}

// If three kinds of positives and the negatives are separated, uneven labels move estimates to the limit, which for
// weights 1, 1/t and 1/t² is the prior times a third of their sum.
func TestUnevenPriorsFindTheLimit(t *testing.T) {
	expect.Slow(t)
	random := rand.New(rand.NewPCG(3, 1))
	table := &tabular.Table{Features: mat.NewDense(8000, 2, nil), Labels: make([]int, 8000)}
	kind := func(row int) int { return row % 4 } // 3 is negative
	for row := range table.Labels {
		if kind(row) < 3 {
			table.Labels[row] = 1
		}
		table.Features.SetRow(row, []float64{[]float64{20, 0, -20, 5}[kind(row)] + random.NormFloat64(), []float64{0, 0, 0, 9}[kind(row)] + random.NormFloat64()})
	}
	u := uciSet{name: "a table", labeled: 4000, positives: 1000, negatives: 1000}
	pool, positives, negatives, err := u.deal(table.Labels, 1, priorStream)
	expect.NoError(t, err)
	for _, times := range []float64{1, 5} {
		c := TablePrior{Trees: prior.Trees{Trees: 20}, Folds: 4, Repeats: 1, Again: 10, Rows: 10, Pool: 4000, Labeled: 600, Uneven: times, Drawn: [2]int{1000, 1000}}
		known, limit := expect.Must2(c.label(table, pool, 1))(t)
		counts := map[int]float64{}
		for _, row := range known {
			expect.Require(t, slices.Contains(pool, row), "row %d is labeled and not of the pool", row)
			counts[kind(row)]++
		}
		first := kind(slices.MinFunc(known, func(a, b int) int { return int(counts[kind(b)] - counts[kind(a)]) }))
		sum := 1 + 1/times + 1/(times*times)
		for i, k := range []int{first, 1, 2 - first} {
			want := 600 / sum * math.Pow(times, -float64(i))
			expect.That(t, math.Abs(counts[k]-want) <= 4*math.Sqrt(want),
				"by %g: %g labeled rows are of kind %d, want about %.0f", times, counts[k], k, want)
		}
		want := 0.5 * sum / 3
		expect.That(t, math.Abs(limit-want) <= 0.05, "by %g: the limit is %.3f, want about %.3f", times, limit, want)
		x, labeled := expect.Must2(stacked(table.Features, known, positives, negatives))(t)
		points := expect.Must(c.estimate(t.Context(), x, labeled, u.prior(), 1))(t)
		for _, p := range points {
			if e := p.Values[EstimatedPrior]; (p.Head == "DEDPUL" || p.Head == "BBE") && math.Abs(e-limit) > 0.07 {
				t.Errorf("by %g: %s finds %.3f, and the limit is %.3f", times, p.Head, e, limit)
			}
		}
	}
}

// Every table has ten draws of each unevenness, which share their unlabeled rows.
func TestUnevenPriors(t *testing.T) {
	grid := expect.Must(UnevenPriors(experiment.Laptop))(t)
	paths := map[string]bool{}
	for _, run := range grid.Runs {
		paths[run.Path()] = true
	}
	expect.That(t, len(grid.Runs) == 180 && len(paths) == 180,
		"%d runs, %d of them distinct; want 180", len(grid.Runs), len(paths))
	list := claimsUnevenPriors()
	expect.That(t, len(list) == 24, "%d claims, want 24", len(list))
}

// The cells of the drawing are means over the committed runs by hand, and the estimates fall towards the largest
// compatible prior.
func TestDrawUnevenPriors(t *testing.T) {
	cells := committed(t, unevenPriors)
	table := DrawUnevenPriors(cells)
	row, kinds := slices.Index(table.Rows, "DEDPUL"), len(Unevenness())
	for k, times := range Unevenness() {
		estimate, limit, contain, n := 0.0, 0.0, 0.0, 0.0
		for _, s := range cells.Standings {
			if s.Run.Config.(TablePrior).Uneven != times || s.State != experiment.Done {
				continue
			}
			v := experiment.LastPoint(s.Result.Points, "DEDPUL").Values
			n++
			estimate += v[EstimatedPrior]
			limit += v[PriorLimit]
			if v[PriorLow] <= 0.5 && 0.5 <= v[PriorHigh] {
				contain++
			}
		}
		cell, bound, share := table.Cells[row][k], table.Cells[0][k], table.Cells[row][kinds+k]
		if n != 60 || math.Abs(cell.Mean-estimate/n) > 1e-12 || math.Abs(bound.Mean-limit/n) > 1e-12 || share.Text != fmt.Sprintf("%.0f%%", 100*contain/n) {
			t.Errorf("by %g: %v, at most %v, %v hold it; by hand %g, %g and %g of %g", times, cell, bound, share, estimate/n, limit/n, contain, n)
		}
		expect.That(t, times <= 1 || cell.Mean < 0.42 && cell.Mean > bound.Mean,
			"by %g: %g, at most %g", times, cell.Mean, bound.Mean)
	}
}

// A draw has labeled positives and the specified unlabeled rows of both classes. Every estimator returns an estimate
// with an interval, correct for well-separated classes except for the two that are not designed for them.
func TestPriorsOfATable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	features, labels := mat.NewDense(600, 3, nil), make([]int, 600)
	for i := range labels {
		labels[i] = i % 2
		for j := range 3 {
			features.Set(i, j, random.NormFloat64()+6*float64(labels[i]))
		}
	}
	u := uciSet{name: "a table", labeled: 100, positives: 100, negatives: 200}
	known, positives, negatives, err := u.deal(labels, 1, priorStream)
	expect.NoError(t, err)
	x, labeled := expect.Must2(stacked(features, known, positives, negatives))(t)
	near := func(i int) bool { return x.At(i, 0)+x.At(i, 1)+x.At(i, 2) > 9 } // the middle between the classes
	for i, l := range labeled {
		expect.That(t, l == (i < 100) && near(i) == (i < 200), "row %d: labeled %t, looks positive %t", i, l, near(i))
	}
	c := TablePrior{Trees: prior.Trees{Trees: 20}, Folds: 4, Repeats: 1, Again: 10, Rows: 10}
	points := expect.Must(c.estimate(context.Background(), x, labeled, u.prior(), 1))(t)
	for _, p := range points {
		v := p.Values
		expect.That(t, v[TruePrior] == u.prior() && v[PriorLow] <= v[EstimatedPrior] &&
			v[EstimatedPrior] <= v[PriorHigh] && v[PriorOverlap] == 0, "%s: %v", p.Head, v)
		if e := v[EstimatedPrior]; !strings.HasPrefix(p.Head, "Elkan") && !strings.HasPrefix(p.Head, "TIcE") && (e < 0.2 || e > 0.45) {
			t.Errorf("%s: %g, want about %g", p.Head, e, u.prior())
		}
	}
	for i, name := range PriorEstimators() {
		expect.Require(t, len(points) == len(PriorEstimators()) && points[i].Head == name,
			"%d estimators, of which %s should be at %d", len(points), name, i)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	expect.Is(t, expect.Err(c.estimate(stopped, x, labeled, u.prior(), 1)), context.Canceled, "a run that is stopped")
	u.positives = 300
	if _, _, _, err := u.deal(labels, 1, priorStream); err == nil || !strings.Contains(err.Error(), "300 positives") {
		t.Errorf("too few positives: %v", err)
	}
}

// Every draw has the fraction of positives in its setting's name, except for rows that a set lacks.
func TestPriorDraws(t *testing.T) {
	grid, err := PriorsOnTables(experiment.Laptop)
	expect.Require(t, err == nil && len(grid.Runs) == 300, "%d runs, %v", len(grid.Runs), err)
	for _, run := range grid.Runs {
		c := run.Config.(TablePrior)
		expect.That(t, run.Setting == PriorSetting(c.Set, c.percent()), "%s has a share of %d%%", run, c.percent())
	}
	for _, u := range uciSets() {
		expect.Equal(t, priorDraws[u.name][1], [3]int{u.labeled, u.positives, u.negatives}, "%s", u.name)
	}
}
