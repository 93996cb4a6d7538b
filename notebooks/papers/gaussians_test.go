package papers

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// Two round clouds at a distance d with equal numbers of points: Bayes' rule has accuracy Φ(d/2), the line through the
// middle has the same, and the paper's claim holds.
func TestRoundClouds(t *testing.T) {
	expect.Slow(t)
	grid := expect.Must(Gaussians(experiment.Smoke))(t)
	run := grid.Runs[slices.IndexFunc(grid.Runs, func(r experiment.Run) bool { return r.Setting == RoundAt(2, 0.5) && r.Method == linearMethod })]
	outcome := expect.Must(run.Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()}))(t)
	best := 0.5 * math.Erfc(-1/math.Sqrt2)
	noise := 4 * math.Sqrt(best*(1-best)/20_000) // of the test points
	for _, j := range experiment.Judgements(outcome.Points) {
		if j.Rule != experiment.Last {
			continue
		}
		switch miss := best - j.Accuracy; {
		case j.Head == Bayes && math.Abs(miss) > noise:
			t.Errorf("Bayes' rule: %.4f, want %.4f", j.Accuracy, best)
		case (j.Head == PUPL || j.Head == Ceiling) && math.Abs(miss) > noise+0.005:
			t.Errorf("%s: %.4f, want nearly %.4f", j.Head, j.Accuracy, best)
		case j.Head == Naive && miss < 0.1:
			t.Errorf("%s: %.4f although most positives are unlabeled", j.Head, j.Accuracy)
		}
	}
	checkFrozen(t, "plane", run.Version, nil, outcome.Points)
	n := len(outcome.Points)
	expect.That(t, n == 8 && outcome.Points[7].Values["pseudo-labels right"] >= best-0.03, "%+v", outcome.Points)
}

// firstPlaneLosses are the losses of the first two steps of the smoke runs, and firstPlaneJudgements accuracy and AUC
// at their end. They change only with planeNetworkVersion and the version of nnPU. The head nnPU is omitted, as engines
// differ in the step at which its risk turns negative.
var (
	firstPlaneLosses     = map[string][2]float64{"PUCL": {5.85552, 5.83011}, NetworkNNPU: {0.434987, 0.385268}}
	firstPlaneJudgements = map[string][2]float64{PUPL: {0.82175, 0.89505}, PUPLOnZ: {0.8194, 0.86024},
		Mixture: {0.8266, 0.89574}, Ceiling: {0.8207, 0.91234}, "": {0.83705, 0.91523}}
)

// Networks in the plane have the frozen first losses and judgements.
func TestNetworksInThePlane(t *testing.T) {
	expect.Slow(t)
	grid := expect.Must(Gaussians(experiment.Smoke))(t)
	for method, want := range firstPlaneLosses {
		run := grid.Runs[slices.IndexFunc(grid.Runs, func(r experiment.Run) bool { return r.Setting == RoundAt(2, 0.5) && r.Method == method })]
		var losses [2]float64
		outcome, err := run.Train(t.Context(), enginetest.Open(t), experiment.Place{Observer: train.OnStep(func(p train.Progress) {
			if p.Step <= 2 {
				losses[p.Step-1] = p.Loss
			}
		})})
		expect.NoError(t, err)
		for i := range want {
			expect.That(t, math.Abs(losses[i]-want[i]) <= 2e-4,
				"%s: losses %.6g, before %.6g: a change of numbers raises the version", method, losses, want)
		}
		if heads := len(outcome.Points); method == "PUCL" && heads != len(Heads()) || method == NetworkNNPU && heads != 1 {
			t.Errorf("%s is judged by %d heads", method, heads)
		}
		for _, p := range outcome.Points {
			if _, pseudo := p.Values[LabelsRight]; p.Step != 20 || pseudo != slices.Contains([]string{PUPL, PUPLOnZ, Mixture}, p.Head) {
				t.Errorf("%+v", p)
			}
		}
		for _, j := range experiment.Judgements(outcome.Points) {
			if want, frozen := firstPlaneJudgements[j.Head]; j.Rule == experiment.Last && frozen {
				checkFirst(t, j, want)
			}
		}
	}
	expect.That(t, planeNetworkVersion == 1, "the frozen numbers are those of version 1")
}

