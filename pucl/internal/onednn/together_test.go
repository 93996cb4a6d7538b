package onednn_test

import (
	"flag"
	"math/rand/v2"
	"sync"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/onednn"
)

// network returns a small network with its loss and gradients: two convolutions, one with strides, and a product.
func network(in []*Node) []*Node {
	x, w1, w2, w3 := in[0], in[1], in[2], in[3]
	y := Tanh(Convolve(x, w1).PadSame().Done())
	y = Tanh(Convolve(y, w2).Strides(2).PaddingPerDim([][2]int{{1, 1}, {1, 1}}).Done())
	y = Dot(Reshape(y, y.Shape().Dim(0), -1), w3).Product()
	loss := ReduceAllMean(Square(y))
	return append([]*Node{loss, y}, Gradient(loss, w1, w2, w3)...)
}

// arguments returns inputs of the network for images of the given side, with weights that keep numbers near 1.
func arguments(rng *rand.Rand, side int) []*tensors.Tensor {
	half := (side + 1) / 2
	args := []*tensors.Tensor{values(rng, 24, side, side, 3), values(rng, 3, 3, 3, 16), values(rng, 3, 3, 16, 17), values(rng, half*half*17, 40)}
	scale(0.1, args[1:]...)
	return args
}

// bits fails the test unless got and want are equal to the last bit.
func bits(t *testing.T, what string, got, want []*tensors.Tensor) {
	t.Helper()
	for i := range want {
		w := tensors.MustCopyFlatData[float32](want[i])
		for k, g := range tensors.MustCopyFlatData[float32](got[i]) {
			if g != w[k] {
				t.Errorf("%s: result %d, number %d is %v, was %v", what, i, k, g, w[k])
				return
			}
		}
	}
}

// TestTheSameEveryTime checks that a program gives the same bits in every run.
func TestTheSameEveryTime(t *testing.T) {
	eng := withOneDNN(t)
	args := arguments(rand.New(rand.NewPCG(15, 16)), 12)
	exec, alone, _ := bothExecs(t, eng, 7, network, args...)
	first := exec.MustCall(anyOf(args)...)
	for i, want := range alone.MustCall(anyOf(args)...) {
		same(t, "result", first[i], want, 1000)
	}
	for range 200 {
		bits(t, "again", exec.MustCall(anyOf(args)...), first)
		if t.Failed() {
			return
		}
	}
}

// copied returns the same numbers in arrays that no engine has used.
func copied(args []*tensors.Tensor) (list []*tensors.Tensor) {
	for _, a := range args {
		list = append(list, tensors.FromFlatDataAndDimensions(tensors.MustCopyFlatData[float32](a), a.Shape().Dimensions...))
	}
	return list
}

// TestManyAtOnce compiles and runs programs from several goroutines, some of them the same, while the engine is opened
// again and computes as well; each must give the same numbers as alone.
func TestManyAtOnce(t *testing.T) {
	eng := withOneDNN(t)
	rng := rand.New(rand.NewPCG(17, 18))
	const sizes = 2
	var args, want [sizes][]*tensors.Tensor
	var shared [sizes]*Exec
	for i := range sizes {
		args[i] = arguments(rng, 9+i)
		shared[i], _, _ = bothExecs(t, eng, 7, network, args[i]...)
		want[i] = shared[i].MustCall(anyOf(args[i])...)
	}
	type outcome struct {
		name    string
		size    int
		results []*tensors.Tensor
	}
	outcomes := make(chan outcome, 1000)
	var group sync.WaitGroup
	for worker := range 6 {
		group.Go(func() {
			i := worker % sizes
			own, err := NewExec(eng.Backend, network)
			if err != nil {
				t.Error(err)
				return
			}
			defer own.Finalize()
			for range 6 {
				for name, exec := range map[string]*Exec{"shared": shared[i], "own": own} {
					got, err := exec.Call(anyOf(args[i])...)
					if err != nil {
						t.Error(err)
						return
					}
					outcomes <- outcome{name, i, got}
				}
			}
		})
	}
	group.Go(func() {
		again, err := enginetest.Another()
		if err != nil || !again.OneDNN {
			t.Errorf("opened again: %v, %v", again, err)
			return
		}
		defer again.Backend.Finalize()
		for i := range sizes {
			got, err := CallOnceN(again.Backend, network, anyOf(copied(args[i]))...)
			if err != nil {
				t.Error(err)
				return
			}
			outcomes <- outcome{"another engine", i, copied(got)}
		}
	})
	group.Wait()
	close(outcomes)
	for o := range outcomes {
		for k, got := range o.results {
			same(t, o.name, got, want[o.size][k], 1000)
		}
	}
}

