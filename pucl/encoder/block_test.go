package encoder

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/peaktest"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// Networks with recomputed blocks have the loss, the gradients and the running statistics that they have without. That the
// gradients without are right, finite differences tell in other tests.
func TestRecomputedBlocksChangeNothing(t *testing.T) {
	eng := enginetest.Open(t)
	rng := rand.New(rand.NewPCG(3, 4))
	const n, side = 4, 12
	pixels := make([]float32, n*side*side)
	for i := range pixels {
		pixels[i] = rng.Float32()
	}
	images := tensors.FromFlatDataAndDimensions(pixels, n, side, side, 1)
	for _, tt := range []struct {
		network Encoder
		blocks  int
	}{
		{SmallCNN{Width: 2, Dim: 4}, 3},
		{ResNet{Depth: 10, CIFAR: true, Width: 2}, 5},
		{AllConv{Width: 2, Dim: 4}, 9},
		{ViT{Patch: 6, Layers: 2, Heads: 2, Dim: 4}, 2},
	} {
		var want [][]float32
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
			out, err := step.Call(images)
			if err != nil {
				t.Fatal(err)
			}
			step.Finalize()
			for v := range store.IterVariables() {
				if !v.Trainable {
					out = append(out, v.MustValue())
				}
			}
			var got [][]float32
			for _, x := range out {
				got = append(got, tensors.MustCopyFlatData[float32](x))
			}
			if !again {
				want = got
				continue
			}
			if barriers != 2*tt.blocks {
				t.Errorf("%v: %d barriers, which is not one before and one behind each of %d blocks", tt.network, barriers, tt.blocks)
			}
			for i := range want {
				size := 0.0
				for _, v := range want[i] {
					size = max(size, math.Abs(float64(v)))
				}
				for j := range want[i] {
					if d := math.Abs(float64(got[i][j] - want[i][j])); !(d <= 1e-4*max(size, 1e-2)) {
						t.Errorf("%v: number %d of %d is %g, without recomputing %g", tt.network, i, len(want), got[i][j], want[i][j])
						break
					}
				}
			}
		}
	}
}

// recomputeOfChild names the variable that turns a run of the test binary into one that only takes a gradient.
const recomputeOfChild = "PUCL_TEST_RECOMPUTE"

// Eight blocks of four layers on 64 images of 32×32×16, 4 MiB each, keep some 130 MiB for the gradient; recomputed they must do with less
// than half. The peak of a whole process is measured, so each runs in a process of its own.
// The pure-Go engine frees nothing before a step ends, so that training refuses to recompute there.
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
						x = ReLU(Convolution(scope.In("%d-%d", i, j), x, 16, 3, 1))
					}
					return x
				})
			}
			return scope.BuildTrainableVariablesGradientsGraph(ReduceAllSum(Square(x)))
		})
		images := tensors.FromFlatDataAndDimensions(make([]float32, 64*32*32*16), 64, 32, 32, 16)
		if _, err := step.Compile(images.Shape()); err != nil {
			t.Fatal(err)
		}
		before := peaktest.Must(t)
		if _, err := step.Call(images); err != nil {
			t.Fatal(err)
		}
		peaktest.Tell(peaktest.Must(t) - before)
		return
	}
	peaktest.Skip(t)
	kept, recomputed := peaktest.OfChild(t, recomputeOfChild, "false"), peaktest.OfChild(t, recomputeOfChild, "true")
	if kept < 100<<20 || recomputed > kept/2 {
		t.Errorf("the gradient takes %d MiB with activations kept and %d MiB with them recomputed; want more than 100, and less than half of that",
			kept>>20, recomputed>>20)
	}
}
