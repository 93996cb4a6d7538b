package baseline

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/train"
)

// seen is a batch for the loops, for the loss of a method with extra.
type seen struct {
	logits  []float64   // of the rows of the batch, of the mixed ones, and of the reserved ones
	extra   [][]float64 // a row for each logit, with the parts of extra concatenated
	widths  []int       // of the parts
	aside   int         // number of reserved rows, of which the first positiveJudges are labeled positives
	draws   [][]float64
	lambda  []float64
	partner []int32
	now     []float64
}

const positiveJudges = 2

// drawSeen returns a random batch for a method whose extra has parts with the given numbers of columns.
func drawSeen(m Method, aside int, widths ...int) (n seen) {
	rng := rand.New(rand.NewPCG(4, 9))
	p, rows, columns := m.plan(), someRows, 0
	for _, width := range widths {
		columns += width
	}
	n.widths, n.aside = widths, aside
	if p.mix != nil {
		n.partner = p.mix.draw(rng, somePositives, someRows)
		for _, lambda := range p.mix.weights(rng, someRows) {
			n.lambda = append(n.lambda, float64(lambda))
		}
		rows += someRows
	}
	for range rows + aside {
		n.logits = append(n.logits, 1.5*rng.NormFloat64())
		n.extra = append(n.extra, normals(rng, columns))
	}
	for range someRows {
		row := make([]float64, p.draws)
		for i := range row {
			row[i] = rng.Float64()
		}
		n.draws = append(n.draws, row)
	}
	if p.schedule != nil {
		for _, x := range p.schedule(0.75) {
			n.now = append(n.now, float64(x))
		}
	}
	return n
}

func normals(rng *rand.Rand, count int) []float64 {
	x := make([]float64, count)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// column returns column i of extra.
func (n seen) column(i int) (out []float64) {
	for _, row := range n.extra {
		out = append(out, row[i])
	}
	return out
}

// variables returns logits and extra concatenated, and with returns the batch with other values for these.
func (n seen) variables() []float64 { return slices.Concat(n.logits, slices.Concat(n.extra...)) }

func (n seen) with(x []float64) seen {
	rows, columns := len(n.logits), len(n.extra[0])
	n.logits, n.extra = x[:rows], nil
	for i := range rows {
		n.extra = append(n.extra, x[rows+i*columns:rows+(i+1)*columns])
	}
	return n
}

// lossOfSeen returns the loss of a method and its gradient with respect to the variables, by its graph in float64.
func lossOfSeen(t *testing.T, m Method, n seen) (float64, []float64) {
	t.Helper()
	p, rows := m.plan(), len(n.logits)
	out, err := ExecOnceN(enginetest.Open(t).Backend, func(x *Node) []*Node {
		g := x.Graph()
		b := batch{positives: somePositives, logits: Slice(x, AxisRange(0, someRows))}
		extra, first := Reshape(Slice(x, AxisRange(rows)), rows, -1), 0
		part := func(from, to, column, width int) *Node {
			part := Slice(extra, AxisRange(from, to), AxisRange(column, column+width))
			if width == 1 {
				return Squeeze(part, -1)
			}
			return part
		}
		for _, width := range n.widths {
			b.extra = append(b.extra, part(0, someRows, first, width))
			first += width
		}
		if n.aside > 0 { // embeddings, which are the last part, and logits
			judges, width := rows-n.aside, n.widths[len(n.widths)-1]
			for _, kind := range [][2]int{{judges, judges + positiveJudges}, {judges + positiveJudges, rows}} {
				b.extra = append(b.extra, part(kind[0], kind[1], first-width, width), Slice(x, AxisRange(kind[0], kind[1])))
			}
		}
		if p.mix != nil {
			b.mixed, b.lambda, b.partner = Slice(x, AxisRange(someRows, 2*someRows)), Const(g, n.lambda), Const(g, n.partner)
		}
		if p.draws > 0 {
			b.draws = Const(g, n.draws)
		}
		if p.schedule != nil {
			b.now = Const(g, n.now)
		}
		loss := p.loss(b)
		return []*Node{loss, Gradient(loss, x)[0]}
	}, n.variables())
	expect.NoError(t, err)
	return out[0].Value().(float64), out[1].Value().([]float64)
}

// checkSeen compares the loss of a method with its value in loops, and its gradient with finite differences of the
// function that training descends along, with the frozen batch in the parts without gradient.
func checkSeen(t *testing.T, m Method, n seen, value func(n seen) float64, follow func(n, frozen seen) float64) {
	t.Helper()
	got, grad := lossOfSeen(t, m, n)
	vectortest.Near(t, "loss", got, value(n), 1e-11)
	want := slope(func(x []float64) float64 { return follow(n.with(x), n) }, n.variables())
	vectortest.NearGradient(t, "loss", [][]float64{grad}, [][]float64{want}, 1e-5, 1e-8)
}

// A stored label moves towards its target at a rate that leaves e^(−1) of it after the given share of the run. Labeled
// positives are 1, but their stored values stay 0, and examples outside of the batch are unchanged.
func TestMemoryMoves(t *testing.T) {
	store := model.NewStore()
	memory := store.RootScope().At("remembered").VariableWithValue("labels", []float32{0.5, 0.5, 0.5, 0.5, 0.5, 0.9})
	r := &run{data: Data{Labeled: make([]bool, 6)}, unlabeled: deck{examples: make([]int, 4)}}
	r.config.Settings.Steps, r.config.Unlabeled = 8, 3
	exec := model.MustNewExec(enginetest.Open(t).Backend, store, func(scope *model.Scope, due *Node) *Node {
		g := due.Graph()
		s := &sight{batch: batch{positives: 1}, run: r, scope: scope, index: Const(g, []int32{0, 2, 3, 5, 5})}
		return s.move(Const(g, []float32{0, 0, 1, 1, 1}), Const(g, float32(0.1)), due)
	})
	rate := 1 - math.Exp(-1./(0.1*6))
	for _, tt := range []struct {
		due         float32
		out, memory []float64
	}{
		{0, []float64{1, 0.5, 0.5, 0.9, 0.9}, []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.9}},
		{1, []float64{1, 0.5 - 0.5*rate, 0.5 + 0.5*rate, 0.9 + 0.1*rate, 0.9 + 0.1*rate},
			[]float64{0.5, 0.5, 0.5 - 0.5*rate, 0.5 + 0.5*rate, 0.5, min(0.9+0.2*rate, 1)}}, // the last one occurs twice
	} {
		out := expect.Must(exec.Call(tt.due))(t)
		value := expect.Must(memory.Value())(t)
		for i, v := range tensors.MustCopyFlatData[float32](out[0]) {
			vectortest.Near(t, "label", float64(v), tt.out[i], 1e-6)
		}
		for i, v := range tensors.MustCopyFlatData[float32](value) {
			vectortest.Near(t, "memory", float64(v), tt.memory[i], 1e-6)
		}
	}
}

