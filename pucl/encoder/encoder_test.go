package encoder

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

func TestBatchNormTrainsAndRemembers(t *testing.T) {
	store := model.NewStore()
	x := [][]float32{{1, 10}, {2, 10}, {3, 40}, {6, 20}}
	run := func(training bool, x [][]float32) *tensors.Tensor {
		exec := model.MustNewExec(enginetest.Open(t).Backend, store, func(scope *model.Scope, x *Node) *Node {
			return BatchNorm(scope, x, training)
		})
		return expect.Must(exec.Call1(x))(t)
	}
	var want []float64 // means 3 and 20, variances 3.5 and 150, with n in the denominator
	for _, row := range x {
		want = append(want, (float64(row[0])-3)/math.Sqrt(3.5+1e-5), (float64(row[1])-20)/math.Sqrt(150+1e-5))
	}
	near(t, "in training", run(true, x), want, 1e-5)
	// A tenth of the way from 0 and 1 to the batch's mean and its variance with n−1 in the denominator.
	want = []float64{(1 - 0.3) / math.Sqrt(0.9+0.1*3.5*4/3+1e-5), (1 - 2) / math.Sqrt(0.9+0.1*150*4/3+1e-5)}
	near(t, "in use", run(false, [][]float32{{1, 1}}), want, 1e-5)
}

func TestWeightsDependOnSeedAndPathAlone(t *testing.T) {
	eng := enginetest.Open(t)
	draw := func(seed uint64, first, second string) []float32 {
		store := model.NewStore()
		SetSeed(store, seed)
		exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, x *Node) *Node {
			Dense(scope.In("%s", first), x, 2, false)
			return Dense(scope.In("%s", second), x, 2, false)
		})
		expect.Must(exec.Call1([][]float32{{1, 2, 3}}))(t)
		return tensors.MustCopyFlatData[float32](store.GetVariable("/a/weights").MustValue())
	}
	base := draw(1, "a", "b")
	expect.That(t, slices.Equal(draw(1, "b", "a"), base), "the order of building changes the weights")
	expect.That(t, !slices.Equal(draw(2, "a", "b"), base), "the seed does not change the weights")
}
