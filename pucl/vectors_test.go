package pucl

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/internal/enginetest"
)

// vectorFiles lists the conformance files whose names begin with word: those of the folder $PUCL_VECTORS, or the copies
// kept in testdata.
func vectorFiles(t *testing.T, word string) []string {
	t.Helper()
	dir := os.Getenv("PUCL_VECTORS")
	if dir == "" {
		dir = filepath.Join("testdata", "vectors")
	}
	files, err := filepath.Glob(filepath.Join(dir, word+"*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no %s*.json in %s; PUCL_VECTORS must name a folder of conformance files by its absolute path", word, dir)
	}
	return files
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

type lossVector struct {
	Temperature float64
	Params      struct {
		Lambda  float64
		TauPlus float64 `json:"tau_plus"`
		Pi      float64
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
	Risk struct {
		ClassPrior float64 `json:"class_prior"`
		Logits     []float64
		Labeled    []int
		Risks      map[string]struct {
			Value      float64
			GradLogits []float64 `json:"grad_logits"`
		}
	}
}

// objectives makes every objective that a file may name, under the names of the files.
func (v lossVector) objectives() map[string]Objective {
	made := map[string]Objective{}
	for _, o := range []Objective{
		SSCL(), SCLPU(), PUCL(), SCL(), MCL(v.Params.Lambda), DCL(DCLConfig{TauPlus: v.Params.TauPlus}), PUNCE(v.Params.Pi),
		AlignmentLoss(), UniformityLoss(),
	} {
		made[o.Name] = o
	}
	return made
}

// risks makes every risk that a file may name.
func (v lossVector) risks() map[string]Risk {
	prior := v.Risk.ClassPrior
	return map[string]Risk{
		"uPU-logistic": UPU(prior, LogisticLoss), "uPU-sigmoid": UPU(prior, SigmoidLoss),
		"nnPU-logistic": NNPU(prior, LogisticLoss), "nnPU-sigmoid": NNPU(prior, SigmoidLoss),
	}
}

// precisions are the number formats of the conformance files and what they allow: an error of value·max(1, |v|), and of
// grad·max(least, largest entry) in a gradient.
var precisions = []struct {
	dtype              dtypes.DType
	value, grad, least float64
}{{dtypes.Float64, 1e-9, 1e-9, 1}, {dtypes.Float32, 1e-5, 1e-4, 1e-2}}

// TestVectors holds values and gradients against batches worked out elsewhere in float64: all that a file holds.
func TestVectors(t *testing.T) {
	for _, path := range vectorFiles(t, "losses") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			var v lossVector
			readJSON(t, path, &v)
			if len(v.Losses)+len(v.Risk.Risks) == 0 {
				t.Fatal("no loss and no risk in the file")
			}
			names, riskNames := slices.Sorted(maps.Keys(v.Losses)), slices.Sorted(maps.Keys(v.Risk.Risks))
			objectives, risks := v.objectives(), v.risks()
			for _, name := range names {
				if _, ok := objectives[name]; !ok {
					t.Fatalf("no objective is called %q", name)
				}
			}
			for _, name := range riskNames {
				if _, ok := risks[name]; !ok {
					t.Fatalf("no risk is called %q", name)
				}
			}
			for _, p := range precisions {
				exec := MustNewExec(enginetest.Open(t).Backend, func(in []*Node) []*Node {
					z, logits := ConvertDType(StackViews(in[0], in[1]), p.dtype), ConvertDType(in[4], p.dtype)
					var out []*Node
					for _, name := range names {
						loss := objectives[name].Loss(Views{Z: z, Labeled: in[2], Class: in[3]}, v.Temperature)
						out = append(out, loss, Gradient(loss, z)[0])
					}
					for _, name := range riskNames {
						risk := risks[name](logits, in[5])
						out = append(out, risk, Gradient(risk, logits)[0])
					}
					for i := range out {
						out[i] = ConvertDType(out[i], dtypes.Float64)
					}
					return out
				})
				out, err := exec.Call(v.Z, v.ZAug, isOne(v.Labeled), v.Class, v.Risk.Logits, isOne(v.Risk.Labeled))
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range names {
					want := v.Losses[name]
					what := fmt.Sprintf("%s in %s", name, p.dtype)
					near(t, what, out[0].Value().(float64), want.Value, p.value)
					nearGradient(t, what, out[1].Value().([][]float64), slices.Concat(want.GradZ, want.GradZAug), p.grad, p.least)
					out = out[2:]
				}
				for _, name := range riskNames {
					want := v.Risk.Risks[name]
					what := fmt.Sprintf("%s in %s", name, p.dtype)
					near(t, what, out[0].Value().(float64), want.Value, p.value)
					nearGradient(t, what, [][]float64{out[1].Value().([]float64)}, [][]float64{want.GradLogits}, p.grad, p.least)
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

// nearGradient allows each entry an error of tol·max(least, largest entry of want).
func nearGradient(t *testing.T, what string, got, want [][]float64, tol, least float64) {
	t.Helper()
	if len(got) != len(want) || len(got[0]) != len(want[0]) {
		t.Errorf("%s: gradient is %d×%d, want %d×%d", what, len(got), len(got[0]), len(want), len(want[0]))
		return
	}
	largest := least
	for _, row := range want {
		for _, x := range row {
			largest = max(largest, math.Abs(x))
		}
	}
	for i, row := range want {
		for k, x := range row {
			if !(math.Abs(got[i][k]-x) <= tol*largest) {
				t.Errorf("%s: gradient of row %d, entry %d = %g, want %g", what, i, k, got[i][k], x)
				return
			}
		}
	}
}
