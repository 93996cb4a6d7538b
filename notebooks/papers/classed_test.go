package papers

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/evaluate"
)

// A run on ten classes trains on them, is evaluated at its end and measured along the way, and resumes where it
// stopped.
func TestClassedRun(t *testing.T) {
	expect.Slow(t)
	eng := enginetest.Open(t)
	s := expect.Must(unlabeled(experiment.Smoke, UnlabeledTasks(experiment.Smoke)[0]))(t)
	s.Encoder, s.Pretrain.Steps, s.Batch.Size, s.Bank = small().Encoder, 4, 64, 300
	s = s.viewed(4)
	run := s.dclRun(DCLWith(TenClasses, 3), TenClasses, 3, 1)
	want := expect.Must(run.Train(context.Background(), eng, experiment.Place{Folder: t.TempDir()}))(t)
	at := run.Config.(Classed).At
	expect.Require(t, len(want.Points) == len(at)+2 && s.Batch.Size == 32,
		"%d points at %d, batches of %d", len(want.Points), at, s.Batch.Size)
	for _, head := range []string{Neighbors, Ceiling} {
		p := experiment.LastPoint(want.Points, head)
		accuracy, ok := p.Accuracy()
		expect.That(t, ok && accuracy >= 0.3 && accuracy <= 0.95 && p.Step == 4 && p.Many.N == 2000, "%s: %+v", head, p)
	}
	values := want.Points[0].Values
	f := values[FalseNegatives]
	expect.That(t, math.Abs(f-0.1) <= 0.02, "a share of %g of the negatives is false, want a tenth", f)
	expect.That(t, values[PlainBias] > values[CorrectedBias] && values[Uniformity] < 0 &&
		values[Alignment] > 0, "values %v", values)
	checkResumes(t, eng, run, want, 3)
}

// On a circle, points of four classes move from frame to frame, while alignment and uniformity are measured.
func TestWatchSphere(t *testing.T) {
	expect.Slow(t)
	eng := enginetest.Open(t)
	frames, path, err := WatchSphere(context.Background(), eng, 2, 2, 0.5)
	expect.Require(t, err == nil && len(frames) == 2 && len(frames[0].Groups) == 4 && len(path.Steps) == 2,
		"%d frames, %d readings, %v", len(frames), len(path.Steps), err)
	for _, g := range frames[1].Groups {
		expect.That(t, len(g.X) >= 40, "%d of %s", len(g.X), g.Name)
		for i := range g.X {
			r := math.Hypot(g.X[i], g.Y[i])
			expect.Require(t, math.Abs(r-1) <= 1e-6, "a point at %g, %g", g.X[i], g.Y[i])
		}
	}
	expect.That(t, path.Uniformity[1] >= evaluate.LeastUniformity(2)-0.05 && path.Alignment[1] >= 0, "path %+v", path)
	if _, _, err := WatchSphere(context.Background(), eng, 4, 2, 0.5); err == nil || !strings.Contains(err.Error(), "2 are drawn as a circle") {
		t.Errorf("%v", err)
	}
}

// A point of the sphere is drawn at its longitude and height, an equal-area map.
func TestSphereGroups(t *testing.T) {
	z := mat.NewDense(3, 3, []float64{0, 1, 0, -0.6, 0, 0.8, 1, 0, 0})
	groups := sphereGroups(z, []int{1, 8, 3}, make([]string, 10))
	expect.That(t, len(groups) == 4 && len(groups[0].X) == 1 && groups[0].X[0] == 90 && groups[0].Y[0] == 0 &&
		groups[2].X[0] == 180 && groups[2].Y[0] == 0.8 && len(groups[1].X)+len(groups[3].X) == 0, "%+v", groups)
}

// The force on a negative is its share of the partition function; beyond the margin of the pairwise loss it is zero.
func TestNegativeForces(t *testing.T) {
	eng := enginetest.Open(t)
	curve := expect.Must(NegativeForces(eng, pucl.SSCL(), 0.2))(t)
	sum := 0.0
	for _, c := range curve.X {
		sum += math.Exp(c / 0.2)
	}
	for i, c := range curve.X {
		if want := float64(len(curve.X)) * math.Exp(c/0.2) / sum; math.Abs(curve.Y[i]-want) > 1e-9 || i > 0 && c <= curve.X[i-1] {
			t.Errorf("at %g: %g, want %g", c, curve.Y[i], want)
		}
	}
	curve = expect.Must(NegativeForces(eng, pucl.Pairwise(1), 1))(t)
	for i, c := range curve.X {
		if none := curve.Y[i] == 0; c != 0.5 && none != (c < 0.5) { // at the boundary, rounding decides
			t.Errorf("pairwise at %g: %g", c, curve.Y[i])
		}
	}
}

