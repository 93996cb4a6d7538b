package onednn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/engine/onednn"
)

// BenchmarkProduct times products as they come in losses, probes and dense layers, with oneDNN and without.
func BenchmarkProduct(b *testing.B) {
	for _, s := range []struct {
		rows, columns, inner int
		left, right          bool // transposed
	}{
		{1024, 1024, 1024, false, false}, {8192, 8192, 128, false, true}, {8192, 128, 8192, false, false}, {2048, 2048, 128, false, true},
		{512, 512, 128, false, true}, {512, 128, 512, false, false}, {512, 128, 128, false, false}, {128, 128, 512, true, false},
		{512, 2048, 128, false, true}, {2048, 128, 512, true, false},
		{60000, 10, 128, false, false}, {128, 10, 60000, true, false}, {60000, 2, 128, false, false}, {128, 2, 60000, true, false},
		{64, 128, 512, false, false}, {64, 64, 128, false, true},
	} {
		both(b, fmt.Sprintf("%dx%dx%d/%v,%v", s.rows, s.columns, s.inner, s.left, s.right), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			left, right := []int{s.rows, s.inner}, []int{s.inner, s.columns}
			leftAxis, rightAxis := 1, 0
			if s.left {
				left, leftAxis = []int{s.inner, s.rows}, 0
			}
			if s.right {
				right, rightAxis = []int{s.columns, s.inner}, 1
			}
			x, y := values(rng, left...), values(rng, right...)
			timed(b, func(x, y *Node) *Node { return DotGeneral(x, []int{leftAxis}, nil, y, []int{rightAxis}, nil) }, x, y)
		})
	}
	both(b, "512 times 28x28x28", func(b *testing.B) {
		rng := rand.New(rand.NewPCG(1, 2))
		x, y := values(rng, 512, 28, 28), values(rng, 512, 28, 28)
		timed(b, func(x, y *Node) *Node { return DotGeneral(x, []int{2}, []int{0}, y, []int{1}, []int{0}) }, x, y)
	})
}

// both runs f with oneDNN and without.
func both(b *testing.B, name string, f func(b *testing.B)) {
	for _, way := range []string{"oneDNN", "XLA"} {
		b.Run(name+"/"+way, func(b *testing.B) {
			defer onednn.SetAttached(onednn.Attached())
			onednn.SetAttached(way == "oneDNN" && enginetest.XLA(b).OneDNN)
			f(b)
		})
	}
}

// timed runs f in the benchmark's loop.
func timed(b *testing.B, f func(x, y *Node) *Node, x, y *tensors.Tensor) {
	exec := MustNewExec(enginetest.XLA(b).Backend, f)
	defer exec.Finalize()
	exec.MustCall1(x, y).MustFinalizeAll()
	for b.Loop() {
		exec.MustCall1(x, y).MustFinalizeAll()
	}
}
