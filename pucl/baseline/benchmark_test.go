package baseline

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/steptest"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/safetensors"
	"github.com/puclab/puclab/pucl/train"
	"gonum.org/v1/gonum/stat/distuv"
)

// spambase returns UCI's Spambase, standardized, if PUCL_DATA_DIR has it.
func spambase(t *testing.T) *tabular.Table {
	t.Helper()
	if os.Getenv(datasets.EnvDataDir) == "" {
		t.Skipf("%s names no folder with the real files", datasets.EnvDataDir)
	}
	for _, folder := range datasets.Folders("uci") {
		f, err := os.Open(filepath.Join(folder, "spambase.csv"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		table := expect.Must(tabular.ReadCSV(f, tabular.CSV{NoHeader: true, Label: "58"}))(t)
		table.Standardize()
		return table
	}
	t.Skip("no spambase.csv in ", datasets.Folders("uci"))
	return nil
}

// plainMLP has dense layers with ReLU, and no batch normalization.
var plainMLP = encoder.Func{Name: "dense layers of 512, 256, 128, 64", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
	for i, size := range []int{512, 256, 128, 64} {
		x = encoder.ReLU(encoder.Dense(scope.In("dense%d", i+1), x, size, true))
	}
	return x
}}

// nnPU must reach at least the accuracy that a benchmark publishes for it on Spambase, 81.66%, by its protocol. A fifth
// of the data is the test set, a tenth of the other positives are labeled, and the unlabeled examples are all other
// rows together with these. That is case-control: two samples, the unlabeled one of all data. SingleDataset constructs
// it from rows that occur once. The second run, without a published figure, uses as unlabeled only the rows that
// labeling left in the single sample. These have too few positives for the prior, which costs a point or two.
//
// Source: "PU-Bench: A Unified Benchmark for Rigorous and Reproducible PU Learning" (2026), with its settings: 40
// epochs of batches of 256, Adam at a rate of 0.0003, β = 0, γ = 1. Differences: no dropout, no weight decay, and the
// last epoch, where the benchmark takes the best of some by the true classes of 37 examples. A separate implementation
// of its setting had dropout, weight decay, its small initial weights and a last bias that starts from the class prior.
// It gave 90.0 ± 2.1 (standard deviation of its ten seeds; F1 87.1 ± 2.7) if the epoch is chosen by F1, and 87.0 ± 7.7
// (F1 79.7 ± 18.6) if chosen by the largest F1 of any threshold: in the first three epochs no score is above 0, and
// that rule chooses an epoch just after these for some seeds. So 81.66 is below nnPU's accuracy there, and may be an
// F1.
func TestSpambase(t *testing.T) {
	table := spambase(t)
	for whole, least := range map[bool]float64{true: 81.66, false: 80} {
		m := spambaseAccuracy(t, table, 5, whole, func(prior float64) Method { return NNPU{Prior: prior} })
		expect.That(t, m >= least,
			"labeled positives among the unlabeled examples %v: accuracy %.2f, want %.2f", whole, m, least)
	}
}

// spambaseAccuracy returns the mean accuracy of a method after the last epoch, in percent, over some seeds. whole
// includes the labeled positives in the unlabeled examples, which are then a sample of all data.
func spambaseAccuracy(t *testing.T, table *tabular.Table, seeds int, whole bool, method func(prior float64) Method) float64 {
	t.Helper()
	eng := enginetest.Open(t)
	var last []float64
	for seed := range uint64(seeds) {
		order := rand.New(rand.NewPCG(seed, 1)).Perm(table.Len())
		test, rest := order[:table.Len()/5], order[table.Len()/5:]
		slices.SortStableFunc(rest, func(a, b int) int { return table.Labels[b] - table.Labels[a] }) // positives first
		positives := 0
		for _, row := range rest {
			positives += table.Labels[row]
		}
		prior := float64(positives) / float64(len(rest))
		rows := func(index []int) Rows {
			part := expect.Must(table.Select(index))(t)
			return Rows{part.Features}
		}
		r := must(t, eng, Data{Examples: rows(rest), Labeled: firstAre(positives/10, len(rest)), SingleDataset: whole}, Config{
			Method: method(prior), Encoder: plainMLP, Positives: 10, Unlabeled: 246, Seed: seed, Test: rows(test),
			Settings: train.Settings{Steps: 600, LearningRate: 3e-4, Schedule: optim.Constant{}},
		})
		right := 0
		for i, logit := range r.Epochs[len(r.Epochs)-1].Test {
			if (logit > 0) == (table.Labels[test[i]] == 1) {
				right++
			}
		}
		last = append(last, 100*float64(right)/float64(len(test)))
	}
	m := mean(last, func(x float64) float64 { return x })
	sd := math.Sqrt(mean(last, func(x float64) float64 { return (x - m) * (x - m) }) * float64(seeds) / float64(seeds-1))
	interval := distuv.StudentsT{Sigma: 1, Nu: float64(seeds - 1)}.Quantile(0.975) * sd / math.Sqrt(float64(seeds))
	t.Logf("%s, unlabeled batches with labeled positives %v: last epoch %.2f ± %.2f %.1f", method(0.5), whole, m, interval, last)
	return m
}

// BenchmarkStep times whole training steps of a baseline as Train takes them: 64 labeled positives and 192 unlabeled
// images of 28×28 without views, small CNN, Adam. peers/step.py compares it with PyTorch. A method's work after an
// epoch, and scoring, occur in too few steps to change the median.
func BenchmarkStep(b *testing.B) {
	b.Run("nnpu", func(b *testing.B) { benchmarkStep(b, NNPU{Prior: 0.4}) })
	b.Run("dist-pu", func(b *testing.B) { benchmarkStep(b, DistPU{Prior: 0.4, Warmup: -1}) }) // mixed examples from the start
}

func benchmarkStep(b *testing.B, m Method) {
	eng := enginetest.Found(b)
	const epochs, size = 40, 28
	images := Images{Pixels: make([]uint8, epochs*256*size*size), Shape: augment.Shape{Height: size, Width: size, Channels: 1}}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range images.Pixels {
		images.Pixels[i] = uint8(rng.Uint32())
	}
	data := Data{Examples: images, Labeled: firstAre(epochs*64, epochs*256)}
	config := Config{Method: m, Encoder: encoder.SmallCNN{Mean: 0.286, Std: 0.353}, Seed: 1, Settings: train.Settings{Steps: math.MaxInt32, Schedule: optim.Constant{}}}
	write := func(path string) error { return writeStart(eng, data, config, path) }
	steptest.Run(b, write, func(ctx context.Context, step func(int, float64)) error {
		config.Settings.Observer = train.OnStep(func(p train.Progress) { step(p.Step, p.Loss) })
		return expect.Err(Train(ctx, eng, data, config))
	})
}

// writeStart writes the images, the initial weights of a run of c, and the tensors of its first batches.
func writeStart(eng *engine.Engine, data Data, c Config, path string) error {
	images := data.Examples.(Images)
	r := &run{data: data, config: c.withDefaults(images), plan: c.Method.plan()}
	positive, unlabeled, err := data.pools()
	if err != nil {
		return err
	}
	if err := r.deal(positive, unlabeled); err != nil {
		return err
	}
	network := &Network{store: model.NewStore(), encoder: r.config.Encoder, like: images}
	encoder.SetSeed(network.store, c.Seed)
	if _, err := network.Score(eng, Images{Pixels: images.Pixels[:images.Shape.Height*images.Shape.Width], Shape: images.Shape}); err != nil {
		return err // scoring draws the weights
	}
	out, err := encoder.StateDict(network.store, "/"+networkScope)
	if err != nil {
		return err
	}
	out["images"] = safetensors.Tensor{DType: safetensors.U8, Shape: append([]int{len(data.Labeled)}, images.shape()...), Data: images.Pixels}
	if _, err := steptest.AddBatches(out, func(step int) ([]*tensors.Tensor, error) {
		batch, err := r.batch(step)
		return batch.Inputs, err
	}); err != nil {
		return err
	}
	return (&safetensors.File{Tensors: out}).WriteFile(path)
}
