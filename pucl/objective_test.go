package pucl

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/internal/enginetest"
)

// lossCase is one objective together with its reference in plain loops: who is attracted to whom, written from the
// equations and sharing nothing with the terms.
type lossCase struct {
	objective Objective
	attracts  func(i, j, b int, labeled []bool) bool // i ≠ j are rows, i%b and j%b their examples
}

var lossCases = []lossCase{
	{SSCL(), func(i, j, b int, _ []bool) bool { return i%b == j%b }},
	{SCLPU(), func(i, j, b int, labeled []bool) bool { return labeled[i%b] == labeled[j%b] }},
	{PUCL(), func(i, j, b int, labeled []bool) bool {
		return i%b == j%b || labeled[i%b] && labeled[j%b]
	}},
	{userDefined(), func(i, j, b int, labeled []bool) bool { return !labeled[i%b] && !labeled[j%b] || i%b == j%b }},
}

// userDefined is an objective as a user would write it: unlabeled anchors attract each other, labeled ones only themselves.
func userDefined() Objective {
	return Objective{Name: "user", Attract: ByLabel(OwnViews, UnlabeledMean), Repel: LogPartition}
}

// reference is the loss in nested loops over rows.
func (c lossCase) reference(z [][]float64, labeled []bool, tau float64) float64 {
	n, b := len(z), len(labeled)
	sim := func(i, j int) float64 {
		var dot, ni, nj float64
		for k := range z[i] {
			dot += z[i][k] * z[j][k]
			ni += z[i][k] * z[i][k]
			nj += z[j][k] * z[j][k]
		}
		if ni == 0 || nj == 0 {
			return 0
		}
		return dot / math.Sqrt(ni) / math.Sqrt(nj) / tau
	}
	total := 0.0
	for i := range z {
		var attract, count float64
		largest := math.Inf(-1)
		for j := range z {
			if j != i {
				largest = max(largest, sim(i, j))
			}
		}
		partition := 0.0
		for j := range z {
			if j == i {
				continue
			}
			partition += math.Exp(sim(i, j) - largest)
			if c.attracts(i, j, b, labeled) {
				attract += sim(i, j)
				count++
			}
		}
		total += largest + math.Log(partition) - attract/count
	}
	return total / float64(n)
}

// valueAndGradient runs the objective in a graph, in float64.
func valueAndGradient(t *testing.T, o Objective, z [][]float64, labeled []bool, tau float64) (float64, [][]float64) {
	t.Helper()
	exec, err := NewExec(enginetest.Open(t).Backend, func(z, labeled *Node) []*Node {
		loss := o.Loss(Views{Z: z, Labeled: labeled, Count: z.Shape().Dim(0) / labeled.Shape().Dim(0)}, tau)
		return []*Node{loss, Gradient(loss, z)[0]}
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Call(z, labeled)
	if err != nil {
		t.Fatal(err)
	}
	return out[0].Value().(float64), out[1].Value().([][]float64)
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

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g (tolerance %g)", what, got, want, tol)
	}
}

// batches are the label patterns and temperatures every objective must get right.
var batches = []struct {
	name    string
	labeled []bool
	views   int
	tau     float64
	rows    func(z [][]float64) // bends the random rows
}{
	{"mixed", []bool{true, false, true, false, false}, 2, 0.5, nil},
	{"none labeled", make([]bool, 4), 2, 0.5, nil},
	{"one labeled", []bool{false, true, false}, 2, 0.2, nil},
	{"all labeled", []bool{true, true, true}, 2, 1, nil},
	{"three views", []bool{true, false, true, false}, 3, 0.5, nil},
	{"tiny temperature", []bool{true, false, true, false}, 2, 0.01, nil},
	{"duplicate rows", []bool{true, true, false, false}, 2, 0.3, func(z [][]float64) { copy(z[1], z[0]); copy(z[6], z[0]) }},
	{"opposite rows", []bool{true, false, false}, 2, 0.1, func(z [][]float64) {
		for k := range z[0] {
			z[3][k] = -2 * z[0][k]
		}
	}},
}

func TestObjectivesAgainstLoops(t *testing.T) {
	for _, c := range lossCases {
		for _, batch := range batches {
			t.Run(c.objective.Name+"/"+batch.name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, uint64(len(batch.name))))
				z := randomRows(rng, batch.views*len(batch.labeled), 4)
				if batch.rows != nil {
					batch.rows(z)
				}
				value, grad := valueAndGradient(t, c.objective, z, batch.labeled, batch.tau)
				near(t, "loss", value, c.reference(z, batch.labeled, batch.tau), 1e-11)
				const h = 1e-6
				for i := range z {
					for k := range z[i] {
						at := z[i][k]
						z[i][k] = at + h
						up := c.reference(z, batch.labeled, batch.tau)
						z[i][k] = at - h
						down := c.reference(z, batch.labeled, batch.tau)
						z[i][k] = at
						if want := (up - down) / (2 * h); math.Abs(grad[i][k]-want) > 2e-6*max(1, math.Abs(want), 1/batch.tau) {
							t.Fatalf("gradient of row %d, entry %d = %g, finite difference %g", i, k, grad[i][k], want)
						}
					}
				}
			})
		}
	}
}