// Views of a point are distributed around it with the stated deviation, with independent noise, and the step determines
// a batch.
func TestNoisyPoints(t *testing.T) {
	const n, labels, size = 400, 100, 200
	split := &datasets.Split{Index: rows.All(n), Of: n, Labeled: make([]bool, n), Positive: make([]bool, n), Prior: 0.5}
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		split.Labeled[i], split.Positive[i] = i < labels, i < labels
		x.SetRow(i, []float64{float64(i), -float64(i)})
	}
	schedule := expect.Must(datasets.NewSchedule(split, datasets.BatchConfig{Size: size, Share: 0.25, Seed: 1}))(t)
	points := noisyPoints{schedule, x, split.Labeled, 1}
	views, labeled := points.Batch(3)
	if again, _ := points.Batch(3); !reflect.DeepEqual(views, again) || len(views) != 2*size*points.Features() || len(labeled) != size {
		t.Fatalf("%d numbers and %d labels, or others when asked again", len(views), len(labeled))
	}
	var noise [2][]float64 // of the first views and of the second
	for i, example := range points.Rows(3) {
		expect.That(t, labeled[i] == split.Labeled[example], "example %d: labeled %t", example, labeled[i])
		for view := range noise {
			for j := range 2 {
				noise[view] = append(noise[view], float64(views[2*(view*size+i)+j])-x.At(example, j))
			}
		}
	}
	// For 400 normal numbers each: means, deviations and their correlation are within four standard errors.
	for _, v := range noise {
		if mean, deviation := stat.MeanStdDev(v, nil); math.Abs(mean) > 4*PlaneSigma/20 || math.Abs(deviation-PlaneSigma) > 4*PlaneSigma/math.Sqrt(800) {
			t.Errorf("noise of mean %.3f and deviation %.3f, want 0 and %g", mean, deviation, PlaneSigma)
		}
	}
	r := stat.Correlation(noise[0], noise[1], nil)
	expect.That(t, math.Abs(r) <= 4./20, "two views have noise with correlation %.2f", r)
	other, _ := points.Batch(4)
	expect.That(t, !reflect.DeepEqual(views, other), "two steps have the same batch")
}

// Leads are paired by seed, and points without two pairs are omitted.
func TestLeadsOver(t *testing.T) {
	cells := watchedCells()
	row := func(method string) Row { return Row{method, Neighbors} }
	at := func(share float64) string { return ShareAt("T", share) }
	add := func(seed uint64, right int) {
		test := evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: right, FalseNegative: 100 - right}}
		cells.Standings = append(cells.Standings, experiment.Standing{Run: experiment.Run{Setting: at(0.1), Method: "other", Seed: seed},
			State: experiment.Done, Result: &experiment.Result{Points: []experiment.Point{{Head: Neighbors, Test: &test}}}})
	}
	add(1, 89) // of 90
	add(2, 93) // of 96
	curves := LeadsOver(cells, []Row{row("PUCL"), row("ssCL")}, row("other"), []float64{0.1, 0.5}, at)
	expect.That(t, len(curves) == 1 && slices.Equal(curves[0].X, []float64{0.1}) &&
		math.Abs(curves[0].Y[0]-2) <= 1e-9 && math.Abs(curves[0].High[0]-2-12.7062) <= 1e-3, "%+v", curves)
}

// forget shuffles all true classes in the data after the labeled images are fixed.
func (o *opened) forget(rng *rand.Rand) {
	for _, classes := range [][]int{o.learn, o.aside, o.test.labels} {
		rng.Shuffle(len(classes), func(i, j int) { classes[i], classes[j] = classes[j], classes[i] })
	}
	for _, positive := range [][]bool{o.truth, o.poolTruth, o.train.Positive, o.held.Positive} {
		rng.Shuffle(len(positive), func(i, j int) { positive[i], positive[j] = positive[j], positive[i] })
	}
}

// No baseline uses a true class: with shuffled classes of unlabeled, held-out and test images, all its measurements
// except on the test set are bit-identical in every epoch.
func TestNoBaselineLooksAtTrueClasses(t *testing.T) {
	expect.Slow(t)
	eng, s := enginetest.Open(t), small()
	// 20 steps: every phase of a baseline has some.
	s.Data.Labeled, s.Data.Unlabeled, s.Baseline.Positives, s.Baseline.Unlabeled = 100, 240, 12, 24

	told, untold := expect.Must(s.Data.open(1))(t), expect.Must(s.Data.open(1))(t)
	defer func() { expect.NoError(t, errors.Join(told.close(), untold.close())) }()
	untold.forget(rand.New(rand.NewPCG(1, 1)))
	for _, c := range competitors() {
		t.Run(c.name, func(t *testing.T) {
			run := func(data *opened) *experiment.Outcome {
				return expect.Must(data.competeOnImages(t.Context(), eng, experiment.Place{Folder: t.TempDir()},
					s.Pretrain.Recipe, s.baselineConfig(c, 1), s.Epochs))(t)
			}
			want, got := run(told), run(untold)
			expect.Require(t, len(want.Points) == s.Epochs && len(got.Points) == s.Epochs,
				"%d and %d epochs, want %d", len(want.Points), len(got.Points), s.Epochs)
			for i, p := range want.Points {
				q := got.Points[i]
				if p.PU == nil || !reflect.DeepEqual(p.PU, q.PU) || !reflect.DeepEqual(p.Values, q.Values) {
					t.Errorf("epoch %d: %+v and %v with the true classes, %+v and %v without", i+1, p.PU, p.Values, q.PU, q.Values)
				}
				expect.That(t, !reflect.DeepEqual(p.Test, q.Test),
					"epoch %d: classes were shuffled and the test is the same, %+v", i+1, p.Test)
			}
		})
	}
}
