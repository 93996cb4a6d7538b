package train

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/optim"
	"gonum.org/v1/gonum/mat"
)

// gray are black images of any size.
type gray struct{ height, width, channels, size int }

func (g gray) ImageShape() (height, width, channels int) { return g.height, g.width, g.channels }

func (g gray) Batch(int) (pixels []uint8, labeled []bool, err error) {
	return make([]uint8, g.size*g.height*g.width*g.channels), make([]bool, g.size), nil
}

// mislabeled are stripes with one label too many.
type mislabeled struct{ stripes }

func (m mislabeled) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	pixels, labeled, err = m.stripes.Batch(step)
	return pixels, append(labeled, false), err
}

// The complete error messages: the given value, the expected value, the remedy.
func TestWhatIsRefusedIsSaidPlainly(t *testing.T) {
	eng := enginetest.Open(t)
	file := filepath.Join(t.TempDir(), "file")
	expect.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, tt := range []struct {
		name    string
		batches Batches
		bend    func(*Config)
		want    string
	}{
		{"batch of one", gray{12, 12, 1, 1}, nil,
			"train: batch 0 is one of 1; … contrast needs at least 2 examples, and so does batch normalization, whose statistics are those of the batch: make batches larger"},
		{"no batch", gray{12, 12, 1, 0}, nil,
			"train: batch 0 is one of 0; … contrast needs at least 2 examples, and so does batch normalization, whose statistics are those of the batch: make batches larger"},
		{"labels", mislabeled{stripesOf(8, 2)}, nil,
			"train: batch 0 holds 9 labels and 1152 bytes of pixels, but images of 12×12×1 (height×width×channels) take 144 bytes for each label; " +
				"… do ImageShape and Batch speak of the same images?"},
		{"no images", gray{0, 12, 1, 4}, nil,
			"train: augment: images of shape 0×12×1; … height, width and channels must be at least 1"},
		{"small images", gray{20, 20, 1, 4}, func(c *Config) { c.Encoder = encoder.LeNet{} },
			"train: step 0: encoder: a LeNet needs images of at least 28×28, not 20×20 … give larger ones, or take another encoder"},
		{"patches", gray{12, 12, 1, 4}, func(c *Config) { c.Encoder = encoder.ViT{} },
			"train: step 0: encoder: a ViT with patches of 16×16 cannot tile images of 12×12; … both sides must be multiples of 16"},
		{"channels", gray{12, 12, 1, 4}, func(c *Config) {
			c.Encoder = encoder.ResNet{Depth: 10, Pixels: encoder.Pixels{Mean: []float64{1, 2, 3}}}
		},
			"encoder: the pixels' mean of ResNet holds 3 numbers; … images of (Float32)[8, 12, 12, 1] need 1, or 1 for all channels"},
		{"colors", gray{12, 12, 3, 4}, func(c *Config) { c.Recipe = nil }, "the images have 3 channels, and CropJitter … augment.CIFAR(0)"},
		{"temperature", stripesOf(8, 2), func(c *Config) { c.Tau = -0.5 },
			"train: temperature τ = -0.5; … it divides the similarities and must be a positive number (0 means 0.5, the paper's)"},
		{"no temperature", stripesOf(8, 2), func(c *Config) { c.Tau = math.NaN() },
			"train: temperature τ = NaN; … it divides the similarities and must be a positive number (0 means 0.5, the paper's)"},
		{"rate", stripesOf(8, 2), func(c *Config) { c.LearningRate = -0.1 },
			"train: learning rate -0.1; … it must be a positive number (0 means 0.001, or what the Optimizer names)"},
		{"endless rate", stripesOf(8, 2), func(c *Config) { c.LearningRate = math.Inf(1) },
			"train: learning rate +Inf; … it must be a positive number (0 means 0.001, or what the Optimizer names)"},
		{"LARS", stripesOf(8, 2), func(c *Config) { c.Optimizer = optim.LARS{Momentum: 2} },
			"momentum 2 … it must be less than 1 (0.9 is usual)"},
		{"warm-up", stripesOf(8, 2), func(c *Config) { c.Schedule = optim.Cosine{Warmup: 9} },
			"train: optim: a warm-up of 9 steps does not fit into a run of 2; … shorten it, or train for longer"},
		{"steps", stripesOf(8, 2), func(c *Config) { c.Steps = -2 },
			"train: Steps -2, CheckpointEvery 500: … none may be negative, and 0 means the default"},
		{"checkpoints", stripesOf(8, 2), func(c *Config) { c.CheckpointEvery = -1 },
			"train: Steps 2, CheckpointEvery -1: … none may be negative, and 0 means the default"},
		{"projection", stripesOf(8, 2), func(c *Config) { c.Projection = -4 },
			"train: Projection -4; … it must not be negative, and 0 means 128"},
		{"folder", stripesOf(8, 2), func(c *Config) { c.Checkpoint = file },
			"train: the checkpoint folder " + file + " cannot be written to (mkdir " + file + ": not a directory); … make room there, make it writable or name another one in " +
				"Checkpoint: nothing was trained yet"},
		{"readings", stripesOf(8, 2), func(c *Config) { c.Monitor.Every = -1 },
			"train: Monitor.Every is -1; … it counts steps: give a positive number, or 0 for no readings"},
		{"one example to monitor", stripesOf(8, 2), func(c *Config) { c.Monitor = Monitor{Every: 1, Examples: 1} },
			"train: Monitor.Examples is 1; … one example alone has no spread: give 2 or more, or 0 for 512"},
		{"prior", stripesOf(8, 2), func(c *Config) { c.Monitor = Monitor{Every: 1, Prior: 1} },
			"train: Monitor.Prior is 1; … a class prior lies above 0 and below 1, and 0 says that it is not known"},
		{"neighbors", stripesOf(8, 2), func(c *Config) { c.Monitor = Monitor{Every: 1, Examples: 20}; c.Monitor.KNN.K = 11 },
			"train: Monitor.KNN has K = 11, but of 20 examples only the 10 of the bank can be neighbors; … give a smaller K or more Examples"},
		{"truth of nothing", stripesOf(8, 2), func(c *Config) { c.Monitor = Monitor{Every: 1, Positive: make([]bool, 4)} },
			"train: Monitor has Labeled or Positive, but neither Pixels nor Features that they could belong to; … give all or none"},
		{"truth of others", stripesOf(8, 2), func(c *Config) {
			c.Monitor = Monitor{Every: 1, Pixels: make([]uint8, 288), Labeled: make([]bool, 2), Positive: make([]bool, 3)}
		}, "train: Monitor has 2 entries in Labeled and 3 in Positive; … there must be one of each for every example"},
		{"labels of monitored images", stripesOf(8, 2), func(c *Config) {
			c.Monitor = Monitor{Every: 1, Pixels: make([]uint8, 288), Labeled: make([]bool, 3)}
		},
			"train: 2 images to monitor of 12×12×1 (height×width×channels) and 3 labels; … give one for each image, in the same order"},
		{"rows for images", stripesOf(8, 2), func(c *Config) {
			c.Monitor = Monitor{Every: 1, Features: mat.NewDense(2, 2, nil)}
		}, "train: Monitor.Features holds rows of features, but images are trained on; … give Monitor.Pixels"},
	} {
		config := quick(2)
		if tt.bend != nil {
			tt.bend(&config)
		}
		t.Run(tt.name, func(t *testing.T) {
			_, err := Pretrain(context.Background(), eng, tt.batches, config)
			refusal.Check(t, err, tt.want)
			expect.That(t, err == nil || !strings.Contains(err.Error(), "\n"), "no sentence: %v", err)
		})
	}
}

