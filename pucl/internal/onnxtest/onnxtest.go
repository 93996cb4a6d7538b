// Package onnxtest checks ONNX models in tests. It evaluates models of rows by loops over float64 numbers. It stores
// all models with their expected outputs for ONNX Runtime, if .ci/full gives a folder for these cases.
package onnxtest

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// casesEnv names the environment variable that holds the folder to which [Check] writes its cases, for
// notebooks/tools/onnx/check.py.
const casesEnv = "PUCL_ONNX_CASES"

// Tensor is an array of numbers, or of texts. The first axis of an input or output of a model is the batch.
type Tensor struct {
	Dims    []int
	Numbers []float64
	Texts   []string
}

// Numbers32 returns a tensor of numbers that are rounded to float32, as models read them.
func Numbers32(numbers []float64, dims ...int) Tensor {
	t := Tensor{Dims: dims, Numbers: make([]float64, len(numbers))}
	for i, x := range numbers {
		t.Numbers[i] = float64(float32(x))
	}
	return t
}

// Bytes returns a tensor of pixels.
func Bytes(pixels []uint8, dims ...int) Tensor {
	t := Tensor{Dims: dims}
	for _, x := range pixels {
		t.Numbers = append(t.Numbers, float64(x))
	}
	return t
}

// first returns the first n rows.
func (t Tensor) first(n int) Tensor {
	size := n
	for _, dim := range t.Dims[1:] {
		size *= dim
	}
	t.Dims = append([]int{n}, t.Dims[1:]...)
	if t.Texts != nil {
		t.Texts = t.Texts[:size]
	} else {
		t.Numbers = t.Numbers[:size]
	}
	return t
}

// testCase is the input of check.py besides a model. A gap among numbers is null.
type testCase struct {
	Inputs map[string]caseTensor
	Want   map[string][]float64 // by output
	Bound  float64
}

type caseTensor struct {
	Dims   []int
	Values []any
}

// Check checks the structure of a model and stores the case for ONNX Runtime if a folder is given. A model of rows runs
// on all rows and on the first row alone: every output must be within bound of its reference, in units of the
// reference's largest number, or of 1.
func Check(t *testing.T, name string, file []byte, inputs map[string]Tensor, want map[string][]float64, bound float64) {
	t.Helper()
	expect.NoError(t, structure(file, inputs))
	if folder := os.Getenv(casesEnv); folder != "" {
		expect.NoError(t, keep(filepath.Join(folder, slug(name)), file, testCase{caseOf(inputs), want, bound}))
	}
	if _, images := inputs["images"]; images {
		return
	}
	n := 0
	for _, in := range inputs {
		n = in.Dims[0]
	}
	for _, rows := range []int{n, 1} {
		some := map[string]Tensor{}
		for name, in := range inputs {
			some[name] = in.first(rows)
		}
		got := expect.Must(Run(file, some))(t)
		for output, want := range want {
			numbers := got[output].Numbers
			expect.Require(t, len(numbers) == rows*len(want)/n, "%s: %d numbers for %d rows, want %d for %d", output,
				len(numbers), rows, len(want), n)
			unit := max(1, slices.Max(want), -slices.Min(want))
			for i, x := range numbers {
				expect.Require(t, math.Abs(x-want[i]) <= bound*unit, "%d rows, number %d of %s is %g, "+
					"want %g", rows, i, output, x, want[i])
			}
		}
	}
}

var other = regexp.MustCompile(`[^A-Za-z0-9]+`)

func slug(name string) string { return other.ReplaceAllString(name, "-") }

func caseOf(inputs map[string]Tensor) map[string]caseTensor {
	out := map[string]caseTensor{}
	for name, in := range inputs {
		c := caseTensor{Dims: in.Dims}
		for _, text := range in.Texts {
			c.Values = append(c.Values, text)
		}
		for _, x := range in.Numbers {
			if math.IsNaN(x) {
				c.Values = append(c.Values, nil)
			} else {
				c.Values = append(c.Values, x)
			}
		}
		out[name] = c
	}
	return out
}

// keep writes a model and its case.
func keep(path string, file []byte, c testCase) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path + ".onnx"); err == nil {
		return fmt.Errorf("onnxtest: two cases would be written to %s.onnx; name one of them otherwise", path)
	}
	if err := os.WriteFile(path+".json", text, 0o644); err != nil {
		return err
	}
	return os.WriteFile(path+".onnx", file, 0o644)
}
