package evaluate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
)

// The measures of collapse that are computed from matrices agree with those that losses are made of, in the graph.
func TestAlignmentAndUniformityAgreeWithTheGraph(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	first, second := mat.NewDense(20, 5, nil), mat.NewDense(20, 5, nil)
	z := make([][]float64, 40)
	for i := range 20 {
		for j := range 5 {
			first.Set(i, j, rng.NormFloat64())
			second.Set(i, j, first.At(i, j)+0.3*rng.NormFloat64())
		}
		z[i], z[20+i] = first.RawRowView(i), second.RawRowView(i)
	}
	exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled *Node) (*Node, *Node) {
		v := pucl.Views{Z: z, Labeled: labeled}
		return pucl.Alignment(v), pucl.Uniformity(v)
	})
	out := expect.Must(exec.Call(z, make([]bool, 20)))(t)
	a := expect.Must(evaluate.Diagnose(first, second))(t)
	b := expect.Must(evaluate.Diagnose(second, first))(t)
	for _, m := range []struct {
		name      string
		got, want float64
	}{
		{"alignment", a.Alignment, out[0].Value().(float64)},
		{"uniformity", (a.Uniformity + b.Uniformity) / 2, out[1].Value().(float64)},
	} {
		expect.That(t, math.Abs(m.got-m.want) <= 1e-10*max(1, math.Abs(m.want)),
			"%s is %.15g, in the graph %.15g", m.name, m.got, m.want)
	}
}
