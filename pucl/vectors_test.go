package pucl

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// vectorFiles lists the conformance files whose names begin with word.
func vectorFiles(t *testing.T, word string) []string {
	t.Helper()
	return vectortest.Files(t, filepath.Join("testdata", "vectors"), word)
}

var (
	readJSON     = vectortest.ReadJSON
	near         = vectortest.Near
	nearGradient = vectortest.NearGradient
)

type lossVector struct {
	Temperature float64
	Params      struct {
		Lambda  float64
		TauPlus float64 `json:"tau_plus"`
		Pi      float64
		Margin  float64
	}
	Labeled []int
	Class   []int32
	Z       [][]float64
	ZAug    [][]float64 `json:"z_aug"`
	Losses  map[string]struct {
		Value    float64
		GradZ    [][]float64 `json:"grad_z"`
		GradZAug [][]float64 `json:"grad_z_aug"`
	}
}

// objectives makes every objective that a file may name, under the names of the files.
func (v lossVector) objectives() map[string]Objective {
	made := map[string]Objective{}
	for _, o := range []Objective{
		SSCL(), SCLPU(), PUCL(), SCL(), MCL(v.Params.Lambda), DCL(DCLConfig{TauPlus: v.Params.TauPlus}), PUNCE(v.Params.Pi),
		AlignmentLoss(), UniformityLoss(), NPair(), DebiasedPos(DebiasedPosConfig{TauPlus: v.Params.TauPlus}), TrueNegatives(0), IdealCL(0),
		Pairwise(v.Params.Margin),
	} {
		made[o.Name] = o
	}
	return made
}

// TestVectors holds values and gradients against batches worked out elsewhere in float64: all that a file holds. Files in testdata/torch
// are PyTorch's, by testdata/make_torch.py.
func TestVectors(t *testing.T) {
	for _, path := range append(vectorFiles(t, "losses"), vectortest.Files(t, filepath.Join("testdata", "torch"), "losses")...) {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			var v lossVector
			readJSON(t, path, &v)
			expect.Require(t, len(v.Losses) != 0, "no loss in the file")
			names, objectives := slices.Sorted(maps.Keys(v.Losses)), v.objectives()
			for _, name := range names {
				_, ok := objectives[name]
				expect.Require(t, ok, "no objective is called %q", name)
			}
			for _, p := range vectortest.Precisions {
				exec := MustNewExec(enginetest.Open(t).Backend, func(in []*Node) []*Node {
					z := ConvertDType(StackViews(in[0], in[1]), p.DType)
					var out []*Node
					for _, name := range names {
						loss := objectives[name].Loss(Views{Z: z, Labeled: in[2], Class: in[3]}, v.Temperature)
						out = append(out, loss, Gradient(loss, z)[0])
					}
					for i := range out {
						out[i] = ConvertDType(out[i], dtypes.Float64)
					}
					return out
				})
				out := expect.Must(exec.Call(v.Z, v.ZAug, isOne(v.Labeled), v.Class))(t)
				for _, name := range names {
					want := v.Losses[name]
					what := fmt.Sprintf("%s in %s", name, p.DType)
					near(t, what, out[0].Value().(float64), want.Value, p.Value)
					nearGradient(t, what, out[1].Value().([][]float64), slices.Concat(want.GradZ, want.GradZAug), p.Grad, p.Least)
					out = out[2:]
				}
			}
		})
	}
}

func isOne(numbers []int) []bool {
	ones := make([]bool, len(numbers))
	for i, x := range numbers {
		ones[i] = x == 1
	}
	return ones
}
