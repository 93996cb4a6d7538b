package papers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/prior"
)

// Where three kinds of positives and the negatives are apart, labels drawn unevenly make estimators find the limit, which
// for weights 1, 1/t and 1/t² is the prior times a third of their sum.
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
	if err != nil {
		t.Fatal(err)
	}
	for _, times := range []float64{1, 5} {
		c := TablePrior{Trees: prior.Trees{Trees: 40}, Folds: 4, Repeats: 1, Again: 10, Rows: 10, Pool: 4000, Labeled: 600, Uneven: times, Drawn: [2]int{1000, 1000}}
		known, limit, err := c.label(table, pool, 1)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[int]float64{}
		for _, row := range known {
			if !slices.Contains(pool, row) {
				t.Fatalf("row %d is labeled and not of the pool", row)
			}
			counts[kind(row)]++
		}
		first := kind(slices.MinFunc(known, func(a, b int) int { return int(counts[kind(b)] - counts[kind(a)]) }))
		sum := 1 + 1/times + 1/(times*times)
		for i, k := range []int{first, 1, 2 - first} {
			want := 600 / sum * math.Pow(times, -float64(i))
			if math.Abs(counts[k]-want) > 4*math.Sqrt(want) {
				t.Errorf("by %g: %g labeled rows are of kind %d, want about %.0f", times, counts[k], k, want)
			}
		}
		if want := 0.5 * sum / 3; math.Abs(limit-want) > 0.05 {
			t.Errorf("by %g: the limit is %.3f, want about %.3f", times, limit, want)
		}
		x, labeled, err := stacked(table.Features, known, positives, negatives)
		if err != nil {
			t.Fatal(err)
		}
		points, err := c.estimate(t.Context(), x, labeled, u.prior(), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			if e := p.Values[EstimatedPrior]; (p.Head == "DEDPUL" || p.Head == "BBE") && math.Abs(e-limit) > 0.07 {
				t.Errorf("by %g: %s finds %.3f, and the limit is %.3f", times, p.Head, e, limit)
			}
		}
	}
}

// Every table has ten draws of each unevenness, which share their unlabeled rows, and every claim has runs.
func TestUnevenPriors(t *testing.T) {
	grid, err := UnevenPriors(experiment.Laptop)
	if err != nil {
		t.Fatal(err)
	}
	cells := &experiment.Cells{}
	paths := map[string]bool{}
	for _, run := range grid.Runs {
		cells.Standings = append(cells.Standings, experiment.Standing{Run: run})
		paths[run.Path()] = true
	}
	if len(grid.Runs) != 180 || len(paths) != 180 {
		t.Errorf("%d runs, %d of them distinct; want 180", len(grid.Runs), len(paths))
	}
	list := claimsUnevenPriors()
	if len(list) != 24 {
		t.Errorf("%d claims, want 24", len(list))
	}
	for _, c := range list {
		if !c.has(cells) {
			t.Errorf("%s, %s: the grid has no such runs", c.Statement, c.Setting)
		}
	}
}

// The cells of the drawing are means over the committed runs by hand, and the estimates fall towards what labels leave possible.
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
		if times > 1 && !(cell.Mean < 0.42 && cell.Mean > bound.Mean) {
			t.Errorf("by %g: %g, at most %g", times, cell.Mean, bound.Mean)
		}
	}
}
