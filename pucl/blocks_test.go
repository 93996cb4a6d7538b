package pucl

import (
	"fmt"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// A sum over all pairs must depend neither on the cut into strips nor on whether strips are kept for the gradient.
func TestPairSumsDoNotDependOnTheCut(t *testing.T) {
	s := draw(0, 2, 0.5)
	const tau = 0.3
	cuts := []cut{{}, {pairs: 30}, {pairs: 30, again: true}, {pairs: 90}}
	exec := MustNewExec(enginetest.Open(t).Backend, func(z, c *Node) []*Node {
		var out []*Node
		for _, how := range cuts {
			sums := logPairSums(UnitRows(z), c, tau, how)
			out = append(out, sums, Gradient(ReduceAllSum(Mul(sums, Iota(z.Graph(), sums.Shape(), 0))), z)[0])
		}
		return out
	})
	c := []float64{0, -1, 0, -0.5, 0, 0, -2, 0, 0, -0.1}
	out := expect.Must(exec.Call(s.z, c))(t)
	s.tau = tau
	for k := range cuts {
		for i, got := range out[2*k].Value().([]float64) {
			sum := 0.0
			for j := range s.z {
				if j != i {
					sum += math.Exp(s.sim(i, j) + c[i] + c[j])
				}
			}
			near(t, "log sum", got, math.Log(sum), 1e-13)
		}
		nearGradient(t, "gradient of log sums", out[2*k+1].Value().([][]float64), out[1].Value().([][]float64), 1e-13, 1)
	}
}

func TestHowABatchIsCut(t *testing.T) {
	for _, tt := range []struct {
		batches, n, blockRows int
		want                  cut
	}{
		{1, 512, 0, cut{}},
		{1, 2048, 0, cut{pairs: 1 << 18}},
		{1, 8192, 0, cut{pairs: 1 << 22}},
		{1, 65536, 0, cut{pairs: 1 << 26, again: true}},
		{4, 8192, 0, cut{pairs: 1 << 24, again: true}},
		{1, 8192, 512, cut{pairs: 1 << 22, again: true}},
		{1, 100, 100, cut{}},
		{1000, 12, 0, cut{}},
	} {
		v := Views{BlockRows: tt.blockRows}
		if got := v.cutFor(shapes.Make(dtypes.Float32, tt.batches, tt.n, 128)); got != tt.want {
			t.Errorf("%d batches of %d rows, BlockRows %d: cut %+v, want %+v", tt.batches, tt.n, tt.blockRows, got, tt.want)
		}
	}
}

// Strips must cover every row once, and none may hold more pairs than allowed.
func TestStrips(t *testing.T) {
	for _, tt := range []struct{ n, pairs, most int }{ // half of all n² pairs are in some n²/(2 pairs) strips
		{10, 0, 1}, {10, 1, 10}, {10, 30, 3}, {10, 1000, 1}, {8192, 1 << 22, 10}, {65536, 1 << 26, 34},
	} {
		strips := cut{pairs: tt.pairs}.strips(tt.n)
		next := 0
		for _, s := range strips {
			if s.first != next || s.rows < 1 || s.rows > 1 && tt.pairs > 0 && s.rows*(tt.n-s.first) > tt.pairs {
				t.Errorf("%d rows, %d pairs: strip %+v after row %d", tt.n, tt.pairs, s, next)
			}
			next += s.rows
		}
		expect.That(t, next == tt.n && len(strips) <= tt.most,
			"%d rows, %d pairs: %d strips up to row %d, want at most %d", tt.n, tt.pairs, len(strips), next, tt.most)
	}
}

// Only objectives with terms that use all pairs need the loop over blocks.
func TestWhichObjectivesSeeAllPairs(t *testing.T) {
	want := map[string]bool{"ssCL": false, "SCL-PU": false, "PUCL": false, "MCL": false, "puNCE": false, "alignment": false, "uniformity": false,
		"user": false, "SCL": true, "PU-debiased": true, "DCL(0.1)": true, "N-pair": true, "pairwise": true, "ideal": true, "user masks": true, "user sharpened": true}
	checked := 0
	expect.Must(ExecOnce(enginetest.Open(t).Backend, func(z *Node) *Node {
		g := z.Graph()
		b := Views{Z: z, Labeled: Const(g, make([]bool, 40)), Class: Const(g, make([]int32, 40)), BlockRows: 30}.batch(0.5)
		for _, m := range battery {
			if sees, ok := want[m.objective.Name]; ok {
				checked++
				expect.Equal(t, seesAllPairs(m.objective.score(b.whole()), b), sees, "%s", m.objective.Name)
			}
		}
		return z
	}, randomRowsOf(80)))(t)
	expect.That(t, checked == len(want), "%d objectives checked, want %d", checked, len(want))
}

func randomRowsOf(n int) [][]float64 {
	z := make([][]float64, n)
	for i := range z {
		z[i] = []float64{math.Sin(float64(i)), math.Cos(float64(3 * i)), 1}
	}
	return z
}

// A node that a term uses besides the block must get its gradient in blocks, too. Here it is a learned weight and its
// square root.
func TestLearnedPartsOfATermGetTheirGradientInBlocks(t *testing.T) {
	s := draw(0, 2, 0.5)
	exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled, weight *Node) []*Node {
		root := Sqrt(weight)
		o := Objective{
			Name:    "learned",
			Attract: func(b *Block) *Node { return Mul(OwnViews(b), root) },
			Repel: func(b *Block) *Node {
				sharp := *b
				sharp.Sim = Mul(b.Sim, Add(weight, root))
				return LogPartition(&sharp)
			},
		}
		var out []*Node
		for _, rows := range []int{0, 3} {
			loss := o.Loss(Views{Z: z, Labeled: labeled, BlockRows: rows}, 0.5)
			slopes := Gradient(loss, z, weight, root)
			out = append(out, loss, slopes[0], slopes[1], slopes[2])
		}
		return out
	})
	out := expect.Must(exec.Call(s.z, s.labeled, 0.7))(t)
	near(t, "loss", out[4].Value().(float64), out[0].Value().(float64), 1e-13)
	nearGradient(t, "gradient", out[5].Value().([][]float64), out[1].Value().([][]float64), 1e-13, 1)
	near(t, "derivative by the weight", out[6].Value().(float64), out[2].Value().(float64), 1e-13)
	near(t, "derivative by its root", out[7].Value().(float64), out[3].Value().(float64), 1e-13)
}