func TestZeroVectorsAreFiniteInFloat32(t *testing.T) {
	z := [][]float32{{0, 0, 0}, {1, 2, 3}, {1e-30, 0, 0}, {0, 0, 0}, {1e30, -1e30, 0}, {-1, -2, -3}}
	labeled := []bool{true, false, true}
	for _, c := range lossCases {
		for _, tau := range []float64{0.01, 0.5} {
			exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled *Node) []*Node {
				loss := c.objective.Loss(Views{Z: z, Labeled: labeled}, tau)
				return []*Node{loss, Gradient(loss, z)[0]}
			})
			out, err := exec.Call(z, labeled)
			if err != nil {
				t.Fatal(err)
			}
			wide := make([][]float64, len(z))
			for i := range z {
				for _, x := range z[i] {
					wide[i] = append(wide[i], float64(x))
				}
			}
			near(t, c.objective.Name, float64(out[0].Value().(float32)), c.reference(wide, labeled, tau), 1e-5)
			for _, row := range out[1].Value().([][]float32) {
				for _, x := range row {
					if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
						t.Fatalf("%s, τ = %g: gradient holds %g", c.objective.Name, tau, x)
					}
				}
			}
		}
	}
}

func TestConstantRowsGiveChanceLevel(t *testing.T) {
	z := [][]float64{{1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}}
	for _, c := range lossCases {
		value, _ := valueAndGradient(t, c.objective, z, []bool{true, false, true}, 0.5)
		near(t, c.objective.Name, value, ChanceLevel(3, 2), 1e-12)
	}
	near(t, "log 5", ChanceLevel(3, 2), math.Log(5), 1e-15)
}

func TestRotationAndScaleChangeNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	z := randomRows(rng, 8, 2)
	labeled := []bool{true, false, true, false}
	turned := make([][]float64, len(z))
	for i, row := range z {
		s, c := math.Sincos(0.7)
		scale := 1 + float64(i)
		turned[i] = []float64{scale * (c*row[0] - s*row[1]), scale * (s*row[0] + c*row[1])}
	}
	for _, c := range lossCases {
		a, _ := valueAndGradient(t, c.objective, z, labeled, 0.5)
		b, _ := valueAndGradient(t, c.objective, turned, labeled, 0.5)
		near(t, c.objective.Name, a, b, 1e-12)
	}
}

func TestPermutationOfExamplesChangesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	z := randomRows(rng, 8, 3)
	labeled := []bool{true, false, true, false}
	order := []int{2, 0, 3, 1}
	var moved [][]float64
	var movedLabels []bool
	for view := range 2 {
		for _, i := range order {
			moved = append(moved, z[view*4+i])
		}
	}
	for _, i := range order {
		movedLabels = append(movedLabels, labeled[i])
	}
	for _, c := range lossCases {
		a, _ := valueAndGradient(t, c.objective, z, labeled, 0.5)
		b, _ := valueAndGradient(t, c.objective, moved, movedLabels, 0.5)
		near(t, c.objective.Name, a, b, 1e-12)
	}
}

func TestWithoutLabelsPUCLIsSSCL(t *testing.T) {
	z := randomRows(rand.New(rand.NewPCG(9, 9)), 10, 3)
	a, _ := valueAndGradient(t, PUCL(), z, make([]bool, 5), 0.5)
	b, _ := valueAndGradient(t, SSCL(), z, make([]bool, 5), 0.5)
	near(t, "PUCL without labels", a, b, 1e-14)
}

// Leading axes are independent batches: each must get the value it has alone.
func TestLeadingAxesAreBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	z := [][][]float64{randomRows(rng, 6, 3), randomRows(rng, 6, 3)}
	labeled := [][]bool{{true, false, true}, {false, true, false}}
	for _, c := range lossCases {
		exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled *Node) *Node {
			return c.objective.Loss(Views{Z: z, Labeled: labeled}, 0.5)
		})
		out, err := exec.Call(z, labeled)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range out[0].Value().([]float64) {
			near(t, c.objective.Name, got, c.reference(z[i], labeled[i], 0.5), 1e-12)
		}
	}
}

// A block of some anchors must hold the same numbers as the whole batch.
func TestBlocksOfAnchorsAgreeWithTheWhole(t *testing.T) {
	z := randomRows(rand.New(rand.NewPCG(11, 11)), 8, 3)
	labeled := []bool{true, false, true, false}
	for _, c := range lossCases {
		exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled *Node) (*Node, *Node) {
			whole := c.objective.PerAnchor(Views{Z: z, Labeled: labeled}, 0.5)
			var parts []*Node
			for _, span := range [][2]int{{0, 3}, {3, 4}, {7, 1}} {
				b := blockOf(unitRows(z), labeled, 2, span[0], span[1], 0.5)
				parts = append(parts, Sub(c.objective.Repel(b), c.objective.Attract(b)))
			}
			return whole, Concatenate(parts, 0)
		})
		out := exec.MustCall(z, labeled)
		whole, parts := out[0].Value().([]float64), out[1].Value().([]float64)
		if !slices.EqualFunc(whole, parts, func(a, b float64) bool { return math.Abs(a-b) < 1e-13 }) {
			t.Errorf("%s: blocks %v, whole batch %v", c.objective.Name, parts, whole)
		}
	}
}
