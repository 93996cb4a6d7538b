package pucl

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
)

// member is an objective with its reference in plain loops, which shares no code with the terms.
type member struct {
	objective Objective
	reference func(sample) float64
}

// battery lists every objective.
var battery = []member{
	{SSCL(), refSSCL},
	{SCLPU(), refSCLPU},
	{PUCL(), refPUCL},
	{SCL(), refSCL},
	{MCL(0.3), refMCL(0.3)},
	{PUNCE(0.4), refPUNCE(0.4)},
	{named(DCL(DCLConfig{TauPlus: 0.1}), "DCL(0.1)"), refDCL(0.1, 0, 9)},
	{named(DCL(DCLConfig{TauPlus: 0.4, Positives: 1, Weight: 3}), "DCL(0.4, M 1, Q 3)"), refDCL(0.4, 3, 1)},
	{PUDebiased(0.4), refPUDebiased(0.4)},
	{NPair(), refNPair},
	{DebiasedPos(DebiasedPosConfig{TauPlus: 0.3}), refDebiasedPos(0.3, 0, false)},
	{named(DebiasedPos(DebiasedPosConfig{TauPlus: 0.5, Negatives: OtherClasses, Weight: 4}), "DebiasedPos of classes"),
		refDebiasedPos(0.5, 4, true)},
	{named(DebiasedPos(DebiasedPosConfig{TauPlus: 0.6, Mixture: ObservedPositives}), "DebiasedPos of pairs"),
		refDebiasedPairs(0.6)},
	{Pairwise(1.5), refPairwise(1.5)},
	{IdealCL(0), refIdeal(0)},
	{named(IdealCL(7), "ideal of 7"), refIdeal(7)},
	{TrueNegatives(0), refTrueNegatives(0)},
	{named(TrueNegatives(5), "true negatives of 5"), refTrueNegatives(5)},
	{AlignmentLoss(), refAlignment},
	{UniformityLoss(), refUniformity},
	{WeightedSum("sum", Part{2, DCL(DCLConfig{TauPlus: 0.1})}, Part{0.5, UniformityLoss()}, Part{0.25, PUCL()}),
		func(s sample) float64 { return 2*refDCL(0.1, 0, 9)(s) + 0.5*refUniformity(s) + 0.25*refPUCL(s) }},
	{userDefined(), refUserDefined},
	{userMasks(), refUserMasks},
	{userSharpened(), refUserSharpened},
}

func onlyIf(condition bool, x float64) float64 {
	if condition {
		return x
	}
	return 0
}

func named(o Objective, name string) Objective {
	o.Name = name
	return o
}

// scorer runs the battery in one graph, values and gradients: one graph for each objective would take minutes to
// compile.
type scorer struct {
	views, rows int // rows is Views.BlockRows
	tau         float64
	dtype       dtypes.DType
	xla         bool
}

// members returns the objectives that a scorer runs: all in float64 and float32 with two views; for three views, the
// objectives that depend on their number; otherwise one of each way to compute on a batch. Compilation takes most of
// the time.
func (c scorer) members() []member {
	var names []string
	switch {
	case c.views == 3:
		names = []string{"ssCL", "PUCL", "SCL", "puNCE", "PU-debiased", "DCL(0.1)", "DCL(0.4, M 1, Q 3)", "N-pair", "DebiasedPos", "DebiasedPos of pairs", "pairwise", "true negatives", "alignment", "uniformity"}
	case c.xla:
		names = []string{"PUCL", "PU-debiased", "pairwise", "uniformity", "user sharpened"}
	case c.rows > 0:
		names = []string{"PUCL", "SCL", "PU-debiased", "DCL(0.1)", "pairwise", "ideal", "true negatives", "uniformity", "user masks", "user sharpened"}
	case c.dtype == dtypes.BFloat16:
		names = []string{"PUCL", "PU-debiased", "DCL(0.1)", "pairwise", "uniformity", "user sharpened"}
	default:
		return battery
	}
	return slices.DeleteFunc(slices.Clone(battery), func(m member) bool { return !slices.Contains(names, m.objective.Name) })
}

type score struct {
	member
	value float64
	grad  [][]float64
}

var scorers sync.Map // scorer → *Exec

// score returns the loss and its gradient for every objective of the scorer.
func (c scorer) score(t *testing.T, s sample) []score {
	t.Helper()
	known, ok := scorers.Load(c)
	if !ok {
		open := enginetest.Open
		if c.xla {
			open = enginetest.XLA
		}
		exec := expect.Must(NewExec(open(t).Backend, func(z, labeled, class *Node) []*Node {
			z = ConvertDType(z, c.dtype)
			var out []*Node
			for _, m := range c.members() {
				loss := m.objective.Loss(Views{Z: z, Labeled: labeled, Class: class, Count: c.views, BlockRows: c.rows}, c.tau)
				out = append(out, ConvertDType(loss, dtypes.Float64), ConvertDType(Gradient(loss, z)[0], dtypes.Float64))
			}
			return out
		}))(t)
		known, _ = scorers.LoadOrStore(c, exec)
	}
	out := expect.Must(known.(*Exec).Call(s.z, s.labeled, s.class))(t)
	var scores []score
	for i, m := range c.members() {
		scores = append(scores, score{m, out[2*i].Value().(float64), out[2*i+1].Value().([][]float64)})
	}
	return scores
}

