// Package vectortest reads the conformance files of the losses and risks, and compares numbers with them.
package vectortest

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/compute/dtypes"
)

// Files lists the conformance files whose names begin with word: in the folder $PUCL_VECTORS, or the copies in dir.
func Files(t *testing.T, dir, word string) []string {
	t.Helper()
	if other := os.Getenv("PUCL_VECTORS"); other != "" {
		dir = other
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

// ReadJSON decodes the file path into the value that into points to.
func ReadJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Precisions are the number formats of the conformance files and their tolerances: an error of Value·max(1, |v|), and
// of Grad·max(Least, largest entry) in a gradient.
var Precisions = []struct {
	DType              dtypes.DType
	Value, Grad, Least float64
}{{dtypes.Float64, 1e-9, 1e-9, 1}, {dtypes.Float32, 1e-5, 1e-4, 1e-2}}

// Near allows got an error of tol·max(1, |want|).
func Near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g (tolerance %g)", what, got, want, tol)
	}
}

// NearGradient allows each entry an error of tol·max(least, largest entry of want).
func NearGradient(t *testing.T, what string, got, want [][]float64, tol, least float64) {
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
