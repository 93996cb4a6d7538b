package papers

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Every claim on ten classes is about runs that its grid has at size laptop or paper, and about heads or values that these keep.
func TestClaimsOfTenClasses(t *testing.T) {
	values := []Measure{Alignment, Uniformity, PlainBias, CorrectedBias, PlainDeviation, CorrectedDeviation}
	for _, name := range []string{samplingBias, geometry} {
		of := claimed()
		claims := of[slices.IndexFunc(of, func(c claims) bool { return c.grid == name })].list
		seen, about := map[Claim]bool{}, map[int]bool{}
		for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
			cells := missing(t, name, size)
			for i, c := range claims {
				seen[c] = true
				if !c.has(cells) {
					continue
				}
				about[i] = true
				above, below := c.series()
				for i, s := range []experiment.Series{above, below} {
					_, classed := cells.Runs(s.Setting, s.Method)[0].Run.Config.(Classed)
					known := slices.Contains([]string{Neighbors, Ceiling}, s.Head)
					if !classed {
						known = slices.Contains(Heads(), s.Head)
					}
					if c.Measure != "" {
						known = s.Head == "" && slices.Contains(values, []Measure{c.Measure, cmp.Or(c.BelowMeasure, c.Measure)}[i])
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
		p := experiment.LastPoint(want.Points, head)
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

// On a circle points of four classes move from frame to frame, while alignment and uniformity are measured.
func TestWatchSphere(t *testing.T) {
	expect.Slow(t)
	eng := enginetest.Open(t)
	frames, path, err := WatchSphere(context.Background(), eng, 2, 2, 0.5)
	if err != nil || len(frames) != 2 || len(frames[0].Groups) != 4 || len(path.Steps) != 2 {
		t.Fatalf("%d frames, %d readings, %v", len(frames), len(path.Steps), err)
	}
	for _, g := range frames[1].Groups {
		if len(g.X) < 40 {
			t.Errorf("%d of %s", len(g.X), g.Name)
		}
		for i := range g.X {
			if r := math.Hypot(g.X[i], g.Y[i]); math.Abs(r-1) > 1e-6 {
				t.Fatalf("a point at %g, %g", g.X[i], g.Y[i])
			}
		}
	}
	if path.Uniformity[1] < evaluate.LeastUniformity(2)-0.05 || path.Alignment[1] < 0 {
		t.Errorf("path %+v", path)
	}
	if _, _, err := WatchSphere(context.Background(), eng, 4, 2, 0.5); err == nil || !strings.Contains(err.Error(), "2 are drawn as a circle") {
		t.Errorf("%v", err)
	}
}

// A point of the sphere lies by its longitude and its height, which keeps areas.
func TestSphereGroups(t *testing.T) {
	z := mat.NewDense(3, 3, []float64{0, 1, 0, -0.6, 0, 0.8, 1, 0, 0})
	groups := sphereGroups(z, []int{1, 8, 3}, make([]string, 10))
	if len(groups) != 4 || len(groups[0].X) != 1 || groups[0].X[0] != 90 || groups[0].Y[0] != 0 || groups[2].X[0] != 180 || groups[2].Y[0] != 0.8 ||
		len(groups[1].X)+len(groups[3].X) != 0 {
		t.Errorf("%+v", groups)
	}
}

// The force on a negative is its share of the partition, and beyond the margin of the pairwise loss there is none.
func TestNegativeForces(t *testing.T) {
	eng := enginetest.Open(t)
	curve, err := NegativeForces(eng, pucl.SSCL(), 0.2)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, c := range curve.X {
		sum += math.Exp(c / 0.2)
	}
	for i, c := range curve.X {
		if want := float64(len(curve.X)) * math.Exp(c/0.2) / sum; math.Abs(curve.Y[i]-want) > 1e-9 || i > 0 && c <= curve.X[i-1] {
			t.Errorf("at %g: %g, want %g", c, curve.Y[i], want)
		}
	}
	if curve, err = NegativeForces(eng, pucl.Pairwise(1), 1); err != nil {
		t.Fatal(err)
	}
	for i, c := range curve.X {
		if none := curve.Y[i] == 0; c != 0.5 && none != (c < 0.5) { // where it begins, rounding decides
			t.Errorf("pairwise at %g: %g", c, curve.Y[i])
		}
	}
}

// Tables and curves of geometry hold the numbers of the runs, under the right names.
func TestDrawGeometry(t *testing.T) {
	cells, task := &experiment.Cells{}, "FMNIST, ten classes"
	for _, method := range []string{SSCLAt(0.1), SSCLAt(0.5), PairwiseAt(1)} {
		for seed := range uint64(2) {
			cells.Standings = append(cells.Standings, experiment.Standing{Run: experiment.Run{Setting: task, Method: method, Seed: seed}, State: experiment.Done,
				Result: &experiment.Result{Points: []experiment.Point{{Head: Ceiling, Step: 4, Many: &evaluate.Classes{Accuracy: 0.5 + 0.1*float64(seed), N: 10}},
					{Step: 4, Values: map[string]float64{Alignment: 0.2, Uniformity: -2, Rank: 30}}}}})
		}
	}
	if curves := CurvesOverTau(cells, task); len(curves[0].X) != 2 || curves[0].X[0] != 0.1 || curves[0].X[1] != 0.5 || math.Abs(curves[0].Y[0]-55) > 1e-9 {
		t.Errorf("over τ %+v", curves)
	}
	table := DrawSpreads(cells, "", SpreadsOverTau(task)...)
	if len(table.Rows) != len(AllTemperatures())+len(Margins()) || !table.Cells[0][0].Missing || math.Abs(table.Cells[1][0].Mean-55) > 1e-9 ||
		table.Cells[1][3].Mean != -2 || table.Cells[5][4].Mean != 30 || table.Rows[3] != "ssCL" {
		t.Errorf("spreads %+v", table)
	}
	if paths := PathsOverSteps(cells, SpreadsOverTau(task)...); len(paths) != 3 {
		t.Errorf("%d paths", len(paths))
	}
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
