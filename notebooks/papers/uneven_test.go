package papers

import (
	"math"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
)

// The first positive class is labeled as many times as often as the second, and that as the third, but for chance; what is held out is
// labeled so too, and the even setting is that of the tables.
func TestUnevenLabels(t *testing.T) {
	d := smoke().Data
	d.Labeled, d.Uneven = 600, 2
	o, err := d.open(1)
	if err != nil {
		t.Fatal(err)
	}
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
	grid, err := UnevenLabels(experiment.Laptop)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := WithoutPrior().Grid(experiment.Laptop)
	if err != nil {
		t.Fatal(err)
	}
	cells := &experiment.Cells{}
	shared := 0
	for _, run := range grid.Runs {
		cells.Standings = append(cells.Standings, experiment.Standing{Run: run})
		for _, other := range tables.Runs {
			if run.Path() == other.Path() {
				mine, err := run.Identity()
				theirs, otherErr := other.Identity()
				if err != nil || otherErr != nil || len(mine.Differences(theirs)) > 0 {
					t.Errorf("%s is another run in the table: %v, %v, %v", run, mine.Differences(theirs), err, otherErr)
				}
				shared++
			}
		}
	}
	if len(grid.Runs) != 18 || shared != 6 {
		t.Errorf("%d runs, %d of them shared; want 18 and 6", len(grid.Runs), shared)
	}
	for _, c := range claimsUneven() {
		if !c.has(cells) {
			t.Errorf("%s: the grid has no such runs", c.Statement)
		}
	}
}

// Of the runs that are committed, each unevenness has three, all heads of PUCL but the one that is shown all classes.
func TestUnevenChoosing(t *testing.T) {
	cells := committed(t, unevenLabels)
	kinds := StudyUnevenChoosing(cells)
	if len(kinds) != len(Unevenness()) {
		t.Fatalf("%d kinds, want one for each unevenness", len(kinds))
	}
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
