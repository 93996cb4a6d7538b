package pu_test

import (
	"context"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/baseline"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/prior"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/pu"
	"github.com/puclab/puclab/pucl/train"
)

// blobs returns n rows of four numbers and which are positive. Every third row is positive and lies 2.5 higher in two
// numbers.
func blobs(n int, seed uint64) (*mat.Dense, []bool) {
	rng := rand.New(rand.NewPCG(seed, 8))
	x, positive := mat.NewDense(n, 4, nil), make([]bool, n)
	for i := range n {
		positive[i] = i%3 == 0
		for j := range 4 {
			value := rng.NormFloat64()
			if positive[i] && j < 2 {
				value += 2.5
			}
			x.Set(i, j, value)
		}
	}
	return x, positive
}

// blobData returns a training set of 240 rows, half of whose positives are labeled, and a test set.
func blobData(t *testing.T) (data, test *pu.Dataset) {
	t.Helper()
	x, positive := blobs(240, 1)
	labeled := make([]bool, len(positive))
	for i := range labeled {
		labeled[i] = positive[i] && i%2 == 0
	}
	data = expect.Must(pu.Features(x, labeled))(t)
	xTest, truth := blobs(150, 2)
	test = expect.Must(pu.Features(xTest, nil))(t)
	test.Truth = truth
	return data, test
}

// small is a very short pretraining.
func small() pu.Pretraining {
	return pu.Pretraining{
		Config: train.Config{Steps: 40, Encoder: encoder.MLP{Hidden: []int{16}, Dim: 8},
			Projection: 8}, Batch: datasets.BatchConfig{Size: 48},
	}
}

// methodsOfRows returns every kind of method, small.
func methodsOfRows() []pu.Method {
	methods := []pu.Method{
		nil, pu.Tabular{}, pu.Trees{}, pu.Logistic{}, pu.Linear{}, pu.Linear{Unbiased: true},
		pu.Algorithm1{Pretraining: small()}, pu.Mixture{Pretraining: small()}, pu.Mixture{Pretraining: small(),
			Debiased: true}, pu.RiskProbe{Pretraining: small()},
		pu.CrossFit{Pretraining: small(), Folds: 2}, pu.CrossFit{Pretraining: small(), Folds: 2, Debiased: true},
	}
	for _, m := range []baseline.Method{
		baseline.UPU{}, baseline.NNPU{}, baseline.NNPUMixup{}, baseline.VPU{}, baseline.DistPU{}, baseline.SelfPU{}, baseline.LaGAM{}, baseline.MixPUL{}, baseline.NcPU{},
		baseline.P3Mix{}, baseline.P3Mix{Correct: true}, baseline.PAN{}, baseline.PULNS{},
	} {
		methods = append(methods, pu.Baseline{
			Method: m, Encoder: encoder.MLP{Hidden: []int{16},
				Dim: 8}, Positives: 16, Unlabeled: 32, Settings: train.Settings{Steps: 30},
		})
	}
	return methods
}

// Every method trains, predicts above chance or reports a doubt, loads bit-identically, and predicts the same as an
// ONNX model. True classes change nothing.
func TestEveryMethodOnRows(t *testing.T) {
	eng := enginetest.Open(t)
	data, test := blobData(t)
	secret := *data
	secret.Truth = make([]bool, data.Len())
	for i, m := range methodsOfRows() {
		name := "default"
		if m != nil {
			name = m.String()
		}
		t.Run(name, func(t *testing.T) {
			if testing.Short() && i > 9 && i%4 != 0 {
				t.Skip("one in four networks is enough for -short")
			}
			c, err := pu.Fit(context.Background(), data, pu.Config{Method: m, Seed: 3, Engine: eng})
			expect.NoError(t, err)
			p := expect.Must(c.Predict(test))(t)
			again := expect.Must(pu.Fit(context.Background(), &secret, pu.Config{Method: m, Seed: 3, Engine: eng}))(t)
			expect.Equal(t, expect.Must(again.Predict(test))(t), p, "the same seed, with true classes")
			path := filepath.Join(t.TempDir(), "a.classifier")
			expect.NoError(t, c.Save(path))
			loaded := expect.Must(learn.Load(path, eng, nil))(t)
			expect.Equal(t, expect.Must(loaded.Predict(test))(t), p, "saved and loaded")
			expect.Equal(t, loaded.String(), c.String())
			checkONNXOfRows(t, i, m, c)
			score := expect.Must(c.Evaluate(test))(t)
			if _, clusters := m.(pu.Algorithm1); i < 10 && !clusters { // two clusters are not the classes of such a small encoder
				expect.That(t, score.AUC > 0.9 && score.Accuracy() > 0.8, "AUC %.3f, accuracy %.3f", score.AUC,
					score.Accuracy())
			}
			expect.That(t, score.AUC > 0.6 || len(c.Info.Doubts) > 0, "AUC %.3f, and no doubt", score.AUC)
		})
	}
}

