package papers

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/baseline"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/pucl/vqa"
)

// noise produces batches of random images, of which every fiftieth is a labeled positive.
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

// A step of open-world sampling at size paper, a ResNet-50 on 256 images of 224×224 in micro-batches, also starts near
// the chance level.
func TestPaperStepOfOpenWorld(t *testing.T) {
	paperStep(t)
	list := expect.Must(openWorlds(experiment.Paper))(t)
	w := list[0]
	config := w.Pretrain
	config.Encoder, config.Steps, config.Compute = w.Encoder, 1, train.Compute{MicroBatches: 32}
	model, err := train.Pretrain(context.Background(), enginetest.Open(t), noise{w.Batch, 224, 224, 3}, config)
	expect.NoError(t, err)
	// With τ = 0.2 a loss of noise varies more than with 0.5.
	loss, chance := model.History.Losses[0], model.History.Chance
	expect.That(t, math.Abs(loss-chance) <= 2.5, "loss %g, at chance %g", loss, chance)
	t.Logf("%s: loss %g, at chance %g", w.Name, loss, chance)
}

// paperStep skips a test that takes minutes, unless PUCL_PAPER_STEP is set.
func paperStep(t *testing.T) {
	t.Helper()
	if os.Getenv("PUCL_PAPER_STEP") == "" {
		t.Skip("PUCL_PAPER_STEP is not set: this takes minutes")
	}
}

// paperShapes has batches for the three encoders of size paper. The other settings of the tables differ only by classes
// and labels.
var paperShapes = map[string]noise{"FMNIST-I": {1024, 28, 28, 1}, "CIFAR-I": {1024, 32, 32, 3}, "STL-I": {1024, 96, 96, 3}}

// A step of each real configuration of size paper, with its whole batch in micro-batches, starts near the chance level
// and gives finite values: by PUCL, and by PU-debiased, the loss of CrossFit's second round. It takes minutes, so
// PUCL_PAPER_STEP must be set.
func TestPaperStep(t *testing.T) {
	paperStep(t)
	tenClasses := expect.Must(unlabeled(experiment.Paper, UnlabeledTasks(experiment.Paper)[0]))(t)
	eng := enginetest.Open(t)
	list := expect.Must(settings(experiment.Paper))(t)
	for _, s := range append(list, tenClasses) {
		batches, ok := paperShapes[s.Data.Benchmark]
		objectives := []pucl.Objective{pucl.PUCL(), pucl.PUDebiased(s.prior())}
		switch {
		case s.Name == tenClasses.Name:
			batches.size, objectives = 256, objectives[:1]
		case !ok || s.Data.Labeled != 1000:
			continue
		}
		for _, o := range objectives {
			t.Run(s.Name+"/"+o.Name, func(t *testing.T) {
				config := s.Pretrain
				config.Encoder, config.Objective, config.Steps, config.Compute = s.Encoder, o, 1, train.Compute{MicroBatches: 16}
				model := expect.Must(train.Pretrain(context.Background(), eng, batches, config))(t)
				loss, chance := model.History.Losses[0], model.History.Chance
				expect.That(t, batches.size == s.Batch.Size && math.Abs(loss-chance) <= 1.5,
					"loss %g, at chance %g, batches of %d", loss, chance, s.Batch.Size)
				t.Logf("loss %g, at chance %g", loss, chance)
			})
		}
	}
}

// A step of baselines at size paper uses a whole batch of 1,024 rows at once, because baselines have no micro-batches.
// All baselines run on the small encoder of Fashion-MNIST; on both ResNets only nnPU and, for training on views, NcPU.
// A forward and backward pass through these needs about 8 GB on CIFAR-10 and 6 GB on STL-10, computed from the layers,
// not measured. Baselines with two or three such passes, such as LaGAM, therefore require large GPUs there.
func TestPaperStepOfBaselines(t *testing.T) {
	paperStep(t)
	eng := enginetest.Open(t)
	list := expect.Must(settings(experiment.Paper))(t)
	for _, s := range list {
		images, ok := paperShapes[s.Data.Benchmark]
		if !ok || s.Data.Labeled != 1000 {
			continue
		}
		images.size = s.Baseline.Positives + s.Baseline.Unlabeled
		pixels, _ := expect.Must2(images.Batch(0))(t)
		data := baseline.Data{Examples: baseline.Images{Pixels: pixels, Shape: augment.Shape{Height: images.height, Width: images.width, Channels: images.channels}},
			Labeled: slices.Concat(slices.Repeat([]bool{true}, s.Baseline.Positives), make([]bool, s.Baseline.Unlabeled))}
		for _, c := range competitors() {
			if s.Data.Benchmark != "FMNIST-I" && c.name != "nnPU" && c.name != "NcPU" {
				continue
			}
			t.Run(s.Name+"/"+c.name, func(t *testing.T) {
				config := s.baselineConfig(c, 0)
				config.Settings.Steps = 1
				result := expect.Must(baseline.Train(context.Background(), eng, data, config))(t)
				// Losses of all kinds are between those of certain answers, right and wrong; the largest are contrasts
				// of 2,048 rows at τ = 0.07.
				loss, norm := result.History.Losses[0], result.History.GradientNorms[0]
				expect.That(t, images.size == s.Batch.Size && math.Abs(loss) < 40 && norm > 0 && norm < 1e3,
					"loss %g and gradient %g on %d rows", loss, norm, images.size)
				t.Logf("loss %g, gradient %g", loss, norm)
			})
		}
	}
}

// A step of question answering at size paper, ViT-B/16 and BERT-base on images of 224×224, on the eight images that fit
// into the memory of this test: the loss compares images with each other, so there are no micro-batches.
func TestPaperStepOfAnswering(t *testing.T) {
	paperStep(t)
	c := answeringAmounts[experiment.Paper].Answering
	draw := Answering{Images: 8, Tested: 1, Questions: 1, Edge: c.Edge}
	learn, _ := expect.Must2(draw.Draw(1))(t)
	config := c.Model(pucl.NPair(), 1)
	config.Batch, config.Settings.Steps = 8, 1
	model := expect.Must(vqa.Train(context.Background(), enginetest.Open(t), learn.Data, config))(t)
	// The loss of so few answers, plus terms that compare 8 images, or about 8·196 patches.
	least, most := math.Log(float64(len(learn.Answers))), math.Log(float64(len(learn.Answers)))+math.Log(8*196)+4
	loss := model.History.Losses[0]
	expect.That(t, loss > least && loss < most, "loss %g, want %g to %g", loss, least, most)
}
