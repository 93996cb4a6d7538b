package lab

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/train"
)

func TestSmallTask(t *testing.T) {
	learn, held, err := SmallTask(30, 1)
	if err != nil {
		t.Fatal(err)
	}
	if learn.NumLabeled() != 30 || learn.NumUnlabeled() != taskImages || held.NumLabeled() != 0 || held.Images.Len() != heldImages {
		t.Errorf("to learn from %v, held out %v", learn, held)
	}
	if _, _, err := SmallTask(taskImages, 1); err == nil {
		t.Error("more images are labeled than are positive")
	}
}

// tinyTask returns eight images, the first of which are positive, with a model that has learned next to nothing of them.
func tinyTask(t *testing.T, labeled int) (*train.Model, *datasets.PU) {
	t.Helper()
	images := &datasets.Images{Height: 8, Width: 8, Channels: 1, Pixels: make([]uint8, 8*64), Labels: []int{0, 0, 0, 0, 1, 1, 1, 1}, Classes: []string{"a", "b"}}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range images.Pixels {
		images.Pixels[i] = uint8(rng.IntN(256))
	}
	pu, err := datasets.NewPU(images, datasets.SplitConfig{Positive: []int{0}, Labeled: labeled, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	batches, err := datasets.NewBatches(pu, datasets.BatchConfig{Size: 4})
	if err != nil {
		t.Fatal(err)
	}
	m, err := train.Pretrain(context.Background(), enginetest.Open(t), batches,
		train.Config{Steps: 1, Encoder: encoder.MLP{Hidden: []int{}, Dim: 64}, Projection: 8, Recipe: augment.Recipe{}})
	if err != nil {
		t.Fatal(err)
	}
	return m, pu
}

// The population of a model has the projections of the unlabeled images of each class.
func TestPopulation(t *testing.T) {
	m, pu := tinyTask(t, 2)
	eng := enginetest.Open(t)
	p, err := Population(eng, m, pu)
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.EmbedImages(eng, pu.Images)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Positive) != 4 || len(p.Negative) != 4 || p.Positive[0].P != 0.25 || p.Dim() != 8 {
		t.Fatalf("population %+v", p)
	}
	for i := range 4 {
		for j, z := range p.Negative[i].Z {
			if z != e.Z.At(4+i, j) || p.Positive[i].Z[j] != e.Z.At(i, j) {
				t.Errorf("point %d is not image %d", i, 4+i)
			}
		}
	}
}

// A batch has the views of different images, positives where it is labeled, and with a recipe that changes nothing both views are
// the image itself.
func TestViewBatches(t *testing.T) {
	m, pu := tinyTask(t, 0)
	eng := enginetest.Open(t)
	batches, labeled, err := ViewBatches(eng, m, augment.Recipe{}, pu, 2, 3, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.EmbedImages(eng, pu.Images)
	if err != nil {
		t.Fatal(err)
	}
	imageOf := func(z []float64) int {
		for row := range 8 {
			if floats.Distance(z, e.Z.RawRowView(row), 2) < 1e-6 {
				return row
			}
		}
		return -1
	}
	if len(batches) != 20 || len(labeled) != 5 || !labeled[0] || !labeled[1] || labeled[2] {
		t.Fatalf("%d batches, labeled %v", len(batches), labeled)
	}
	seen := map[int]bool{}
	for k, batch := range batches {
		in := map[int]bool{}
		for i := range 5 {
			first, second := imageOf(batch[i]), imageOf(batch[5+i])
			if first < 0 || first != second || in[first] || labeled[i] && first > 3 {
				t.Errorf("batch %d: views of images %d and %d in place %d", k, first, second, i)
			}
			in[first], seen[first] = true, true
		}
	}
	if len(seen) != 8 {
		t.Errorf("only the images %v come up", seen)
	}
	for _, want := range [][2]int{{5, 0}, {4, 5}, {-1, 2}} {
		if _, _, err := ViewBatches(eng, m, augment.Recipe{}, pu, want[0], want[1], 1, 1); err == nil {
			t.Errorf("%d labeled and %d unlabeled images were drawn from 4 positives and 8 images", want[0], want[1])
		}
	}
}
