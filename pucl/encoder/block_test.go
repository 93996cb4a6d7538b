package encoder

import (
	"math"
	"os"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/peaktest"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// Networks with recomputed blocks have the loss, the gradients and the running statistics that they have without. That
// the gradients without are right, finite differences tell in other tests.
func TestRecomputedBlocksChangeNothing(t *testing.T) {
	eng := enginetest.Open(t)
	const n, side = 4, 12
	pixels := vectortest.Network{Batch: n, Height: side, Width: side}.Images()
	images := tensors.FromFlatDataAndDimensions(pixels[:n*side*side], n, side, side, 1)
	for _, tt := range []struct {
		network Encoder
		blocks  int
	}{
		{SmallCNN{Width: 2, Dim: 4}, 3},
		{ResNet{Depth: 10, CIFAR: true, Width: 2}, 5},
		{AllConv{Width: 2, Dim: 4}, 9},
		{ViT{Patch: 6, Layers: 2, Heads: 2, Dim: 4}, 2},
	} {
		var want []*tensors.Tensor
		for _, again := range []bool{false, true} {
			store := model.NewStore()
			SetSeed(store, 1)
			barriers := 0
			step := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, images *Node) []*Node {
				if again {
					RecomputeBlocks(images.Graph())
				}
				h := tt.network.Embed(scope, images, true)
				for _, node := range images.Graph().Nodes() {
					if node.Type() == NodeTypeOptimizationBarrier {
						barriers++
					}
				}
				loss := ReduceAllSum(Square(AddScalar(h, -1)))
				return append(scope.BuildTrainableVariablesGradientsGraph(loss), loss)
			})
			got := expect.Must(step.Call(images))(t)
			step.Finalize()
			for v := range store.IterVariables() {
				if !v.Trainable {
					got = append(got, v.MustValue())
				}
			}
			if !again {
				want = got
				continue
			}
			// One barrier before and one behind each block.
			expect.Equal(t, barriers, 2*tt.blocks, "barriers of %v", tt.network)
			for i := range want {
				got, want := numbers(got[i]), numbers(want[i])
				far := floats.Distance(got, want, math.Inf(1))
				expect.That(t, far <= 1e-4*max(largest(want), 1e-2) && !floats.HasNaN(got),
					"%v: result %d is %g away from that without recomputing", tt.network, i, far)
			}
		}
	}
}

// recomputeOfChild names the variable that turns a run of the test binary into one that only takes a gradient.
const recomputeOfChild = "PUCL_TEST_RECOMPUTE"

// Eight blocks of four layers on 65,536 rows of 16 numbers, 4 MiB each, keep some 130 MiB for the gradient; recomputed
// they must do with less than half. The peak of a whole process is measured, so each runs in a process of its own. The
// pure-Go engine frees nothing before a step ends, so that training refuses to recompute there.
func TestRecomputedBlocksSaveMemory(t *testing.T) {
	eng := enginetest.XLA(t)
	if again := os.Getenv(recomputeOfChild); again != "" {
		step := model.MustNewExec(eng.Backend, model.NewStore(), func(scope *model.Scope, x *Node) []*Node {
			if again == "true" {
				RecomputeBlocks(x.Graph())
			}
			for i := range 8 {
				x = Block(x, func(x *Node) *Node {
					for j := range 4 {
						x = ReLU(Dense(scope.In("%d-%d", i, j), x, 16, false))
					}
					return x
				})
			}
			return scope.BuildTrainableVariablesGradientsGraph(ReduceAllSum(Square(x)))
		})
		rows := tensors.FromShape(float32s(1<<16, 16))
		expect.Must(step.Compile(rows.Shape()))(t)
		before := peaktest.Must(t)
		expect.Must(step.Call(rows))(t)
		peaktest.Tell(peaktest.Must(t) - before)
		return
	}
	peaktest.Skip(t)
	kept, recomputed := peaktest.OfChild(t, recomputeOfChild, "false"), peaktest.OfChild(t, recomputeOfChild, "true")
	expect.That(t, kept >= 100<<20 && recomputed <= kept/2,
		"the gradient takes %d MiB with activations kept and %d MiB with them recomputed; want more than 100, and less than half of that",
		kept>>20, recomputed>>20)
}
