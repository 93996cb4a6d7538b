package contrast

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/traintest"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// striped returns n images of which the first labeled are labeled positives and every second one of the rest is
// positive.
func striped(n, labeled int) (data learn.Data, truth []bool) {
	rng := rand.New(rand.NewPCG(77, 1))
	data.Shape.Height, data.Shape.Width, data.Shape.Channels = traintest.Side, traintest.Side, 1
	for i := range n {
		data.Labeled = append(data.Labeled, i < labeled)
		truth = append(truth, i < labeled || i%2 == 0)
		data.Pixels = append(data.Pixels, traintest.Stripe(rng, truth[i])...)
	}
	return data, truth
}

// twoBlobs are batches of rows around (±1, 0); those around (1, 0) are positive, and a view is a row with other noise.
type twoBlobs struct{}

func (twoBlobs) Features() int { return 2 }

func (twoBlobs) Batch(step int) (views []float32, labeled []bool) {
	rng := rand.New(rand.NewPCG(5, uint64(step)))
	for i := range 32 {
		views = append(views, float32(1-2*(i%16%2))+float32(0.1*rng.NormFloat64()), float32(0.1*rng.NormFloat64()))
	}
	for i := range 16 {
		labeled = append(labeled, i == 0 || i == 2)
	}
	return views, labeled
}

// blobRows returns n rows as in twoBlobs, of which the first labeled are labeled positives and every second one
// of the rest is positive too.
func blobRows(n, labeled int) (data learn.Data, truth []bool) {
	rng := rand.New(rand.NewPCG(8, 8))
	data = learn.Data{X: mat.NewDense(n, 2, nil), Labeled: make([]bool, n)}
	for i := range n {
		truth = append(truth, i < labeled || i%2 == 0)
		sign := -1.0
		if truth[i] {
			sign = 1
		}
		data.X.SetRow(i, []float64{sign + 0.1*rng.NormFloat64(), 0.1 * rng.NormFloat64()})
		data.Labeled[i] = i < labeled
	}
	return data, truth
}

// quick returns a configuration of pretraining whose network is compiled in a moment.
func quick(steps int) train.Config {
	return train.Config{Steps: steps, Encoder: encoder.MLP{Hidden: []int{16}, Dim: 8}, Projection: 4, LearningRate: 0.01}
}

// onBlobs pretrains on twoBlobs, onStripes on stripes, for any hidden labels.
func onBlobs(steps int) Pretraining {
	return Pretraining{Config: quick(steps), RowBatches: func([]bool) (train.FeatureBatches, error) {
		return twoBlobs{}, nil
	}}
}

func onStripes(steps int) Pretraining {
	return Pretraining{Config: quick(steps), ImageBatches: func([]bool) (train.Batches, error) {
		return traintest.NewStripes(8, 2), nil
	}}
}

func sameModels(t *testing.T, got, want *train.Model) {
	t.Helper()
	traintest.Same(t, "models", got.Store(), want.Store())
}