// Closed forms: ssCL pulls the own view with 1/τ and pushes every row by its share of the partition. On its floor DCL
// pushes only the own view. The pairwise loss pushes rows nearer than the margin by 2(margin/D − 1)/N.
func TestPairGradientsInClosedForm(t *testing.T) {
	s := draw(1, 2, 0.3)
	n := len(s.z)
	for i := range s.b() { // both views lie together, so that with a large τ⁺ all anchors are on the floor
		copy(s.z[i+s.b()], s.z[i])
	}
	const margin = 1.2
	for name, tt := range map[string]struct {
		objective Objective
		want      func(i, j int) float64
	}{
		"ssCL": {SSCL(), func(i, j int) float64 {
			sum, _ := s.mass(i, s.others)
			return (math.Exp(s.sim(i, j))/sum - onlyIf(s.own(i, j), 1)) / s.tau
		}},
		"DCL on its floor": {DCL(DCLConfig{TauPlus: 0.999}), func(i, j int) float64 {
			if !s.own(i, j) {
				return 0
			}
			floor := float64(n-2) * math.Exp(-1/s.tau)
			return -floor / (math.Exp(s.sim(i, j)) + floor) / s.tau
		}},
		"pairwise": {Pairwise(margin), func(i, j int) float64 {
			d := math.Sqrt(s.distance(i, j))
			if s.own(i, j) || d >= margin {
				return 0
			}
			return 2 * (margin - d) / d / float64(n-2) // D² = 2 − 2cos
		}},
	} {
		cosine, gradient := expect.Must2(tt.objective.PairGradients(enginetest.Open(t), s.z, s.labeled, s.tau))(t)
		for i := range n {
			for j := range n {
				want, at := 0.0, fmt.Sprintf("%s, pair %d, %d", name, i, j)
				if i != j {
					want = tt.want(i, j)
					near(t, at+", cosine", cosine[i][j], s.sim(i, j)*s.tau, 1e-12)
				}
				near(t, at, gradient[i][j], want, 1e-11)
			}
		}
	}
}

func TestPairGradientsRefuse(t *testing.T) {
	eng := enginetest.Open(t)
	_, _, err := SSCL().PairGradients(eng, [][]float64{{1, 0}, {0, 1}, {1, 1}}, []bool{false, false}, 0.5)
	refusal.Check(t, err, "3 rows for 2 examples … the same number of views, two or more")
	_, _, err = SSCL().PairGradients(nil, nil, nil, 0.5)
	refusal.Check(t, err, "no engine given … open one with engine.Open")
}