func randomRows(rng *rand.Rand, n, d int) [][]float64 {
	z := make([][]float64, n)
	for i := range z {
		z[i] = make([]float64, d)
		for k := range z[i] {
			z[i][k] = rng.NormFloat64()
		}
	}
	return z
}

type batchPattern struct {
	name    string
	labeled []bool
	class   []int32
	rows    func(z [][]float64) // bends the random rows
	rough   bool                // rows of different examples coincide, so that Pairwise has no gradient there
}

// batches are the test batches of every objective: five examples in two views, four in three.
var batches = []batchPattern{
	{"mixed", []bool{true, false, true, false, false}, []int32{1, 1, 1, 0, 0}, nil, false},
	{"none labeled", make([]bool, 5), []int32{1, 0, 1, 0, 0}, nil, false},
	{"one labeled", []bool{false, true, false, false, false}, []int32{3, 1, -2, 1, 3}, nil, false},
	{"all labeled", []bool{true, true, true, true, true}, []int32{1, 1, 1, 1, 1}, nil, false},
	{"duplicate rows", []bool{true, true, false, false, true}, []int32{1, 1, 0, 1, 1},
		func(z [][]float64) { copy(z[1], z[0]); copy(z[7], z[0]); copy(z[2], z[0]) }, true},
	{"opposite rows", []bool{true, false, false, true, false}, []int32{1, 0, 0, 1, 0}, func(z [][]float64) {
		for k := range z[0] {
			z[5][k], z[3][k] = -2*z[0][k], -0.5*z[0][k]
		}
	}, false},
}

// draw makes a batch of the given pattern, three coordinates a row.
func draw(pattern int, views int, tau float64) sample {
	p := batches[pattern]
	b := len(p.labeled)
	s := sample{labeled: p.labeled, class: p.class, views: views, tau: tau}
	if views == 3 {
		b = 4
		s.labeled, s.class = p.labeled[:b], p.class[:b]
	}
	s.z = randomRows(rand.New(rand.NewPCG(1, uint64(pattern))), views*b, 3)
	if p.rows != nil {
		p.rows(s.z)
	}
	return s
}

// Values against loops, gradients against finite differences of the loops; whole and cut into blocks of anchors, which
// end in the middle of a view.
func TestObjectivesAgainstLoops(t *testing.T) {
	for _, c := range []scorer{
		{views: 2, tau: 0.5}, {views: 2, tau: 0.5, rows: 6}, {views: 3, tau: 0.5}, {views: 2, tau: 0.5, rows: 6, xla: true},
	} {
		c.dtype = dtypes.Float64
		t.Run(fmt.Sprintf("τ %g, %d views, blocks of %d, XLA %v", c.tau, c.views, c.rows, c.xla), func(t *testing.T) {
			for pattern, p := range batches {
				s := draw(pattern, c.views, c.tau)
				for _, got := range c.score(t, s) {
					what := got.objective.Name + ", " + p.name
					near(t, what, got.value, got.reference(s), 1e-11)
					if !(p.rough && got.objective.Name == "pairwise") {
						nearGradient(t, what, got.grad, differences(s, got.reference), 5e-6, 1/s.tau)
					}
				}
			}
		})
	}
}

// differences returns the gradient of a loss by central differences.
func differences(s sample, loss func(sample) float64) [][]float64 {
	return slopes(s.z, 1e-6*min(1, 10*s.tau), func() float64 { return loss(s) })
}

// slopes returns the central differences of f by each entry of the rows.
func slopes(rows [][]float64, h float64, f func() float64) (grad [][]float64) {
	for _, row := range rows {
		slope := make([]float64, len(row))
		for k, at := range row {
			row[k] = at + h
			up := f()
			row[k] = at - h
			slope[k] = (up - f()) / (2 * h)
			row[k] = at
		}
		grad = append(grad, slope)
	}
	return grad
}

