package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/theory"
)

func TestSmallTask(t *testing.T) {
	learn, held := expect.Must2(SmallTask(30, 1))(t)
	expect.That(t, learn.NumLabeled() == 30 && learn.NumUnlabeled() == taskImages && held.NumLabeled() == 0 &&
		held.Images.Len() == heldImages, "to learn from %v, held out %v", learn, held)
	_, _, err := SmallTask(taskImages, 1)
	expect.That(t, err != nil, "more images are labeled than are positive")
}

// tinyTask returns eight images, of which the first four are positive, and a barely trained model.
func tinyTask(t *testing.T, labeled int) (*train.Model, *datasets.PU) {
	t.Helper()
	images := &datasets.Images{Height: 8, Width: 8, Channels: 1, Pixels: make([]uint8, 8*64), Labels: []int{0, 0, 0, 0, 1, 1, 1, 1}, Classes: []string{"a", "b"}}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range images.Pixels {
		images.Pixels[i] = uint8(rng.IntN(256))
	}
	pu := expect.Must(datasets.NewPU(images, datasets.SplitConfig{Positive: []int{0}, Labeled: labeled, Seed: 1}))(t)
	batches := expect.Must(datasets.NewBatches(pu, datasets.BatchConfig{Size: 4}))(t)
	m := expect.Must(train.Pretrain(context.Background(), enginetest.Open(t), batches,
		train.Config{Steps: 1, Encoder: encoder.MLP{Hidden: []int{}, Dim: 64}, Projection: 8, Recipe: augment.Recipe{}}))(t)
	return m, pu
}

// The population of a model contains the projections of the unlabeled images of each class.
func TestPopulation(t *testing.T) {
	m, pu := tinyTask(t, 2)
	eng := enginetest.Open(t)
	p := expect.Must(Population(eng, m, pu))(t)
	e := expect.Must(m.EmbedImages(eng, pu.Images))(t)
	expect.Require(t, len(p.Positive) == 4 && len(p.Negative) == 4 && p.Positive[0].P == 0.25 && p.Dim() == 8,
		"population %+v", p)
	for i := range 4 {
		for j, z := range p.Negative[i].Z {
			expect.That(t, z == e.Z.At(4+i, j) && p.Positive[i].Z[j] == e.Z.At(i, j),
				"point %d is not image %d", i, 4+i)
		}
	}
}

// A batch has views of different images, positives in labeled rows. With an empty recipe both views are the image
// itself.
func TestViewBatches(t *testing.T) {
	m, pu := tinyTask(t, 0)
	eng := enginetest.Open(t)
	batches, labeled := expect.Must2(ViewBatches(eng, m, augment.Recipe{}, pu, 2, 3, 20, 1))(t)
	e := expect.Must(m.EmbedImages(eng, pu.Images))(t)
	imageOf := func(z []float64) int {
		for row := range 8 {
			if floats.Distance(z, e.Z.RawRowView(row), 2) < 1e-6 {
				return row
			}
		}
		return -1
	}
	expect.Require(t, len(batches) == 20 && len(labeled) == 5 && labeled[0] && labeled[1] && !labeled[2],
		"%d batches, labeled %v", len(batches), labeled)
	seen := map[int]bool{}
	for k, batch := range batches {
		in := map[int]bool{}
		for i := range 5 {
			first, second := imageOf(batch[i]), imageOf(batch[5+i])
			expect.That(t, first >= 0 && first == second && !in[first] && (!labeled[i] || first <= 3),
				"batch %d: views of images %d and %d in place %d", k, first, second, i)
			in[first], seen[first] = true, true
		}
	}
	expect.That(t, len(seen) == 8, "only the images %v come up", seen)
	for _, want := range [][2]int{{5, 0}, {4, 5}, {-1, 2}} {
		if _, _, err := ViewBatches(eng, m, augment.Recipe{}, pu, want[0], want[1], 1, 1); err == nil {
			t.Errorf("%d labeled and %d unlabeled images were drawn from 4 positives and 8 images", want[0], want[1])
		}
	}
}

// farthest returns the first coordinate of the first positive point as a quantity; it fails after the given number of
// cases.
func farthest(cases int) theory.Question {
	return theory.Question{Name: "farthest", Ask: func(p theory.Population, _ theory.Design) (theory.Number, error) {
		if cases--; cases < 0 {
			return theory.Number{}, errors.New("theory: out of paper")
		}
		return theory.Number{Value: p.Positive[0].Z[0]}, nil
	}}
}