type brokenBatches struct{ stripes }

func (b brokenBatches) Batch(step int) ([]uint8, []bool, error) {
	pixels, labeled, err := b.stripes.Batch(step)
	return pixels[1:], labeled, err
}

func TestPretrainErrors(t *testing.T) {
	eng := enginetest.Open(t)
	for _, tt := range []struct {
		name    string
		batches Batches
		bend    func(*Config)
		want    string
	}{
		{"temperature", stripesOf(8, 2), func(c *Config) { c.Tau = -1 }, "temperature τ = -1 … it divides the similarities"},
		{"steps", stripesOf(8, 2), func(c *Config) { c.Steps = -1 }, "Steps -1, CheckpointEvery 500 … negative"},
		{"crop", stripesOf(8, 2), func(c *Config) { c.Recipe = grayViews(2) },
			"area, ratio up to 1.33, brightness ±0.4 … the shares must be positive, in order"},
		{"pixels", brokenBatches{stripesOf(8, 2)}, func(*Config) {},
			"1151 bytes of pixels, but images of 12×12×1 … do ImageShape and Batch speak of the same"},
		{"graph error", stripesOf(8, 2), func(c *Config) {
			c.Objective = pucl.Objective{Name: "half", Attract: pucl.OwnViews}
		}, "lacks a term … it needs both Attract and Repel"},
		{"endless temperature", stripesOf(8, 2), func(c *Config) { c.Tau = math.Inf(1) },
			"temperature τ = +Inf … it divides the similarities"},
		{"rate", stripesOf(8, 2), func(c *Config) { c.LearningRate = math.NaN() },
			"learning rate NaN … it must be a positive number (0 means 0.001"},
		{"blow-up", stripesOf(8, 2), func(c *Config) {
			c.Objective = pucl.Objective{Name: "beyond float32", Attract: pucl.Scale(1e30, pucl.Scale(1e30, pucl.OwnViews)), Repel: pucl.LogPartition}
		}, "the loss is NaN at step 0 (batch 0 of images … learning rate"},
	} {
		config := light(3)
		tt.bend(&config)
		t.Run(tt.name, func(t *testing.T) {
			refusal.Check(t, refusal.Err(Pretrain(context.Background(), eng, tt.batches, config)), tt.want)
		})
	}
}

