package train

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/optim"
)

// gray are black images of any size.
type gray struct{ height, width, channels, size int }

func (g gray) ImageShape() (height, width, channels int) { return g.height, g.width, g.channels }

func (g gray) Batch(int) (pixels []uint8, labeled []bool, err error) {
	return make([]uint8, g.size*g.height*g.width*g.channels), make([]bool, g.size), nil
}

// mislabeled are stripes with a label too many.
type mislabeled struct{ stripes }

func (m mislabeled) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	pixels, labeled, err = m.stripes.Batch(step)
	return pixels, append(labeled, false), err
}

// Every message as a user meets it, whole: what was given, what was expected, the mend.
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
		{"labels", mislabeled{stripes{8, 2}}, nil,
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
		{"temperature", stripes{8, 2}, func(c *Config) { c.Tau = -0.5 },
			"train: temperature τ = -0.5; … it divides the similarities and must be a positive number (0 means 0.5, the paper's)"},
		{"no temperature", stripes{8, 2}, func(c *Config) { c.Tau = math.NaN() },
			"train: temperature τ = NaN; … it divides the similarities and must be a positive number (0 means 0.5, the paper's)"},
		{"rate", stripes{8, 2}, func(c *Config) { c.LearningRate = -0.1 },
			"train: learning rate -0.1; … it must be a positive number (0 means 0.001, or what the Optimizer names)"},
		{"endless rate", stripes{8, 2}, func(c *Config) { c.LearningRate = math.Inf(1) },
			"train: learning rate +Inf; … it must be a positive number (0 means 0.001, or what the Optimizer names)"},
		{"LARS", stripes{8, 2}, func(c *Config) { c.Optimizer = optim.LARS{Momentum: 2} },
			"momentum 2 … it must be less than 1 (0.9 is usual)"},
		{"warm-up", stripes{8, 2}, func(c *Config) { c.Schedule = optim.Cosine{Warmup: 9} },
			"train: optim: a warm-up of 9 steps does not fit into a run of 2; … shorten it, or train for longer"},
		{"steps", stripes{8, 2}, func(c *Config) { c.Steps = -2 },
			"train: Steps -2, CheckpointEvery 500: … none may be negative, and 0 means the default"},
		{"checkpoints", stripes{8, 2}, func(c *Config) { c.CheckpointEvery = -1 },
			"train: Steps 2, CheckpointEvery -1: … none may be negative, and 0 means the default"},
		{"projection", stripes{8, 2}, func(c *Config) { c.Projection = -4 },
			"train: Projection -4; … it must not be negative, and 0 means 128"},
		{"folder", stripes{8, 2}, func(c *Config) { c.Checkpoint = file },
			"train: the checkpoint folder " + file + " cannot be written to (mkdir " + file + ": not a directory); … make room there, make it writable or name another one in " +
				"Checkpoint: nothing was trained yet"},
		{"readings", stripes{8, 2}, func(c *Config) { c.Monitor.Every = -1 },
			"train: Monitor.Every is -1; … it counts steps: give a positive number, or 0 for no readings"},
		{"one example to monitor", stripes{8, 2}, func(c *Config) { c.Monitor = Monitor{Every: 1, Examples: 1} },
			"train: Monitor.Examples is 1; … one example alone has no spread: give 2 or more, or 0 for 512"},
		{"prior", stripes{8, 2}, func(c *Config) { c.Monitor = Monitor{Every: 1, Prior: 1} },
			"train: Monitor.Prior is 1; … a class prior lies above 0 and below 1, and 0 says that it is not known"},
		{"neighbors", stripes{8, 2}, func(c *Config) { c.Monitor = Monitor{Every: 1, Examples: 20}; c.Monitor.KNN.K = 11 },
			"train: Monitor.KNN has K = 11, but of 20 examples only the 10 of the bank can be neighbors; … give a smaller K or more Examples"},
		{"truth of nothing", stripes{8, 2}, func(c *Config) { c.Monitor = Monitor{Every: 1, Positive: make([]bool, 4)} },
			"train: Monitor has Labeled or Positive, but neither Pixels nor Features that they could belong to; … give all or none"},
		{"truth of others", stripes{8, 2}, func(c *Config) {
			c.Monitor = Monitor{Every: 1, Pixels: make([]uint8, 288), Labeled: make([]bool, 2), Positive: make([]bool, 3)}
		}, "train: Monitor has 2 entries in Labeled and 3 in Positive; … there must be one of each for every example"},
		{"labels of monitored images", stripes{8, 2}, func(c *Config) {
			c.Monitor = Monitor{Every: 1, Pixels: make([]uint8, 288), Labeled: make([]bool, 3)}
		},
			"train: 2 images to monitor of 12×12×1 (height×width×channels) and 3 labels; … give one for each image, in the same order"},
		{"rows for images", stripes{8, 2}, func(c *Config) { c.Monitor = Monitor{Every: 1, Features: mat.NewDense(2, 2, nil)} },
			"train: Monitor.Features holds rows of features, but images are trained on; … give Monitor.Pixels"},
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
		{"temperature", stripes{8, 2}, func(c *Config) { c.Tau = -1 },
			"temperature τ = -1 … it divides the similarities"},
		{"steps", stripes{8, 2}, func(c *Config) { c.Steps = -1 }, "Steps -1, CheckpointEvery 500 … negative"},
		{"crop", stripes{8, 2}, func(c *Config) { c.Recipe = grayViews(2) },
			"area, ratio up to 1.33, brightness ±0.4 … the shares must be positive, in order"},
		{"pixels", brokenBatches{stripes{8, 2}}, func(*Config) {},
			"1151 bytes of pixels, but images of 12×12×1 … do ImageShape and Batch speak of the same"},
		{"graph error", stripes{8, 2}, func(c *Config) { c.Objective = pucl.Objective{Name: "half", Attract: pucl.OwnViews} },
			"lacks a term … it needs both Attract and Repel"},
		{"endless temperature", stripes{8, 2}, func(c *Config) { c.Tau = math.Inf(1) },
			"temperature τ = +Inf … it divides the similarities"},
		{"rate", stripes{8, 2}, func(c *Config) { c.LearningRate = math.NaN() },
			"learning rate NaN … it must be a positive number (0 means 0.001"},
		{"blow-up", stripes{8, 2}, func(c *Config) {
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
	refusal.Check(t, refusal.Err(Pretrain(context.Background(), nil, stripes{8, 2}, quick(1))), "no engine given … engine.Open")
}

// A checkpoint of something else is refused with what differs, and stays as it is.
func TestCheckpointsOfOtherRuns(t *testing.T) {
	eng := enginetest.Open(t)
	folder := t.TempDir()
	config := quick(2)
	config.Checkpoint = folder
	expect.NoError(t, expect.Err(Pretrain(context.Background(), eng, stripes{8, 2}, config)))
	path := filepath.Join(folder, checkpointFile)
	before := expect.Must(os.ReadFile(path))(t)
	for _, tt := range []struct {
		name    string
		batches Batches
		bend    func(*Config)
		differs []string
	}{
		{"encoder", stripes{8, 2}, func(c *Config) { c.Encoder = encoder.ResNet{Depth: 10} }, []string{"\n  Encoder: there MLP", "asked for ResNet"}},
		{"objective", stripes{8, 2}, func(c *Config) { c.Objective = pucl.SSCL() }, []string{"\n  Objective: there PUCL, asked for ssCL\n"}},
		{"data", gray{16, 12, 1, 8}, func(*Config) {}, []string{"\n  Data: there images 12×12×1, stripes, asked for images 16×12×1"}},
		{"seed", stripes{8, 2}, func(c *Config) { c.Seed = 6 }, []string{"\n  Seed: there 5, asked for 6"}},
	} {
		other := config
		tt.bend(&other)
		_, err := Pretrain(context.Background(), eng, tt.batches, other)
		names(t, tt.name, err, append(tt.differs, path, "is the checkpoint of another run, and is left as it is", "name another folder")...)
	}
	after, err := os.ReadFile(path)
	expect.That(t, err == nil && string(after) == string(before), "a refused checkpoint was changed (%v)", err)
}

// A stopped run says where its state is, or why there is none.
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
		_, err := Pretrain(ctx, eng, stripes{8, 2}, config)
		var why *Stopped
		if !errors.As(err, &why) || !errors.Is(err, context.Canceled) || why.Step != tt.after || why.Steps != 5 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		expect.That(t, strings.Contains(err.Error(), tt.want) && strings.Contains(err.Error(), "(the user had enough)"),
			"%s: %v lacks %q", name, err, tt.want)
		expect.That(t, watching.starts == 1 && watching.steps == tt.after && watching.ends == 1 && watching.err == err,
			"%s: the observer saw %+v", name, watching)
		t.Log(err)
	}
}
