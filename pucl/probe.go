package pucl

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
)

// Probe is a linear classifier on embeddings: a row x is positive where Weights·x + Bias > 0.
type Probe struct {
	Weights []float64
	Bias    float64
}

// ProbeConfig says how to train a probe. The zero value works.
type ProbeConfig struct {
	Epochs       int     // passes over the rows; 0 means 10
	BatchSize    int     // rows a step; 0 means 1024
	LearningRate float64 // of Adam, falling to 0 as a half cosine; 0 means 0.05
	L2           float64 // times ‖w‖²/2 is added to the risk, for standardised features; 0 means 1e-4, negative means none
	Seed         uint64  // of the order of the rows
}

func (c ProbeConfig) withDefaults() ProbeConfig {
	if c.Epochs == 0 {
		c.Epochs = 10
	}
	if c.BatchSize == 0 {
		c.BatchSize = 1024
	}
	if c.LearningRate == 0 {
		c.LearningRate = 0.05
	}
	if c.L2 == 0 {
		c.L2 = 1e-4
	}
	c.L2 = max(c.L2, 0)
	return c
}

// FitProbe trains a linear classifier on the rows of x [n, k] by minimising risk, with labels [n] as the risk reads them:
// [CrossEntropy] on pseudo-labels is Algorithm 1C, [NNPU] on "is a labeled positive" the baseline.
//
// Features are standardised for training and the result is folded back, so a Probe takes the rows as they are. Every batch
// holds the same share of true labels as the whole, so that the labeled positives are never missing from one.
func FitProbe(eng *engine.Engine, x *mat.Dense, labels []bool, risk Risk, config ProbeConfig) (*Probe, error) {
	c := config.withDefaults()
	n, k := x.Dims()
	if n != len(labels) {
		return nil, fmt.Errorf("pucl: %d rows of features, %d labels; there must be one label a row", n, len(labels))
	}
	if n < 2 || c.Epochs < 0 || c.BatchSize < 1 {
		return nil, fmt.Errorf("pucl: a probe needs at least 2 rows, 1 row a batch and no negative number of epochs; got %d rows, %d a batch, %d epochs", n, c.BatchSize, c.Epochs)
	}
	features, mean, std := standardise(x)

	store := model.NewStore()
	exec, err := model.NewExec(eng.Backend, store, func(scope *model.Scope, inputs []*Node) *Node {
		x, y, rate := inputs[0], inputs[1], inputs[2]
		g := x.Graph()
		zero := scope.WithInitializer(initializer.Zero)
		w := zero.VariableWithShape("weights", shapes.Make(dtypes.Float32, k)).NodeValue(g)
		b := zero.VariableWithShape("bias", shapes.Make(dtypes.Float32)).NodeValue(g)
		logits := Add(DotProduct(x, w), b)
		loss := Add(risk(logits, y), MulScalar(ReduceAllSum(Square(w)), c.L2/2))
		optimizer.LearningRateVar(scope, dtypes.Float32, c.LearningRate).SetNodeValue(rate)
		optimizer.Adam().Done().UpdateGraph(scope, g, loss)
		return loss
	})
	if err != nil {
		return nil, fmt.Errorf("pucl: building the probe: %w", err)
	}
	defer exec.Finalize()

	batches := stratified(labels, min(c.BatchSize, n), rand.New(rand.NewPCG(c.Seed, 0x9b0be)))
	perEpoch := max(n/c.BatchSize, 1)
	steps := c.Epochs * perEpoch
	for step := range steps {
		rows := batches()
		px, py := make([]float32, 0, len(rows)*k), make([]bool, len(rows))
		for i, row := range rows {
			px = append(px, features[row*k:(row+1)*k]...)
			py[i] = labels[row]
		}
		rate := optim.Cosine{Warmup: -1}.Rate(c.LearningRate, step, steps)
		loss, err := exec.Call1(tensors.FromFlatDataAndDimensions(px, len(rows), k), py, float32(rate))
		if err != nil {
			return nil, fmt.Errorf("pucl: training the probe, step %d: %w", step, err)
		}
		if value := float64(tensors.ToScalar[float32](loss)); math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, fmt.Errorf("pucl: the probe's risk is %g at step %d; are the features finite?", value, step)
		}
	}
	p := &Probe{Weights: make([]float64, k)}
	if steps == 0 {
		return p, nil
	}
	w, err := store.GetVariable("/weights").Value()
	if err != nil {
		return nil, fmt.Errorf("pucl: reading the probe: %w", err)
	}
	b, err := store.GetVariable("/bias").Value()
	if err != nil {
		return nil, fmt.Errorf("pucl: reading the probe: %w", err)
	}
	p.Bias = float64(tensors.ToScalar[float32](b))
	for j, value := range tensors.MustCopyFlatData[float32](w) {
		p.Weights[j] = float64(value) / std[j]
		p.Bias -= p.Weights[j] * mean[j]
	}
	return p, nil
}

// Logits returns Weights·x + Bias for every row of x.
func (p *Probe) Logits(x *mat.Dense) ([]float64, error) {
	n, k := x.Dims()
	if k != len(p.Weights) {
		return nil, fmt.Errorf("pucl: rows have %d entries, the probe was trained on %d", k, len(p.Weights))
	}
	logits := make([]float64, n)
	for i := range logits {
		logits[i] = floats.Dot(p.Weights, x.RawRowView(i)) + p.Bias
	}
	return logits, nil
}

// Predict tells for every row of x whether its logit is positive.
func (p *Probe) Predict(x *mat.Dense) ([]bool, error) {
	logits, err := p.Logits(x)
	if err != nil {
		return nil, err
	}
	positive := make([]bool, len(logits))
	for i, t := range logits {
		positive[i] = t > 0
	}
	return positive, nil
}

// standardise returns the rows of x, flat, with every column at mean 0 and standard deviation 1, and both statistics. A
// column that never changes is only shifted.
func standardise(x *mat.Dense) (features []float32, mean, std []float64) {
	n, k := x.Dims()
	features, mean, std = make([]float32, n*k), make([]float64, k), make([]float64, k)
	column := make([]float64, n)
	for j := range k {
		mat.Col(column, j, x)
		mean[j], std[j] = stat.MeanStdDev(column, nil)
		if !(std[j] > 0) {
			std[j] = 1
		}
		for i, value := range column {
			features[i*k+j] = float32((value - mean[j]) / std[j])
		}
	}
	return features, mean, std
}

// stratified returns a function that deals out batches of size rows for ever, each with the overall share of true labels,
// rounded, going through the rows of either kind in random order.
func stratified(labels []bool, size int, rng *rand.Rand) func() []int {
	var kinds [2][]int
	for i, l := range labels {
		kind := 0
		if l {
			kind = 1
		}
		kinds[kind] = append(kinds[kind], i)
	}
	take := [2]int{0, int(math.Round(float64(size) * float64(len(kinds[1])) / float64(len(labels))))}
	if len(kinds[1]) > 0 {
		take[1] = max(take[1], 1)
	}
	if len(kinds[0]) > 0 {
		take[1] = min(take[1], size-1)
	}
	take[0] = size - take[1]
	var next [2]int
	for _, rows := range kinds {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	return func() []int {
		batch := make([]int, 0, size)
		for kind, rows := range kinds {
			for range take[kind] {
				if next[kind] == len(rows) {
					rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
					next[kind] = 0
				}
				batch = append(batch, rows[next[kind]])
				next[kind]++
			}
		}
		return batch
	}
}