// Methods with two views train on images in new views, as they do on rows.
func TestImagesInTwoViews(t *testing.T) {
	expect.Slow(t)
	eng := enginetest.Open(t)
	data := Data{Examples: patterns(240, 140), Labeled: firstAre(40, 240)}
	for name, method := range map[string]Method{"PULNS": PULNS{}, "LaGAM": LaGAM{Prior: 0.5}, "NcPU": NcPU{}} {
		config := quick(method, 60)
		config.Encoder, config.Recipe = encoder.MLP{Hidden: []int{}, Dim: 8}, augment.Recipe{augment.Flip{}}
		scores, err := must(t, eng, data, config).Network.Score(eng, data.Examples)
		if err != nil || share(scores, 140) < 0.95 {
			t.Errorf("%s: %v; accuracy %g", name, err, share(scores, 140))
		}
	}
}

// Methods with stored labels or reserved examples give the same results on two devices and in bfloat16, up to rounding.
func TestComputeOfMethodsThatRemember(t *testing.T) {
	eng := enginetest.Open(t)
	for name, method := range map[string]Method{
		"PULNS": PULNS{}, "LaGAM": LaGAM{Prior: 0.5, Warmup: -1}, "NcPU": NcPU{Warmup: -1}, "Self-PU": SelfPU{Prior: 0.5},
	} {
		data, config := mixture(20, 150, 1), quick(method, 3)
		config.Encoder = encoder.MLP{Hidden: []int{}, Dim: 4}
		whole := must(t, eng, data, config)
		ways := map[float64]train.Compute{0.05: {BFloat16: true}}
		if eng.Backend.NumDevices() > 1 {
			ways[1e-4] = train.Compute{Devices: 2}
		}
		for margin, way := range ways {
			config.Settings.Compute = way
			r := must(t, eng, data, config)
			for i, loss := range r.History.Losses {
				if want := whole.History.Losses[i]; !(math.Abs(loss-want) <= margin*max(1, math.Abs(want))) {
					t.Errorf("%s, %v: loss %g of step %d, want %g", name, way, loss, i, want)
				}
			}
		}
	}
}