// One call is bit-identical to its stages run by hand, in either space, on images and on rows.
func TestAlgorithm1EqualsStagesByHand(t *testing.T) {
	eng, ctx, run := enginetest.Open(t), context.Background(), learn.Run{Seed: 2}
	images, _ := striped(30, 6)
	features, _ := blobRows(20, 2)
	for name, kind := range map[string]struct {
		data learn.Data
		p    Pretraining
	}{"images": {images, onStripes(4)}, "rows": {features, onBlobs(10)}} {
		data, own := kind.data, kind.p.Config
		own.Seed = run.Seed
		var m *train.Model
		var e *train.Embedding
		if data.Images() {
			m = expect.Must(train.Pretrain(ctx, eng, traintest.NewStripes(8, 2), own))(t)
			e = expect.Must(m.Embed(eng, data.Pixels))(t)
		} else {
			m = expect.Must(train.PretrainFeatures(ctx, eng, twoBlobs{}, own))(t)
			e = expect.Must(m.EmbedFeatures(eng, data.X))(t)
		}
		for space, x := range map[Space]*mat.Dense{EncoderOutputs: e.H, Projections: e.Z} {
			run.Checkpoint = t.TempDir()
			clusters := expect.Must(cluster.PUPL(rows.Unit(x), data.Labeled, cluster.Config{Restarts: 3, Seed: run.Seed}))(t)
			head := expect.Must(probe.FitPU(eng, rows.Unit(e.H), clusters.Positive, risk.CrossEntropy, probe.Config{Epochs: 20,
				Seed: run.Seed}))(t)
			method := Algorithm1{Pretraining: kind.p, Space: space, Cluster: cluster.Config{Restarts: 3},
				Probe: probe.Config{Epochs: 20}}
			f := expect.Must(method.Fit(ctx, eng, data, run))(t)
			sameModels(t, f.Networks[0], m)
			expect.Equal(t, f.Embeddings[0].Z, e.Z, name)
			expect.Equal(t, f.Clusters, clusters, name)
			expect.Equal(t, f.Labels, clusters.Positive, name)
			expect.Equal(t, f.Members[0], learn.Member{Network: f.Networks[0], Unit: true, Head: head}, name)
			if !data.Images() {
				continue
			}
			tune := classify.FineTuneConfig{Epochs: 2, BatchSize: 4}
			method.FineTune = &tune
			tuned := expect.Must(method.Fit(ctx, eng, data, run))(t)
			expect.That(t, tune.Head == nil && tune.Seed == 0, "the caller's configuration was changed")
			tune.Head, tune.Seed = head, run.Seed
			want := expect.Must(classify.FineTunePU(ctx, eng, m, classify.LabeledImages[bool]{Pixels: data.Pixels,
				Labels: clusters.Positive}, risk.CrossEntropy, tune))(t)
			sameModels(t, tuned.Members[0].Network, want.Model)
			sameModels(t, tuned.Networks[0], m)
			expect.Equal(t, tuned.Members[0].Head, want.Probe, name)
			saved := expect.Must(filepath.Glob(filepath.Join(run.Checkpoint, "*", "*.checkpoint")))(t)
			expect.Equal(t, len(saved), 2, "checkpoints of pretraining and fine-tuning")
		}
	}
}

// The probe of a risk is trained on the given labels, and nothing is clustered; a given network is used unchanged.
func TestRiskProbe(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	data, _ := striped(30, 6)
	m := expect.Must(train.Pretrain(ctx, eng, traintest.NewStripes(8, 2), quick(2)))(t)
	e := expect.Must(m.Embed(eng, data.Pixels))(t)
	for _, of := range []func(float64) risk.Risk{nil, func(prior float64) risk.Risk { return risk.UPU(prior, risk.LogisticLoss) }} {
		minimized := risk.NNPU(0.4, risk.LogisticLoss)
		if of != nil {
			minimized = of(0.4)
		}
		f := expect.Must(RiskProbe{Pretraining: Pretraining{Network: m}, Risk: of, Probe: probe.Config{Epochs: 5}}.Fit(ctx, eng,
			data, learn.Run{Prior: 0.4, Seed: 3}))(t)
		expect.That(t, f.Networks[0] == m && f.Clusters == nil, "another network, or clusters")
		expect.Equal(t, f.Labels, data.Labeled)
		expect.Equal(t, f.Members[0].Head, expect.Must(probe.FitPU(eng, rows.Unit(e.H), data.Labeled, minimized,
			probe.Config{Epochs: 5, Seed: 3}))(t))
		f.Labels[0] = false
		expect.That(t, data.Labeled[0], "the labels of the result are those of the data, not a copy")
	}
}

// Mixture labels by package pseudo, with the prior if it is given.
func TestMixtureEqualsStagesByHand(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	data, _ := blobRows(80, 10)
	m := expect.Must(train.PretrainFeatures(ctx, eng, twoBlobs{}, quick(5)))(t)
	h := rows.Unit(expect.Must(m.EmbedFeatures(eng, data.X))(t).H)
	for _, prior := range []float64{0, 0.3} {
		f := expect.Must(Mixture{Pretraining: Pretraining{Network: m}}.Fit(ctx, eng, data, learn.Run{Prior: prior, Seed: 4}))(t)
		expect.Equal(t, f.Pseudo, expect.Must(pseudo.Label(h, data.Labeled, pseudo.Config{Prior: prior, Seed: 4}))(t))
		expect.Equal(t, f.Trained().Prior, f.Pseudo.Prior)
	}
}

