package pucl

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/pucl/internal/enginetest"
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
	Labeled     []int
	Z           [][]float64
	ZAug        [][]float64 `json:"z_aug"`
	Losses      map[string]struct {
		Value    float64
		GradZ    [][]float64 `json:"grad_z"`
		GradZAug [][]float64 `json:"grad_z_aug"`
	}
}

// TestVectors holds values and gradients against batches worked out elsewhere in float64.
func TestVectors(t *testing.T) {
	for _, path := range vectorFiles(t, "losses") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			var v lossVector
			readJSON(t, path, &v)
			labeled := make([]bool, len(v.Labeled))
			for i, l := range v.Labeled {
				labeled[i] = l == 1
			}
			for _, o := range []Objective{SSCL(), SCLPU(), PUCL()} {
				want, ok := v.Losses[o.Name]
				if !ok {
					t.Errorf("the file holds no %s", o.Name)
					continue
				}
				wantGrad := append(append([][]float64{}, want.GradZ...), want.GradZAug...)
				for _, precision := range []struct {
					dtype                dtypes.DType
					value, grad, minGrad float64
				}{{dtypes.Float64, 1e-9, 1e-9, 1}, {dtypes.Float32, 1e-5, 1e-4, 1e-2}} {
					exec := MustNewExec(enginetest.Open(t).Backend, func(z, zAug, labeled *Node) (*Node, *Node) {
						z = ConvertDType(StackViews(z, zAug), precision.dtype)
						loss := o.Loss(Views{Z: z, Labeled: labeled}, v.Temperature)
						return ConvertDType(loss, dtypes.Float64), ConvertDType(Gradient(loss, z)[0], dtypes.Float64)
					})
					out, err := exec.Call(v.Z, v.ZAug, labeled)
					if err != nil {
						t.Fatal(err)
					}
					what := fmt.Sprintf("%s in %s", o.Name, precision.dtype)
					near(t, what, out[0].Value().(float64), want.Value, precision.value)
					nearGradient(t, what, out[1].Value().([][]float64), wantGrad, precision.grad, precision.minGrad)
				}
			}
		})
	}
}

// nearGradient allows each entry an error of tol·max(least, largest entry of want).
func nearGradient(t *testing.T, what string, got, want [][]float64, tol, least float64) {
	t.Helper()
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
