package encoder

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// mlpByLoops computes an MLP in training on rows, in float64: for each layer the weights [in][out] and then the batch
// normalization with γ = 1 and β = 0, and ReLU.
func mlpByLoops(rows [][]float64, layers [][][]float64) [][]float64 {
	for _, weights := range layers {
		out := make([][]float64, len(rows))
		for i, row := range rows {
			out[i] = make([]float64, len(weights[0]))
			for k, v := range row {
				for j := range out[i] {
					out[i][j] += v * weights[k][j]
				}
			}
		}
		for j := range weights[0] {
			mean, variance := 0.0, 0.0
			for i := range out {
				mean += out[i][j] / float64(len(out))
			}
			for i := range out {
				variance += (out[i][j] - mean) * (out[i][j] - mean) / float64(len(out))
			}
			for i := range out {
				out[i][j] = max(0, (out[i][j]-mean)/math.Sqrt(variance+1e-5))
			}
		}
		rows = out
	}
	return rows
}

// The network and its gradient with respect to the input, on features and on images of as many pixels, against loops.
func TestMLPAgainstLoops(t *testing.T) {
	const n, d = 4, 6
	flat := randomImages(n, 3)[:n*d]
	weigh := func(i, j int) float64 { return math.Sin(float64(1 + 3*i + j)) } // a scalar that depends on all outputs unevenly
	for _, tt := range []struct {
		name   string
		mlp    MLP
		shape  []int
		layers []string
	}{
		{"features", MLP{Hidden: []int{5, 3}, Dim: 4}, []int{n, d}, []string{"dense1", "dense2", "dense3"}},
		{"images", MLP{Hidden: []int{5}, Dim: 2}, []int{n, 2, 1, 3}, []string{"dense1", "dense2"}},
		{"one layer", MLP{Hidden: []int{}, Dim: 3}, []int{n, d}, []string{"dense1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := model.NewStore()
			SetSeed(store, 4)
			exec := model.MustNewExec(enginetest.Open(t).Backend, store, func(scope *model.Scope, inputs []*Node) (*Node, *Node) {
				h := tt.mlp.Embed(scope, inputs[0], true)
				weights := make([][]float64, n)
				for i := range weights {
					for j := range h.Shape().Dim(1) {
						weights[i] = append(weights[i], weigh(i, j))
					}
				}
				return h, Gradient(ReduceAllSum(Mul(h, Const(h.Graph(), weights))), inputs[0])[0]
			})
			h, gradient, err := exec.Call2(tensors.FromFlatDataAndDimensions(flat, tt.shape...))
			if err != nil {
				t.Fatal(err)
			}
			var layers [][][]float64
			for _, name := range tt.layers {
				v := store.GetVariable("/" + name + "/weights")
				if v == nil {
					t.Fatalf("there is no layer %s", name)
				}
				layers = append(layers, v.MustValue().Value().([][]float64))
			}
			reference := func() [][]float64 {
				rows := make([][]float64, n)
				for i := range rows {
					rows[i] = flat[i*d : (i+1)*d]
				}
				return mlpByLoops(rows, layers)
			}
			got := h.Value().([][]float64)
			for i, row := range reference() {
				if len(row) != len(got[i]) || len(row) != tt.mlp.Dim {
					t.Fatalf("%d outputs, want %d", len(got[i]), tt.mlp.Dim)
				}
				for j := range row {
					if !(math.Abs(row[j]-got[i][j]) <= 1e-9) {
						t.Errorf("row %d, output %d: %g, want %g", i, j, got[i][j], row[j])
					}
				}
			}
			sum := func() (sum float64) {
				for i, row := range reference() {
					for j, v := range row {
						sum += v * weigh(i, j)
					}
				}
				return sum
			}
			const step = 1e-6
			for k, g := range tensors.MustCopyFlatData[float64](gradient) {
				before := flat[k]
				flat[k] = before + step
				up := sum()
				flat[k] = before - step
				down := sum()
				flat[k] = before
				if diff := (up - down) / (2 * step); !(math.Abs(diff-g) <= 1e-5*max(1, math.Abs(diff))) {
					t.Errorf("input %d: gradient %g, difference %g", k, g, diff)
				}
			}
		})
	}
}

func TestMLPDefaultsAndRefusals(t *testing.T) {
	if got := (MLP{}).String(); got != "MLP hidden [256 256], 128-d" {
		t.Errorf("%q", got)
	}
	hidden := make([]int, 1, 2) // with room for one more, which must stay as it is
	hidden[0] = 3
	run := func(e Encoder, input any) (*tensors.Tensor, error) {
		exec := model.MustNewExec(enginetest.Open(t).Backend, model.NewStore(), func(scope *model.Scope, inputs []*Node) *Node {
			return e.Embed(scope, inputs[0], false)
		})
		return exec.Call1(input)
	}
	x := [][]float32{{1, 2}, {3, 4}}
	h, err := run(MLP{}, x)
	if err != nil || h.Shape().Dim(1) != 128 {
		t.Errorf("the zero value gives %v, %v", h, err)
	}
	if _, err := run(MLP{Hidden: hidden, Dim: 2}, x); err != nil || hidden[:2][1] != 0 {
		t.Errorf("%v; the caller's slice is %v", err, hidden[:2])
	}
	refusal.Check(t, fault.Root(refusal.Err(run(MLP{Hidden: []int{4, 0}}, x))),
		"layer 2 of an MLP has size 0 … it must be at least 1")
	refusal.Check(t, fault.Root(refusal.Err(run(SmallCNN{}, x))), "a SmallCNN reads images [n, height, width … use an MLP")
}
