package vqa

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/steptest"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/safetensors"
	"github.com/puclab/puclab/pucl/train"
)

// speckles is a set of different 32×32 color images.
type speckles int

func (n speckles) Len() int                           { return int(n) }
func (speckles) Shape() (height, width, channels int) { return 32, 32, 3 }
func (speckles) ReadImage(i int, dst []uint8) error {
	rng := rand.New(rand.NewPCG(uint64(i), 1))
	for k := range dst {
		dst[k] = uint8(rng.Uint32())
	}
	return nil
}

// benchmarkData returns n images with captions of 10 to 20 words, a question of 6 words to each, and 30 answers.
func benchmarkData(tb testing.TB, n int) Data {
	tb.Helper()
	words := Special()
	for i := range 40 {
		words = append(words, fmt.Sprint("word", i))
	}
	tokenizer := expect.Must(NewTokenizer(words))(tb)
	rng := rand.New(rand.NewPCG(1, 2))
	say := func(count int) string {
		text := make([]string, count)
		for i := range text {
			text[i] = fmt.Sprint("word", rng.IntN(40))
		}
		return strings.Join(text, " ")
	}
	d := Data{Images: speckles(n), Tokenizer: tokenizer}
	for i := range 30 {
		d.Answers = append(d.Answers, fmt.Sprint("answer ", i))
	}
	for i := range n {
		d.Captions = append(d.Captions, say(10+rng.IntN(11)))
		d.Questions = append(d.Questions, Question{i, say(6), []string{d.Answers[rng.IntN(30)], d.Answers[rng.IntN(30)]}})
	}
	return d
}

// BenchmarkStep measures training steps of the small model, the zero value of Config, as in Train: 64 images with a
// caption and a question each, and two views of every image. peers/step.py compares PyTorch.
func BenchmarkStep(b *testing.B) {
	eng, data := enginetest.Found(b), benchmarkData(b, 512)
	c := Config{Seed: 1, Settings: train.Settings{Steps: math.MaxInt32, Schedule: optim.Constant{}}}
	write := func(path string) error { return writeStart(eng, data, c, path) }
	steptest.Run(b, write, func(ctx context.Context, step func(int, float64)) error {
		c.Settings.Observer = train.OnStep(func(p train.Progress) { step(p.Step, p.Loss) })
		return expect.Err(Train(ctx, eng, data, c))
	})
}

// The initial state for peers can be written.
func TestStartOfPeers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "start")
	expect.NoError(t, writeStart(enginetest.Open(t), benchmarkData(t, 4), Config{Seed: 1, Batch: 2}, path))
	file := expect.Must(safetensors.ReadFile(path))(t)
	for _, name := range []string{"3-6", "network.image.conv_proj.weight", "momentum.text.encoder.layer.1.output.dense.bias", "network.head.out.weight"} {
		_, ok := file.Tensors[name]
		expect.That(t, ok, "no %s among %d", name, len(file.Tensors))
	}
}

// writeStart writes the initial weights of a run of c, including the momentum encoder, and the tensors of its first
// batches.
func writeStart(eng *engine.Engine, data Data, c Config, path string) error {
	c = c.withDefaults(data.Tokenizer)
	p, err := data.prepare(c)
	if err != nil {
		return err
	}
	store := model.NewStore()
	encoder.SetSeed(store, c.Seed)
	out := map[string]safetensors.Tensor{}
	inputs, err := steptest.AddBatches(out, func(step int) ([]*tensors.Tensor, error) {
		batch, err := p.batch(c, step)
		return batch.Inputs, err
	})
	if err != nil {
		return err
	}
	l := &learning{config: c, answers: p.answers}
	exec, err := model.NewExec(eng.Backend, store, func(scope *model.Scope, in []*Node) *Node { // draws the weights
		return l.loss(l.outputs(scope, in), in)
	})
	if err != nil {
		return err
	}
	defer exec.Finalize()
	list := make([]any, len(inputs))
	for i, input := range inputs {
		list[i] = input
	}
	if _, err := exec.Call(list...); err != nil {
		return err
	}
	if err := steptest.AddWeights(out, store, networkScope, momentumScope); err != nil {
		return err
	}
	return (&safetensors.File{Tensors: out}).WriteFile(path)
}