// Tables and curves of geometry contain the numbers of the runs, under the right names.
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
	expect.That(t, len(table.Rows) == len(AllTemperatures())+len(Margins()) && table.Cells[0][0].Missing &&
		math.Abs(table.Cells[1][0].Mean-55) <= 1e-9 && table.Cells[1][3].Mean == -2 && table.Cells[5][4].Mean == 30 &&
		table.Rows[3] == "ssCL", "spreads %+v", table)
	paths := PathsOverSteps(cells, SpreadsOverTau(task)...)
	expect.That(t, len(paths) == 3, "%d paths", len(paths))
}

// Batches return the class of each image: images of a class are more similar than images of different classes.
func TestClassedBatches(t *testing.T) {
	s := expect.Must(unlabeled(experiment.Smoke, UnlabeledTasks(experiment.Smoke)[0]))(t)
	c := s.Pretrain
	c.Objective = pucl.SSCL()
	data, batches, err := s.prepare(enginetest.Open(t), c, func(o *opened) (*datasets.Split, error) { return o.train.Split, nil })
	expect.NoError(t, err)
	defer data.close()
	classed := classedBatches{batches, data.train, data.learn}
	classes := expect.Must(classed.Classes(3))(t)
	pixels, labeled, err := classed.Batch(3)
	expect.Require(t, err == nil && len(classes) == len(labeled) && !slices.Contains(labeled, true),
		"%d classes of %d images, %v", len(classes), len(labeled), err)
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
	within, between := sum[1]/count[1], sum[0]/count[0]
	expect.That(t, within <= 0.8*between, "images of a class are %g apart, others %g", within, between)
}

// Drawn batches have the fraction of same-class pairs of the closed form, which for two classes of 3 and 1 examples is
// 3/4 · 2/3.
func TestFalseNegativeShare(t *testing.T) {
	measured, closed := FalseNegativeShare([]int{1, 1, 1, 0}, 2, 20_000, 1)
	expect.That(t, math.Abs(closed-0.5) <= 1e-12 && math.Abs(measured-0.5) <= 0.015,
		"measured %g, closed form %g, want a half", measured, closed)
	var classes []int
	for i := range 1000 {
		classes = append(classes, i%10)
	}
	if measured, closed = FalseNegativeShare(classes, 50, 300, 2); math.Abs(closed-99./999) > 1e-12 || math.Abs(measured-closed) > 0.003 {
		t.Errorf("measured %g, closed form %g, want 99/999", measured, closed)
	}
}

// Tables and curves contain the numbers of the runs, under the right names.
func TestDrawSamplingBias(t *testing.T) {
	task := "FMNIST, ten classes"
	cells := &experiment.Cells{}
	add := func(setting, method string, linear, bias float64) {
		for seed := range uint64(2) {
			cells.Standings = append(cells.Standings, experiment.Standing{Run: experiment.Run{Setting: setting, Method: method, Seed: seed}, State: experiment.Done,
				Result: &experiment.Result{Points: []experiment.Point{
					{Head: Ceiling, Step: 4, Many: &evaluate.Classes{Accuracy: linear, N: 10, Predicted: []int{5, 5}}},
					{Step: 2, Values: map[string]float64{PlainBias: bias / 2}}, {Step: 4, Values: map[string]float64{PlainBias: bias, Clipped: 0.25}}}}})
		}
	}
	add(task, "ssCL", 0.5, 0.2)
	add(task, DCLAt(0.1), 0.6, 0.3)
	add(BatchesOf(task, 64), "ssCL", 0.4, 0)
	add(ViewsOf(task, 4), DCLWith(TenClasses, 3), 0.7, 0.1)
	if table := DrawCosts(cells, experiment.Laptop); table.Cells[0][0].Mean != 50 || table.Cells[1][0].Mean != 60 || !table.Cells[2][0].Missing ||
		table.Cells[0][4].Mean != 80.15 || table.Cells[1][4].Mean != 84.26 || !table.Cells[2][4].Missing {
		t.Errorf("costs %+v", table)
	}
	c := CurvesOverCorrection(cells, task)[0]
	expect.That(t, len(c.X) == 2 && c.X[1] == 0.1 && c.Y[0] == 50 && c.Y[1] == 60, "over τ⁺ %+v", c)
	if c := CurvesOverBatches(cells, task, 256)[0]; len(c.X) != 2 || c.X[0] != 64 || c.Y[0] != 40 || c.Y[1] != 50 {
		t.Errorf("over batches %+v", c)
	}
	row := DrawPositives(cells, task).Cells[2]
	expect.That(t, row[0].Mean == 70 && row[2].Mean == 10 && row[5].Mean == 25, "positives %+v", row)
	if table := DrawEstimates(cells, task); table.Cells[2][1].Mean != 30 || table.Cells[2][5].Mean != 25 || table.Cells[2][0].Text != "0.1" {
		t.Errorf("estimates %+v", table)
	}
	if c := BiasOverSteps(cells, task, "ssCL"); len(c) != 1 || c[0].Y[0] != 10 || c[0].Y[1] != 20 {
		t.Errorf("over steps %+v", c)
	}
}