// TestEveryDevice runs the whole program on each of several devices, all of them at once; each must give the same
// numbers as alone.
func TestEveryDevice(t *testing.T) {
	eng := withOneDNN(t)
	devices := min(eng.Backend.NumDevices(), 4)
	if devices < 2 {
		t.Skip("the engine has one device")
	}
	args := arguments(rand.New(rand.NewPCG(19, 20)), 10)
	_, alone, _ := bothExecs(t, eng, 7, network, args...)
	want := alone.MustCall(anyOf(args)...)
	mesh := expect.Must(distributed.NewDeviceMesh([]int{devices}, []string{"devices"}))(t)
	var all []any
	for device := range devices {
		for _, a := range args {
			there := expect.Must(a.OnDeviceClone(eng.Backend, compute.DeviceNum(device)))(t)
			all = append(all, there)
		}
	}
	exec := MustNewExec(eng.Backend, network).SPMD(mesh)
	defer exec.Finalize()
	for range 20 {
		got := exec.MustCall(all...)
		expect.Require(t, len(got) == devices*len(want), "%d results on %d devices", len(got), devices)
		for k := range got {
			same(t, "result", got[k], want[k%len(want)], 1000)
		}
	}
}

// TestInsideLoopsAndBranches checks that oneDNN also computes operations in the body of a loop, and in a branch.
func TestInsideLoopsAndBranches(t *testing.T) {
	eng := withOneDNN(t)
	rng := rand.New(rand.NewPCG(21, 22))
	x, w, m := values(rng, 5, 8, 7, 16), values(rng, 3, 3, 16, 16), values(rng, 112, 112)
	scale(0.08, w, m)
	layer := func(x, w, m *Node) *Node {
		y := Tanh(Convolve(x, w).PadSame().Done())
		rows := Dot(Reshape(y, 40, 112), m).Product()
		return Add(y, Reshape(rows, 5, 8, 7, 16))
	}
	loop := func(in []*Node) []*Node {
		g := in[0].Graph()
		state := func(g *Graph) (*Node, []*Node) {
			count := Parameter(g, "count", shapes.Make(dtypes.Int32))
			return count, []*Node{Parameter(g, "x", x.Shape()), Parameter(g, "w", w.Shape()), Parameter(g, "m", m.Shape())}
		}
		cond := NewClosure(g, func(g *Graph) []*Node {
			count, _ := state(g)
			return []*Node{LessThan(count, Const(g, int32(6)))}
		})
		body := NewClosure(g, func(g *Graph) []*Node {
			count, s := state(g)
			return []*Node{AddScalar(count, 1), layer(s[0], s[1], s[2]), s[1], s[2]}
		})
		return While(cond, body, append([]*Node{Const(g, int32(0))}, in...)...)[1:2]
	}
	branch := func(in []*Node) []*Node {
		g := in[0].Graph()
		yes := NewClosure(g, func(g *Graph) []*Node { return []*Node{layer(Const(g, x), Const(g, w), Const(g, m))} })
		no := NewClosure(g, func(g *Graph) []*Node { return []*Node{Neg(Const(g, x))} })
		positive := GreaterThan(ReduceAllSum(in[0]), ScalarZero(g, dtypes.Float32))
		return append(If(positive, yes, no), If(positive, no, yes)...)
	}
	for name, f := range map[string]func([]*Node) []*Node{"loop": loop, "branch": branch} {
		called, alone, _ := bothExecs(t, eng, 2, f, x, w, m)
		got, want := called.MustCall(x, w, m), alone.MustCall(x, w, m)
		for i := range want {
			same(t, name, got[i], want[i], 1000)
		}
	}
}

// rounds is raised by hand to test more seeds: `go test ./pucl/internal/onednn -run Random -rounds 50 -timeout 0`.
var rounds = flag.Uint64("rounds", 1, "how often the tests of random sizes are done, each time with another seed")

// withOneDNN opens the engine, and skips the test unless XLA calls oneDNN.
func withOneDNN(t *testing.T) *engine.Engine {
	t.Helper()
	eng := enginetest.XLA(t)
	if !eng.OneDNN {
		t.Skip("this engine does not call oneDNN: ", eng)
	}
	return eng
}

// bothExecs compiles f for the given arguments with calls of oneDNN, and for XLA alone. It fails the test if oneDNN
// gets fewer than the given number of operations.
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
		expect.Must(exec.Compile(inputs...))(t)
		if here := onednn.Made(); i == 0 {
			made = here
		} else if made.Sum() < calls || here.Sum() > 0 {
			t.Fatalf("oneDNN does %+v, of %d operations; when it is switched off, %+v", made, calls, here)
		}
	}
	return execs[0], execs[1], made
}

// anyOf converts the arguments of a call to []any.
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

// same fails the test unless got equals want to rounding, for sums of count products of numbers near 1.
func same(t *testing.T, what string, got, want *tensors.Tensor, count int) {
	t.Helper()
	expect.Require(t, got.Shape().Equal(want.Shape()), "%s: shape %s, want %s", what, got.Shape(), want.Shape())
	flat := tensors.MustCopyFlatData[float32](want)
	wide := make([]float64, len(flat))
	for i, v := range flat {
		wide[i] = float64(v)
	}
	near(t, what, got, wide, count)
}