// Constants added to columns and factors of columns change no prediction of a fit.
func TestFitOfAnyNumbers(t *testing.T) {
	data, test := blobData(t)
	whole := func(x *mat.Dense, offset, factor float64) *mat.Dense {
		out := mat.DenseCopyOf(x)
		out.Apply(func(_, j int, v float64) float64 { return math.Round(v*1e4)*factor + offset*float64(j) }, x)
		return out
	}
	numbers := func(d *pu.Dataset) *mat.Dense {
		x := mat.NewDense(d.Len(), len(d.Table.Columns), nil)
		for j := range d.Table.Columns {
			x.SetCol(j, d.Table.Columns[j].Numbers)
		}
		return x
	}
	for _, method := range []pu.Method{pu.Tabular{}, pu.Linear{}} {
		var want []float64
		for _, other := range []struct{ offset, factor float64 }{
			{0, 1}, {1.7e9, 1}, {-1e12, 1}, {0, 0x1p+600}, {0, 0x1p-600},
		} {
			train := expect.Must(pu.Features(whole(numbers(data), other.offset, other.factor), data.Labeled))(t)
			unseen := expect.Must(pu.Features(whole(numbers(test), other.offset, other.factor), nil))(t)
			config := pu.Config{Method: method, Seed: 1, Prior: 0.2, Engine: enginetest.Open(t)}
			got := expect.Must(expect.Must(pu.Fit(t.Context(), train, config))(t).Predict(unseen))(t)
			if want == nil {
				want = got
			}
			for i, p := range got {
				expect.Require(t, math.Abs(p-want[i]) < 2e-3, "%v, %v: example %d has %g, want %g", method, other,
					i, p, want[i])
			}
		}
	}
}

