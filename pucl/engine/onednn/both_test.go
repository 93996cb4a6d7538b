package onednn_test

import (
	"flag"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/engine/onednn"
)

// rounds is raised by hand, `go test ./pucl/engine/onednn -run Random -rounds 50 -timeout 0`, for other seeds than the first one.
var rounds = flag.Uint64("rounds", 1, "how often the tests of random sizes are done, each time with another seed")

// withOneDNN opens the engine, and skips the test where XLA does not call oneDNN.
func withOneDNN(t *testing.T) *engine.Engine {
	t.Helper()
	eng := enginetest.XLA(t)
	if !eng.OneDNN {
		t.Skip("this engine does not call oneDNN: ", eng)
	}
	return eng
}

// bothExecs compiles f for the given arguments with calls of oneDNN, and for XLA alone. It fails the test where less than the given
// number of operations goes to oneDNN.
func bothExecs(t *testing.T, eng *engine.Engine, calls int, f func(in []*Node) []*Node, args ...*tensors.Tensor) (called, alone *Exec, made onednn.Kinds) {
	t.Helper()
	defer onednn.SetAttached(onednn.Attached())
	var inputs []shapes.Shape
	for _, a := range args {
		inputs = append(inputs, a.Shape())
	}
	execs := []*Exec{MustNewExec(eng.Backend, f), MustNewExec(eng.Backend, f)}
	for i, exec := range execs {
		t.Cleanup(exec.Finalize)
		onednn.SetAttached(i == 0)
		onednn.Forget()
		if _, err := exec.Compile(inputs...); err != nil {
			t.Fatal(err)
		}
		if here := onednn.Made(); i == 0 {
			made = here
		} else if made.Sum() < calls || here.Sum() > 0 {
			t.Fatalf("oneDNN does %+v, of %d operations; when it is switched off, %+v", made, calls, here)
		}
	}
	return execs[0], execs[1], made
}

// anyOf gives the arguments of a call their type.
func anyOf(args []*tensors.Tensor) (list []any) {
	for _, a := range args {
		list = append(list, a)
	}
	return list
}

// scale multiplies all numbers of the arrays.
func scale(factor float32, arrays ...*tensors.Tensor) {
	for _, a := range arrays {
		tensors.MustMutableFlatData(a, func(flat []float32) {
			for i := range flat {
				flat[i] *= factor
			}
		})
	}
}

// same fails the test where got is not want to rounding, the sums being of count products of numbers near 1.
func same(t *testing.T, what string, got, want *tensors.Tensor, count int) {
	t.Helper()
	if !got.Shape().Equal(want.Shape()) {
		t.Fatalf("%s: shape %s, want %s", what, got.Shape(), want.Shape())
	}
	flat := tensors.MustCopyFlatData[float32](want)
	wide := make([]float64, len(flat))
	for i, v := range flat {
		wide[i] = float64(v)
	}
	near(t, what, got, wide, count)
}