// A search reports its cases while it runs and their total at the end; the line does not change its result.
func TestSearch(t *testing.T) {
	var b bytes.Buffer
	told := 0
	s := theory.Search{Parts: 1, Random: 20, Climbs: -1, Progress: func(theory.SearchProgress) { told++ }}
	found := expect.Must(search(&b, s, farthest(1000)))(t)
	expect.That(t, found.Worst.Value.Value == 1 && told == found.Cases+1,
		"it found %v; of %d cases it told %d times", found, found.Cases, told)
	if !regexp.MustCompile(`^farthest: case 0\n(.*\n)*farthest: [0-9,]+ cases in .*\n$`).MatchString(b.String()) {
		t.Errorf("it says\n%s", b.String())
	}
}

// A search that fails reports its number of cases; a search that never starts prints nothing.
func TestSearchStopped(t *testing.T) {
	var b bytes.Buffer
	expect.That(t, expect.Err(search(&b, theory.Search{Parts: 1, Random: 20, Climbs: -1}, farthest(5))) != nil,
		"no error")
	expect.That(t, regexp.MustCompile(`\nfarthest: 5 cases in .*, stopped\n$`).MatchString(b.String()),
		"it says\n%s", b.String())
	b.Reset()
	_, err := search(&b, theory.Search{}, theory.Question{})
	expect.That(t, err != nil && b.Len() == 0, "without a question: %v, it says\n%s", err, b.String())
}

// An examination reports the current objective and the total number of cases.
func TestExamine(t *testing.T) {
	var b bytes.Buffer
	told := map[string]int{}
	page := expect.Must(examine(&b, Must(engine.Open()), pucl.PUCL(), theory.ExamineConfig{
		Search:   &theory.Search{Atoms: 1, Random: -1, Climbs: -1},
		Progress: func(objective string, at theory.SearchProgress) { told[objective] = at.Done },
	}))(t)
	ours, ssCL := page.Objective.Worst.Cases, page.References[0].Worst.Cases
	expect.That(t, told["PUCL"] == ours && told["ssCL"] == ssCL && ours != 0,
		"of %d and %d cases it told %v", ours, ssCL, told)
	want := fmt.Sprintf(`^worst cases: case 0, at PUCL\n(.*\n)*worst cases: %d cases in .*\n$`, ours+ssCL)
	expect.That(t, regexp.MustCompile(want).MatchString(b.String()), "it says\n%s", b.String())
}

// The sets are disjoint and complete, and seeds change only the labels.
func TestPiles(t *testing.T) {
	learn, check, judge, err := Piles(0.25, 40, 10, 1)
	expect.NoError(t, err)
	expect.That(t, learn.Images.Len() == 6000 && check.Images.Len() == 2000 && judge.Len() == 2000 &&
		learn.NumLabeled() == 40 && check.NumLabeled() == 10, "%v, %v, %d to judge by", learn, check, judge.Len())
	other, _, same, err := Piles(0.25, 40, 10, 2)
	if err != nil || !slices.Equal(same.Pixels, judge.Pixels) || !slices.Equal(other.Images.Pixels, learn.Images.Pixels) || slices.Equal(other.Index, learn.Index) {
		t.Errorf("another seed cuts otherwise, or labels the same: %v", err)
	}
	for _, labels := range [][2]int{{6001, 10}, {40, 2001}} {
		_, _, _, err := Piles(0.25, labels[0], labels[1], 1)
		expect.That(t, err != nil, "%v labels are more than there are positives", labels)
	}
	if _, _, _, err := Piles(1.5, 40, 10, 1); err == nil {
		t.Error("more than all are set aside")
	}
}

// All points lie within the axes.
func TestPlane(t *testing.T) {
	p := Plane("Two points", mat.NewDense(2, 2, []float64{-3, 1, 4, -2}), []bool{true, false})
	expect.That(t, p.Title.Text == "Two points" && p.X.Min <= -3 && p.X.Max >= 4 && p.Y.Min <= -2 && p.Y.Max >= 1,
		"%q from %g to %g and %g to %g", p.Title.Text, p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
}