// Invalid data and settings are errors before any training, with the field and the remedy.
func TestFitRefuses(t *testing.T) {
	eng := enginetest.Open(t)
	data, _ := blobData(t)
	none, all := *data, *data
	none.Labeled, all.Labeled = make([]bool, data.Len()), make([]bool, data.Len())
	for i := range all.Labeled {
		all.Labeled[i] = true
	}
	few := *data
	few.Labeled = make([]bool, data.Len())
	few.Labeled[0] = true
	pixels := make([]uint8, 30*4)
	for i := range pixels {
		pixels[i] = uint8(i)
	}
	marks := make([]bool, 30)
	marks[0], marks[1] = true, true
	images := expect.Must(pu.Images(pixels, pu.Shape{Height: 2, Width: 2, Channels: 1}, marks))(t)
	same := expect.Must(pu.Images(make([]uint8, 120), images.Shape, marks))(t)
	for _, c := range []struct {
		data   *pu.Dataset
		config pu.Config
		want   []string
	}{
		{nil, pu.Config{}, []string{"no data set", "OpenFolder"}},
		{&none, pu.Config{}, []string{"0 labeled positives", "Labeled"}},
		{&all, pu.Config{}, []string{"0 unlabeled"}},
		{same, pu.Config{}, []string{"identical"}},
		{data, pu.Config{Prior: 1}, []string{"class prior of 1"}},
		{data, pu.Config{Prior: math.NaN()}, []string{"class prior of NaN"}},
		{&few, pu.Config{}, []string{"1 labeled positives", "Config.Prior"}},
		{&few, pu.Config{Method: pu.Algorithm1{}}, []string{"1 labeled positive", "needs 2"}},
		{images, pu.Config{Method: pu.Logistic{}}, []string{"trains on rows", "Mixture"}},
		{images, pu.Config{Method: pu.Tabular{}}, []string{"trains on rows"}},
		{images, pu.Config{Method: pu.Mixture{}}, []string{"2 labeled positives", "4 folds"}},
		{images, pu.Config{Method: pu.CrossFit{}}, []string{"3 folds"}},
		{images, pu.Config{Method: pu.Baseline{Method: baseline.NNPU{}}}, []string{"class prior", "pixels",
			"Config.Prior"}},
		{images, pu.Config{Method: pu.Mixture{Labels: learnFolds(), Debiased: true}}, []string{"class prior",
			"Config.Prior"}},
		{data, pu.Config{Method: pu.Baseline{}}, []string{"without a Method"}},
		{data, pu.Config{Method: pu.Baseline{Method: baseline.NNPU{Gamma: 2}}}, []string{"Gamma 2"}},
		{data, pu.Config{Method: pu.Logistic{L2: -1}}, []string{"L2 -1"}},
		{data, pu.Config{Method: pu.Trees{Trees: treesOf(-3)}}, []string{"depth -3"}},
		{data, pu.Config{Method: pu.Mixture{FineTune: &classify.FineTuneConfig{}}}, []string{"FineTune is for images"}},
		{data, pu.Config{Method: pu.Mixture{Pretraining: pu.Pretraining{Config: train.Config{Seed: 1}}}},
			[]string{"Seed", "Config"}},
		{images, pu.Config{Method: pu.Algorithm1{Pretraining: pu.Pretraining{Corruption: 0.5}}},
			[]string{"Corruption 0.5"}},
	} {
		c.config.Engine = eng
		_, err := pu.Fit(context.Background(), c.data, c.config)
		expect.Error(t, err, c.want...)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	expect.Is(t, expect.Err(pu.Fit(done, data, pu.Config{Method: pu.Mixture{Pretraining: small()}, Engine: eng})),
		context.Canceled)
	path := expect.File(t, filepath.Join(t.TempDir(), "x"), []byte("no classifier"))
	expect.Error(t, expect.Err(learn.Load(path, eng, nil)), path)
}

func TestCompare(t *testing.T) {
	eng := enginetest.Open(t)
	data, test := blobData(t)
	run := func(methods []pu.Method, config pu.CompareConfig) (*pu.Comparison, error) {
		config.Engine = eng
		return pu.Compare(context.Background(), data, test, methods, config)
	}
	c := expect.Must(run([]pu.Method{pu.Logistic{}, pu.Linear{}}, pu.CompareConfig{Seeds: []uint64{1, 2, 3}}))(t)
	for i, s := range c.Methods[1].Scores {
		alone := expect.Must(pu.Fit(context.Background(), data, pu.Config{Method: pu.Linear{}, Seed: c.Seeds[i],
			Engine: eng}))(t)
		expect.Equal(t, s, expect.Must(alone.Evaluate(test))(t))
	}
	sum := 0.0
	for i := range 3 {
		sum += c.Methods[1].Scores[i].AUC - c.Methods[0].Scores[i].AUC
	}
	expect.Near(t, c.Methods[1].AUCBeyond.Mean, sum/3, 1e-15)
	lines := strings.Split(c.Markdown(), "\n")
	expect.Equal(t, len(lines), 4)
	expect.Contains(t, lines[3], "linear nnPU", "±")
	expect.Contains(t, c.LaTeX(), `\begin{tabular}{lrrrr}`, `linear nnPU & `, ` $\pm$ `, `method (3 seeds)`, `\bottomrule`)
	records := expect.Must(csv.NewReader(strings.NewReader(expect.Must(c.CSV())(t))).ReadAll())(t)
	expect.Equal(t, len(records), 7)
	expect.Equal(t, records[5][:2], []string{"linear nnPU", "2"})
	expect.Near(t, expect.Must(strconv.ParseFloat(records[5][3], 64))(t), c.Methods[1].Scores[1].AUC, 0)
	expect.Error(t, expect.Err(run(nil, pu.CompareConfig{})), "nothing to compare")
	expect.Error(t, expect.Err(run([]pu.Method{pu.Logistic{}, pu.Logistic{}}, pu.CompareConfig{})), "Logistic", "twice")
	expect.Error(t, expect.Err(run([]pu.Method{pu.Logistic{}}, pu.CompareConfig{Seeds: []uint64{4, 4}})), "seed 4",
		"twice")
	test.Truth = make([]bool, test.Len())
	expect.Error(t, expect.Err(run([]pu.Method{pu.Logistic{}}, pu.CompareConfig{})), "both classes")
}

// A fifth of 200 unlabeled rows of two blobs far apart is positive: (80−40)/(240−40).
func TestEstimatePrior(t *testing.T) {
	data, _ := blobData(t)
	p := expect.Must(pu.EstimatePrior(data, pu.PriorConfig{Seed: 1}))(t)
	expect.Near(t, p.Recommended.Prior, 0.2, 0.08)
	expect.That(t, p.Recommended.Low < 0.2 && p.Recommended.High > 0.2, "interval %v", p.Recommended)
	expect.Equal(t, len(p.All), 6)
	for _, e := range p.All {
		expect.Contains(t, p.String(), e.Name)
	}
}

// One end-to-end run on XLA gives the same result as pure Go.
func TestFitOnXLA(t *testing.T) {
	expect.Slow(t)
	data, test := blobData(t)
	m := pu.Mixture{Pretraining: small()}
	var scores [2][]float64
	for i, eng := range []*engine.Engine{enginetest.Open(t), enginetest.XLA(t)} {
		c := expect.Must(pu.Fit(context.Background(), data, pu.Config{Method: m, Seed: 3, Engine: eng}))(t)
		scores[i] = expect.Must(c.Predict(test))(t)
	}
	for i := range scores[0] {
		expect.Near(t, scores[1][i], scores[0][i], 0.05, "row", i)
	}
}

func learnFolds() pseudo.Config { return pseudo.Config{Folds: 2} }

func treesOf(depth int) prior.Trees { return prior.Trees{Depth: depth} }
