package encoder

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// An entry that is NaN makes some output of every layer NaN wherever the layer looks at that entry, on both engines: no
// maximum and no guard hides it.
func TestNaNComesThroughEveryLayer(t *testing.T) {
	for _, eng := range enginetest.All(t) {
		for _, tt := range casesOf(eng) {
			for _, dtype := range []dtypes.DType{dtypes.Float64, dtypes.Float32} {
				if dtype == dtypes.Float64 && eng.Kind != "go" {
					continue // nobody trains so on XLA, which compiles for seconds
				}
				t.Run(fmt.Sprintf("%s/%s/%s", eng.Kind, tt.name, dtype), func(t *testing.T) { checkNaN(t, eng.Backend, tt, dtype) })
			}
		}
	}
}

// checkNaN compares the output of a layer for each entry of the input made large, which shows whether the layer looks
// at it, with that for the entry made NaN.
func checkNaN(t *testing.T, backend compute.Backend, tt gradientCase, dtype dtypes.DType) {
	store := model.NewStore()
	SetSeed(store, 3)
	input := make([]float64, sizeOf(tt.dims))
	for i := range input {
		input[i] = float64(i*7%11) / 11
	}
	exec := model.MustNewExec(backend, store, func(scope *model.Scope, x *Node) *Node {
		return ConvertDType(tt.layer(scope.In("layer"), ConvertDType(x, dtype)), dtypes.Float64)
	})
	defer exec.Finalize()
	output := func() []float64 { return numbers(expect.Must(exec.Call1(tensorOf(input, tt.dims...)))(t)) }
	output() // draws the weights
	before := output()
	seen := 0
	for i, was := range input {
		input[i] = was + 10
		large := output()
		if input[i] = math.NaN(); !slices.Equal(large, before) {
			seen++
			expect.That(t, floats.HasNaN(output()), "entry %d is NaN and no output is", i)
		}
		input[i] = was
	}
	expect.That(t, seen > 0, "the layer looks at no entry")
}