// Invalid data or settings are errors before any training.
func TestMethodsRefuse(t *testing.T) {
	eng := enginetest.Open(t)
	stopped, stop := context.WithCancel(context.Background())
	stop()
	images, _ := striped(30, 6)
	features, _ := blobRows(30, 6)
	few, far := features, features
	few.Labeled = make([]bool, 30)
	few.Labeled[3] = true
	far.X = mat.DenseCopyOf(features.X)
	far.X.Set(4, 1, 1e39)
	wide, _ := blobRows(30, 6)
	wide.X = mat.DenseCopyOf(wide.X.Grow(0, 1))
	narrow := onStripes(1)
	narrow.ImageBatches = func([]bool) (train.Batches, error) { return flat{}, nil }
	nothing := onBlobs(1)
	nothing.RowBatches = func([]bool) (train.FeatureBatches, error) { return nil, nil }
	seeded := onBlobs(1)
	seeded.Seed = 3
	two := expect.Must(probe.New(2, 8))(t)
	for says, tt := range map[string]struct {
		method learn.Method
		data   learn.Data
	}{
		"0 labeled positives and 30 unlabeled … mark the examples":                       {Mixture{}, learn.Data{X: features.X}},
		"with 1 labeled positive; … needs 2: label more":                                 {Algorithm1{}, few},
		"feature 1 of row 4 is 1e+39 … scale the features down":                          {Mixture{}, far},
		"Mixture with a Seed or a Checkpoint of its own … set those of":                  {Mixture{Pretraining: seeded}, features},
		"with Corruption 0.5 … leave both zero for images":                               {Mixture{Pretraining: Pretraining{Corruption: 0.5}}, images},
		"a Recipe or ImageBatches … leave both nil for rows":                             {Mixture{Pretraining: onStripes(1)}, features},
		"there is no Space(7) … cluster EncoderOutputs or Projections":                   {Algorithm1{Space: 7}, features},
		"cluster: -1 random starts … Restarts must be 1 or more":                         {Algorithm1{Cluster: cluster.Config{Restarts: -1}}, features},
		"probe: -1 epochs … there must be 1 or more":                                     {RiskProbe{Probe: probe.Config{Epochs: -1}}, features},
		"Probe.Start has 2 outputs … probe.Binary makes 1 of 2":                          {Mixture{Probe: probe.Config{Start: two}}, features},
		"FineTune is for images … leave it nil for rows":                                 {Mixture{FineTune: &classify.FineTuneConfig{}}, features},
		"FineTune with a Seed or a Checkpoint of its own … set those":                    {Mixture{FineTune: &classify.FineTuneConfig{Seed: 1}}, images},
		"classify: -1 epochs of batches … there must be 1":                               {Algorithm1{FineTune: &classify.FineTuneConfig{Epochs: -1}}, images},
		"6 labeled positives, 24 unlabeled examples and 9 folds … set Labels.Folds":      {Mixture{Labels: pseudo.Config{Folds: 9}}, features},
		"images of 12×12×1 (height×width×channels), but batches of … be of one size":     {Mixture{Pretraining: narrow}, images},
		"rows of 3 features, but batches of rows of 2; … both must have the same":        {Mixture{Pretraining: onBlobs(1)}, wide},
		"returned no batches and no error … let it return one":                           {Mixture{Pretraining: nothing}, features},
		"CrossFit of 1 folds with 6 labeled positives … it needs 2":                      {CrossFit{Folds: 1}, features},
		"CrossFit of 7 folds with 6 labeled positives … it needs 2":                      {CrossFit{Folds: 7}, features},
		"CrossFit with a Network; … leave Network nil":                                   {CrossFit{Pretraining: Pretraining{Network: &train.Model{}}}, features},
		"CrossFit with -1 DebiasedSteps … there must be at least 1":                      {CrossFit{DebiasedSteps: -1}, features},
		"HeldOut: images or rows, and the data are of the other kind … hold out":         {CrossFit{HeldOut: &images}, features},
		"HeldOut: rows of 3 features, and the data of 2 … both must":                     {CrossFit{HeldOut: &wide}, features},
		"HeldOut: learn: 0 labeled positives and 30 unlabeled … mark the examples":       {CrossFit{HeldOut: &learn.Data{X: features.X}}, features},
		"pseudo: a prior of 1; … it must be above 0 and below 1, or 0 to have it estima": {CrossFit{Labels: pseudo.Config{Prior: 1}}, features},
	} {
		err := tt.method.Check(tt.data, 0)
		if err == nil { // errors that only the batches reveal
			_, err = tt.method.Train(context.Background(), eng, tt.data, learn.Run{})
		}
		refusal.Check(t, err, says)
	}
	for _, m := range []learn.Method{Algorithm1{Pretraining: onBlobs(3)}, CrossFit{Pretraining: onBlobs(3)}} {
		_, err := m.Train(stopped, eng, features, learn.Run{})
		expect.Is(t, err, context.Canceled)
	}
}