// Special cases of objectives must equal other objectives.
func TestLimits(t *testing.T) {
	five, ones := []int32{1, 2, 3, 4, 5}, []int32{1, 1, 1, 1, 1}
	mixed, none, all, known, apart := draw(0, 2, 0.5), draw(1, 2, 0.5), draw(3, 2, 0.5), draw(0, 2, 0.5), draw(0, 2, 0.5)
	all.class = ones
	known.labeled = []bool{true, true, true, false, false} // as its classes
	apart.class = five
	objectives := map[string]Objective{
		"ssCL": SSCL(), "SCL-PU": SCLPU(), "PUCL": PUCL(), "SCL": SCL(), "MCL(0)": MCL(0), "MCL(1)": MCL(1), "puNCE(0)": PUNCE(0),
		"puNCE(0.7)": PUNCE(0.7), "DCL(0)": DCL(DCLConfig{}), "DebiasedPos(1/9)": DebiasedPos(DebiasedPosConfig{TauPlus: 1.0 / 9}),
		"ideal": IdealCL(0), "ideal of 8": IdealCL(8), "true negatives": TrueNegatives(0), "true negatives of 8": TrueNegatives(8), "PU-debiased": PUDebiased(0.4), "sum of one": WeightedSum("", Part{1, SSCL()}),
	}
	names := slices.Sorted(maps.Keys(objectives))
	exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled, class *Node) []*Node {
		var losses []*Node
		for _, name := range names {
			losses = append(losses, objectives[name].Loss(Views{Z: z, Labeled: labeled, Class: class}, 0.5))
		}
		return losses
	})
	for _, tt := range []struct {
		what  string
		batch sample
		equal []string
	}{
		{"any labels", mixed, []string{"ssCL", "MCL(0)", "DCL(0)", "DebiasedPos(1/9)", "sum of one"}},
		{"any labels", mixed, []string{"SCL-PU", "MCL(1)"}},
		{"any labels", mixed, []string{"PUCL", "puNCE(0)"}},
		{"no labels", none, []string{"ssCL", "PUCL", "puNCE(0.7)", "PU-debiased"}},
		{"all labeled", all, []string{"SCL", "PUCL", "SCL-PU", "puNCE(0.7)", "MCL(1)"}},
		{"labels that are the classes", known, []string{"SCL", "SCL-PU"}},
		{"every example a class", apart, []string{"ssCL", "SCL", "ideal", "ideal of 8", "true negatives", "true negatives of 8"}},
	} {
		out := expect.Must(exec.Call(tt.batch.z, tt.batch.labeled, tt.batch.class))(t)
		value := func(name string) float64 { return out[slices.Index(names, name)].Value().(float64) }
		for _, name := range tt.equal[1:] {
			near(t, tt.what+": "+name+" as "+tt.equal[0], value(name), value(tt.equal[0]), 1e-13)
		}
	}
}

// Leading axes are independent batches: each must get the same value and gradient as alone, in blocks too.
func TestLeadingAxesAreBatches(t *testing.T) {
	a, b := draw(0, 2, 0.5), draw(2, 2, 0.5)
	c := scorer{views: 2, tau: 0.5, dtype: dtypes.Float64, rows: 6}
	wantA, wantB := c.score(t, a), c.score(t, b)
	few := []string{"PUCL", "SCL", "uniformity", "user sharpened"}
	for _, rows := range []int{0, c.rows} {
		exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled, class *Node) []*Node {
			var out []*Node
			for _, m := range c.members() {
				if slices.Contains(few, m.objective.Name) {
					loss := m.objective.Loss(Views{Z: z, Labeled: labeled, Class: class, BlockRows: rows}, c.tau)
					out = append(out, loss, Gradient(ReduceAllSum(Mul(loss, Const(loss.Graph(), []float64{1, -3}))), z)[0])
				}
			}
			return out
		})
		out, err := exec.Call([][][]float64{a.z, b.z}, [][]bool{a.labeled, b.labeled}, [][]int32{a.class, b.class})
		expect.NoError(t, err)
		for i, m := range c.members() {
			if !slices.Contains(few, m.objective.Name) {
				continue
			}
			value, grad := out[0].Value().([]float64), out[1].Value().([][][]float64)
			out = out[2:]
			near(t, m.objective.Name, value[0], wantA[i].value, 1e-12)
			near(t, m.objective.Name, value[1], wantB[i].value, 1e-12)
			for k := range grad[1] {
				for l := range grad[1][k] {
					near(t, m.objective.Name+" gradient", grad[0][k][l], wantA[i].grad[k][l], 1e-12)
					near(t, m.objective.Name+" gradient", grad[1][k][l], -3*wantB[i].grad[k][l], 1e-12)
				}
			}
		}
		expect.That(t, len(out) == 0, "%d outputs were not looked at", len(out))
	}
}

// Attract and Repel must agree with Direct, and the scores of the anchors with the loss.
func TestTermsAgreeWithTheLoss(t *testing.T) {
	s := draw(0, 2, 0.5)
	exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled, class *Node) []*Node {
		v := Views{Z: z, Labeled: labeled, Class: class}
		var out []*Node
		for _, m := range battery {
			o := m.objective
			out = append(out, o.Loss(v, 0.5), ReduceAllMean(o.PerAnchor(v, 0.5)))
			o.Direct = nil
			out = append(out, o.Loss(v, 0.5))
		}
		return append(out, Alignment(v), Uniformity(v))
	})
	out := expect.Must(exec.Call(s.z, s.labeled, s.class))(t)
	for i, m := range battery {
		loss := out[3*i].Value().(float64)
		near(t, m.objective.Name+", mean over anchors", out[3*i+1].Value().(float64), loss, 1e-12)
		near(t, m.objective.Name+", repel − attract", out[3*i+2].Value().(float64), loss, 1e-12)
	}
	near(t, "alignment", out[len(out)-2].Value().(float64), refAlignment(s), 1e-12)
	near(t, "uniformity", out[len(out)-1].Value().(float64), refUniformity(s), 1e-12)
}
