package papers

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// Every claim on ten classes is about runs that its grid has at size laptop or paper, and about heads or values that these keep.
func TestClaimsOfTenClasses(t *testing.T) {
	values := []string{Alignment, Uniformity, PlainBias, CorrectedBias, PlainDeviation, CorrectedDeviation}
	for _, name := range []string{samplingBias, geometry} {
		of := claimed()
		claims := of[slices.IndexFunc(of, func(c claims) bool { return c.grid == name })].list
		seen, about := map[Claim]bool{}, map[int]bool{}
		for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
			grid, err := Find(name, size)
			if err != nil {
				t.Fatal(err)
			}
			cells := &experiment.Cells{}
			for _, run := range grid.Runs {
				cells.Standings = append(cells.Standings, experiment.Standing{Run: run, State: experiment.Missing})
			}
			for i, c := range claims {
				seen[c] = true
				if !c.has(cells) {
					continue
				}
				about[i] = true
				above, below := c.series()
				for _, s := range []experiment.Series{above, below} {
					_, classed := cells.Runs(s.Setting, s.Method)[0].Run.Config.(Classed)
					known := slices.Contains([]string{Neighbors, Ceiling}, s.Head)
					if !classed {
						known = slices.Contains(Heads(), s.Head)
					}
					if c.Measure.ofValues() {
						known = slices.Contains(values, s.Head)
					}
					if !known {
						t.Errorf("%s: %q has no head or value %q", name, s, s.Head)
					}
				}
			}
		}
		if len(about) != len(claims) || len(seen) != len(claims) || len(claims) < 20 {
			t.Errorf("%s: of %d claims, %d different ones, %d are about runs that there are", name, len(claims), len(seen), len(about))
		}
	}
}

// A run on ten classes trains on them, is judged at its end and measured along the way, and goes on where it stopped.
func TestClassedRun(t *testing.T) {
	eng := enginetest.Open(t)
	s, err := unlabeled(experiment.Smoke, UnlabeledTasks(experiment.Smoke)[0])
	if err != nil {
		t.Fatal(err)
	}
	s.Encoder, s.Pretrain.Steps, s.Batch.Size, s.Bank = small().Encoder, 4, 64, 300
	s = s.viewed(4)
	run := s.dclRun(DCLWith(TenClasses, 3), TenClasses, 3, 1)
	want, err := run.Train(context.Background(), eng, experiment.Place{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	at := run.Config.(Classed).At
	if len(want.Points) != len(at)+2 || s.Batch.Size != 32 {
		t.Fatalf("%d points at %d, batches of %d", len(want.Points), at, s.Batch.Size)
	}
	for _, head := range []string{Neighbors, Ceiling} {
		p := (&experiment.Result{Points: want.Points}).Last(head)
		accuracy, ok := p.Accuracy()
		if !ok || accuracy < 0.3 || accuracy > 0.95 || p.Step != 4 || p.Many.N != 2000 {
			t.Errorf("%s: %+v", head, p)
		}
	}
	values := want.Points[0].Values
	if f := values[FalseNegatives]; math.Abs(f-0.1) > 0.02 {
		t.Errorf("a share of %g of the negatives is false, want a tenth", f)
	}
	if values[PlainBias] <= values[CorrectedBias] || values[Uniformity] >= 0 || values[Alignment] <= 0 {
		t.Errorf("values %v", values)
	}
	checkResumes(t, eng, run, want, 3)
}

// Batches tell the class of each image that they hold: those of a class look more alike than those of others do.
func TestClassedBatches(t *testing.T) {
	s, err := unlabeled(experiment.Smoke, UnlabeledTasks(experiment.Smoke)[0])
	if err != nil {
		t.Fatal(err)
	}
	c := s.Pretrain
	c.Objective = pucl.SSCL()
	data, batches, err := s.prepare(enginetest.Open(t), c, func(o *opened) (*datasets.Split, error) { return o.train.Split, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer data.close()
	classed := classedBatches{batches, data.train, data.learn}
	classes, err := classed.Classes(3)
	if err != nil {
		t.Fatal(err)
	}
	pixels, labeled, err := classed.Batch(3)
	if err != nil || len(classes) != len(labeled) || slices.Contains(labeled, true) {
		t.Fatalf("%d classes of %d images, %v", len(classes), len(labeled), err)
	}
	size := len(pixels) / len(classes)
	var sum, count [2]float64
	for i := range classes {
		for j := range i {
			same := 0
			if classes[i] == classes[j] {
				same = 1
			}
			for k := range size {
				d := float64(pixels[i*size+k]) - float64(pixels[j*size+k])
				sum[same] += d * d
			}
			count[same]++
		}
	}
	if within, between := sum[1]/count[1], sum[0]/count[0]; within > 0.8*between {
		t.Errorf("images of a class are %g apart, others %g", within, between)
	}
}