// flat are batches of images of another shape.
type flat struct{ traintest.Stripes }

func (flat) ImageShape() (height, width, channels int) { return 6, 24, 1 }

// Eight clouds around a circle are alternately positive and negative, so that no two clusters are the classes, and a
// run reports a doubt. Two clouds are the classes, and there is no doubt. A nearly trivial network does not change
// them.
func TestDoubt(t *testing.T) {
	eng, rng := enginetest.Open(t), rand.New(rand.NewPCG(6, 6))
	p := onBlobs(1)
	p.LearningRate = 1e-6
	p.Encoder = encoder.Func{Name: "nearly nothing", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
		return Add(x, MulScalar(encoder.Dense(scope.In("dense"), x, 2, true), 0.01))
	}}
	for _, clouds := range []int{2, 8} {
		data := learn.Data{X: mat.NewDense(400, 2, nil)}
		for i := range 400 {
			sin, cos := math.Sincos((float64(i%clouds*360/clouds) + 4*rng.NormFloat64()) * math.Pi / 180)
			length := 1 + rng.Float64()
			data.X.SetRow(i, []float64{length * cos, length * sin})
			data.Labeled = append(data.Labeled, i%2 == 0 && i < 120)
		}
		method, run := Algorithm1{Pretraining: p, Cluster: cluster.Config{Restarts: 5}, Probe: probe.Config{Epochs: 1}},
			learn.Run{Seed: 2}
		trained := expect.Must(method.Train(context.Background(), eng, data, run))(t)
		expect.Equal(t, len(trained.Doubts), map[int]int{2: 0, 8: 1}[clouds], "doubts about clouds: ", clouds)
		if clouds == 8 {
			f := expect.Must(method.Fit(context.Background(), eng, data, run))(t)
			labels := expect.Must(pseudo.Label(rows.Unit(f.Embeddings[0].H), data.Labeled, pseudo.Config{Seed: 2}))(t)
			otherwise := 0.0
			for i, labeled := range data.Labeled {
				if !labeled && labels.Positive[i] != f.Clusters.Positive[i] {
					otherwise += 1. / 340
				}
			}
			expect.Contains(t, trained.Doubts[0], fmt.Sprintf("labels %.0f%% of the unlabeled", 100*otherwise), "use Mixture or CrossFit")
		}
	}
	refusal.Check(t, refusal.Err((&Fitted{}).Doubt(pseudo.Config{})), "no clusters to doubt … only Algorithm1 makes them")
}

// Algorithm 1 and cross-fitting give the same pseudo-labels and heads on XLA as on the pure-Go engine.
func TestMethodsOnXLA(t *testing.T) {
	xla, pureGo := enginetest.XLA(t), enginetest.Open(t)
	data, _ := blobRows(240, 24)
	for name, fit := range map[string]func(*engine.Engine) (*Fitted, error){
		"Algorithm 1": func(eng *engine.Engine) (*Fitted, error) {
			return Algorithm1{Pretraining: onBlobs(10), Probe: probe.Config{Epochs: 20}}.Fit(context.Background(), eng, data,
				learn.Run{Seed: 1})
		},
		"CrossFit": func(eng *engine.Engine) (*Fitted, error) {
			return CrossFit{Pretraining: onBlobs(10), Folds: 2, Probe: probe.Config{Epochs: 20}}.Fit(context.Background(), eng,
				data, learn.Run{Seed: 1})
		},
	} {
		got, want := expect.Must(fit(xla))(t), expect.Must(fit(pureGo))(t)
		expect.Equal(t, got.Labels, want.Labels, name)
		for i, w := range want.Members[0].Head.Weights.RawMatrix().Data {
			expect.Near(t, got.Members[0].Head.Weights.RawMatrix().Data[i], w, 1e-2*max(1, math.Abs(w)), name)
		}
	}
}
