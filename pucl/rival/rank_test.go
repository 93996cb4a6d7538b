package rival

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// Places are found by rank, and never lie outside, even where numbers are no numbers, which all have the place 0.
func TestPlacesLieInside(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		x    []float64
		want []int32
	}{
		{[]float64{3, 1, 2, 1}, []int32{1, 3, 2, 0}},
		{[]float64{nan, nan, nan, nan}, []int32{3, 0, 0, 0}},
	} {
		out := expect.Must(ExecOnce(enginetest.Open(t).Backend, func(x, places *Node) *Node { return atPlaces(rank(x), places) },
			tt.x, []int32{0, 1, 2, 3}))(t)
		expect.Equal(t, out.Value().([]int32), tt.want, "%v: places ", tt.x)
	}
}