func TestNoEngine(t *testing.T) {
	refusal.Check(t, refusal.Err(Pretrain(context.Background(), nil, stripesOf(8, 2), quick(1))),
		"no engine given … engine.Open")
}

// The error of a stopped run names the file of its state, or the reason why there is none.
func TestStoppedRunsSayHowToGoOn(t *testing.T) {
	eng := enginetest.Open(t)
	folder := t.TempDir()
	for name, tt := range map[string]struct {
		folder string
		after  int
		want   string
	}{
		"with a folder":   {folder, 2, "its state is saved in " + filepath.Join(folder, checkpointFile) + ": run the same again, and it goes on from there"},
		"without":         {"", 2, "nothing is saved, since Checkpoint names no folder"},
		"before it began": {filepath.Join(folder, "b"), 0, "before there was anything to save"},
	} {
		ctx, stop := context.WithCancelCause(context.Background())
		config := quick(5)
		config.Checkpoint = tt.folder
		watching := &witness{}
		config.Observer = observers{watching, OnStep(func(p Progress) {
			if p.Step == tt.after {
				stop(errors.New("the user had enough"))
			}
		})}
		if tt.after == 0 {
			stop(errors.New("the user had enough"))
		}
		_, err := Pretrain(ctx, eng, stripesOf(8, 2), config)
		var why *Stopped
		if !errors.As(err, &why) || !errors.Is(err, context.Canceled) || why.Step != tt.after || why.Steps != 5 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		expect.That(t, strings.Contains(err.Error(), tt.want) && strings.Contains(err.Error(), "(the user had enough)"),
			"%s: %v lacks %q", name, err, tt.want)
		expect.That(t, watching.Starts == 1 && watching.Steps == tt.after && watching.Ends == 1 && watching.Err == err,
			"%s: the observer saw %+v", name, watching)
		t.Log(err)
	}
}

// Every method of a nil or hand-made model returns an error; nothing panics.
func TestNothingGiven(t *testing.T) {
	eng, ctx, path := enginetest.Open(t), context.Background(), filepath.Join(t.TempDir(), "model")
	for _, m := range []*Model{nil, {}} {
		for _, err := range []error{
			m.CheckImages(), m.DropTraining(), m.Save(path), m.Export(path), m.Write(nil),
			refusal.Err(m.Embed(eng, make([]uint8, 4))), refusal.Err(m.EmbedImages(eng, randomImages(1, 2, 2))),
			refusal.Err(m.EmbedFeatures(eng, mat.NewDense(1, 1, nil))), refusal.Err(m.NewEmbedder(eng)),
			refusal.Err(m.Clone()), refusal.Err(m.Weights()), m.CheckShape(2, 2, 1), m.CheckLabeled(make([]uint8, 4), 1, "labels"),
		} {
			refusal.Whole(t, err, "train: no model; … Pretrain and NewModel make one, LoadModel reads one")
		}
	}
	var none *Embedding
	refusal.Check(t, refusal.Err(none.Take([]int{0})), "no embedding … Embed of a model makes one")
	refusal.Check(t, none.Save(path), "no embedding … LoadEmbedding reads one")
	refusal.Check(t, refusal.Err((&Embedding{}).Take([]int{0})), "no rows given … embed at least one example")
	refusal.Check(t, refusal.Err(Pretrain(ctx, eng, nil, quick(1))), "no batches of images … NewBatches of a data set makes some")
	refusal.Check(t, refusal.Err(PretrainFeatures(ctx, eng, nil, quickFeatures(1))), "no batches of rows … NewBatches of a table makes some")
	var never context.Context
	refusal.Check(t, refusal.Err(Pretrain(never, eng, stripesOf(8, 2), quick(1))),
		"no context … give context.Background()")
	refusal.Check(t, refusal.Err(quickModel(t).NewEmbedder(nil)), "no engine given … open one with engine.Open")
}
