package papers

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/pucl/vqa"
)

// noise are batches of random images, of which every fiftieth is a labeled positive.
type noise struct{ size, height, width, channels int }

func (n noise) ImageShape() (height, width, channels int) { return n.height, n.width, n.channels }

func (n noise) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	rng := rand.New(rand.NewPCG(1, uint64(step)))
	pixels = make([]uint8, n.size*n.height*n.width*n.channels)
	for i := range pixels {
		pixels[i] = uint8(rng.Uint32())
	}
	for i := range n.size {
		labeled = append(labeled, i%50 == 0)
	}
	return pixels, labeled, nil
}

// A step of open-world sampling at size paper, a ResNet-50 on 256 images of 224×224 in micro-batches, starts near the chance level too.
func TestPaperStepOfOpenWorld(t *testing.T) {
	if os.Getenv("PUCL_PAPER_STEP") == "" {
		t.Skip("PUCL_PAPER_STEP is not set: this takes minutes")
	}
	list, err := openWorlds(experiment.Paper)
	if err != nil {
		t.Fatal(err)
	}
	w := list[0]
	config := w.Pretrain
	config.Encoder, config.Steps, config.Compute = w.Encoder, 1, train.Compute{MicroBatches: 32}
	model, err := train.Pretrain(context.Background(), enginetest.Open(t), noise{w.Batch, 224, 224, 3}, config)
	if err != nil {
		t.Fatal(err)
	}
	// With τ = 0.2 a loss of noise varies more than with 0.5.
	loss, chance := model.History.Losses[0], model.History.Chance
	if math.Abs(loss-chance) > 2.5 {
		t.Errorf("loss %g, at chance %g", loss, chance)
	}
	t.Logf("%s: loss %g, at chance %g", w.Name, loss, chance)
}

// A step of each real configuration of size paper, with its whole batch in micro-batches, starts near the chance level and moves
// nothing out of range. It takes minutes, so PUCL_PAPER_STEP must be set.
func TestPaperStep(t *testing.T) {
	if os.Getenv("PUCL_PAPER_STEP") == "" {
		t.Skip("PUCL_PAPER_STEP is not set: this takes minutes")
	}
	shapes := map[string]noise{"FMNIST-I": {1024, 28, 28, 1}, "CIFAR-I": {1024, 32, 32, 3}, "STL-I": {1024, 96, 96, 3}}
	tenClasses, err := unlabeled(experiment.Paper, UnlabeledTasks(experiment.Paper)[0])
	if err != nil {
		t.Fatal(err)
	}
	eng := enginetest.Open(t)
	list, err := settings(experiment.Paper)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append(list, tenClasses) {
		batches, ok := shapes[s.Data.Benchmark]
		switch {
		case s.Name == tenClasses.Name:
			batches.size = 256
		case !ok || s.Data.Labeled != 1000:
			continue
		}
		config := s.Pretrain
		config.Encoder, config.Objective, config.Steps, config.Compute = s.Encoder, pucl.PUCL(), 1, train.Compute{MicroBatches: 16}
		model, err := train.Pretrain(context.Background(), eng, batches, config)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		loss, chance := model.History.Losses[0], model.History.Chance
		if batches.size != s.Batch.Size || math.Abs(loss-chance) > 1.5 {
			t.Errorf("%s: loss %g, at chance %g, batches of %d", s.Name, loss, chance, s.Batch.Size)
		}
		t.Logf("%s: loss %g, at chance %g", s.Name, loss, chance)
	}
}

// A step of question answering at size paper, ViT-B/16 and BERT-base on images of 224×224, on the eight images that two cores have the
// memory for: images are compared with each other, so there are no micro-batches.
func TestPaperStepOfAnswering(t *testing.T) {
	if os.Getenv("PUCL_PAPER_STEP") == "" {
		t.Skip("PUCL_PAPER_STEP is not set: this takes minutes")
	}
	c := answeringAmounts[experiment.Paper].Answering
	draw := Answering{Images: 8, Tested: 1, Questions: 1, Edge: c.Edge}
	learn, _, err := draw.Draw(1)
	if err != nil {
		t.Fatal(err)
	}
	config := c.Model(pucl.NPair(), 1)
	config.Batch, config.Settings.Steps = 8, 1
	model, err := vqa.Train(context.Background(), enginetest.Open(t), learn.Data, config)
	if err != nil {
		t.Fatal(err)
	}
	// The answers of so small a list, and terms that compare 8 images, or some 8·196 patches.
	least, most := math.Log(float64(len(learn.Answers))), math.Log(float64(len(learn.Answers)))+math.Log(8*196)+4
	if loss := model.History.Losses[0]; !(loss > least && loss < most) {
		t.Errorf("loss %g, want %g to %g", loss, least, most)
	}
}
