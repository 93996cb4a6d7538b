package rival

import (
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// Where the teacher is not sure of an unlabeled example, its partner is one of the positives nearest to the boundary, after the
// warm-up; all others keep the partner that was drawn.
func TestP3MixChoosesPartnersNearTheBoundary(t *testing.T) {
	m := P3Mix{Pool: 0.5}.withDefaults() // 2 of 4 positives: rows 3 and 1, by the size of their logits
	teacher := []float64{4, -0.5, 3, 0.2, 0, -5, 1.5, 2}
	drawn := []int32{0, 7, 2, 5, 1, 4, 6, 6} // of 8 rows: the first four mean the nearest positive, the others the next one
	for later, want := range map[float64][]int32{
		0: drawn,
		1: {0, 7, 2, 5, 3, 4, 1, 6}, // σ(2) is above 0.85, and σ(−5) below 0.15
	} {
		out := expect.Must(ExecOnce(enginetest.Open(t).Backend, func(teacher, drawn, later *Node) *Node {
			return m.partners(batch{positives: 4, other: teacher, partner: drawn, now: later})
		}, teacher, drawn, []float64{later}))(t)
		expect.Equal(t, out.Value().([]int32), want, "later %g: partners ", later)
	}
}

// Equal distances from the boundary have an order, so that every place of the pool is one positive's.
func TestP3MixPoolOfEqualDistances(t *testing.T) {
	m := P3Mix{Pool: 1}.withDefaults()
	out := expect.Must(ExecOnce(enginetest.Open(t).Backend, func(teacher, drawn *Node) *Node {
		return m.partners(batch{positives: 3, other: teacher, partner: drawn, now: OnesLike(Slice(teacher, AxisElem(0)))})
	}, []float64{1, 1, -1, 0, 0, 0}, []int32{0, 0, 0, 0, 2, 4}))(t)
	got := out.Value().([]int32)
	expect.That(t, slices.Equal(got, []int32{0, 0, 0, 0, 1, 2}), "partners %d", got)
}
