package papers

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// forget shuffles all that data know of true classes once it is settled which images are labeled.
func (o *opened) forget(rng *rand.Rand) {
	for _, classes := range [][]int{o.learn, o.aside, o.test.labels} {
		rng.Shuffle(len(classes), func(i, j int) { classes[i], classes[j] = classes[j], classes[i] })
	}
	for _, positive := range [][]bool{o.truth, o.poolTruth, o.train.Positive, o.held.Positive} {
		rng.Shuffle(len(positive), func(i, j int) { positive[i], positive[j] = positive[j], positive[i] })
	}
}

// No rival looks at a true class: with those shuffled, of unlabeled, held-out and test images, it is measured as its run is to the bit,
// in every epoch and in all that is no test.
func TestNoRivalLooksAtTrueClasses(t *testing.T) {
	expect.Slow(t)
	eng, s := enginetest.Open(t), small()
	s.Data.Labeled, s.Data.Unlabeled, s.Rival.Positives, s.Rival.Unlabeled = 100, 720, 24, 72 // 20 steps: every phase of a rival has some

	data, err := s.Data.open(1)
	if err != nil {
		t.Fatal(err)
	}
	defer data.close()
	data.forget(rand.New(rand.NewPCG(1, 1)))
	for _, c := range competitors() {
		t.Run(c.name, func(t *testing.T) {
			want, err := s.rival(c, 1).Train(t.Context(), eng, experiment.Place{Folder: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			got, err := data.competeOnImages(t.Context(), eng, experiment.Place{Folder: t.TempDir()}, s.Pretrain.Recipe, s.rivalConfig(c, 1), s.Epochs)
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Points) != s.Epochs || len(got.Points) != s.Epochs {
				t.Fatalf("%d and %d epochs, want %d", len(want.Points), len(got.Points), s.Epochs)
			}
			for i, p := range want.Points {
				q := got.Points[i]
				if p.PU == nil || !reflect.DeepEqual(p.PU, q.PU) || !reflect.DeepEqual(p.Values, q.Values) {
					t.Errorf("epoch %d: %+v and %v with the true classes, %+v and %v without", i+1, p.PU, p.Values, q.PU, q.Values)
				}
				if reflect.DeepEqual(p.Test, q.Test) {
					t.Errorf("epoch %d: classes were shuffled and the test is the same, %+v", i+1, p.Test)
				}
			}
		})
	}
}
