package encoder

import (
	"fmt"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/internal/expect"
)

// Every method of a convolution is compared with plain loops, also on images for which it is not the fastest.
func TestConvolveInEveryWay(t *testing.T) {
	all := []filtering{
		{2, 8, 8, 3, 4, 3, 1, 1}, {2, 8, 8, 3, 4, 3, 2, 1}, {2, 7, 7, 2, 4, 3, 2, 1}, {3, 6, 9, 2, 3, 5, 3, 2}, {1, 5, 4, 2, 1, 3, 2, 2},
		{2, 6, 6, 3, 4, 1, 1, 0}, {2, 6, 6, 3, 4, 1, 2, 0}, {2, 6, 7, 1, 2, 1, 3, 0}, {2, 9, 8, 2, 2, 7, 2, 3}, {2, 9, 8, 2, 2, 7, 4, 6},
		{1, 3, 2, 2, 2, 5, 2, 2}, {2, 5, 5, 2, 1, 5, 1, 0}, {2, 6, 5, 3, 4, 3, 1, 0}, {1, 1, 1, 2, 3, 3, 1, 1}, {17, 16, 16, 1, 2, 3, 1, 1},
	}
	check := func(name string, how method, all []filtering) {
		t.Run(name, func(t *testing.T) {
			checkFilterings(t, pureGo(t), []dtypes.DType{dtypes.Float64}, tries(how, all...))
		})
	}
	check("unrolled", func(x, w *Node, stride, padding int) *Node {
		return newConvolved(x, w, stride, padding).convolveUnrolled(x, w)
	}, all)
	after := slices.DeleteFunc(slices.Clone(all), func(f filtering) bool { return f.width%f.stride != 0 || f.stride > f.kernel })
	for way, possible := range map[columnsWay][]filtering{columnsAfter: after, columnsBefore: all, columnsWhole: all} {
		check(fmt.Sprintf("way %d", way), func(x, w *Node, stride, padding int) *Node {
			s, _ := newConvolved(x, w, stride, padding).bySelection()
			s.way = way
			return s.convolve(x, w)
		}, possible)
	}
}

// The methods chosen for the layers of the small CNN, and none for images that are too large.
func TestWayOfSelection(t *testing.T) {
	for _, tt := range []struct {
		f        filtering
		way      columnsWay
		selected bool
	}{
		{filtering{512, 28, 28, 1, 32, 5, 2, 2}, columnsWhole, quickProducts},
		{filtering{512, 14, 14, 32, 64, 3, 2, 1}, columnsAfter, true},
		{filtering{512, 7, 7, 64, 128, 3, 2, 1}, columnsBefore, true},
		{filtering{64, 32, 32, 64, 64, 3, 1, 1}, columnsAfter, true},
		{filtering{2, 224, 224, 3, 64, 7, 2, 3}, columnsAfter, false},
		{filtering{2, 33, 33, 64, 64, 3, 2, 1}, columnsBefore, false},
	} {
		f, g := tt.f, NewGraph(pureGo(t), "ways")
		images := Zeros(g, float32s(f.n, f.height, f.width, f.in))
		s, ok := newConvolved(images, Zeros(g, float32s(f.kernel, f.kernel, f.in, f.out)), f.stride, f.padding).bySelection()
		expect.That(t, ok == tt.selected && (!ok || s.way == tt.way), "%s: way %d, %t; want %d, %t", f, s.way, ok, tt.way, tt.selected)
		g.Finalize()
	}
}

// Rows 2, none, 0 and 2 of three, singly and summed in pairs, and the transposed product, computed by hand.
func TestPicked(t *testing.T) {
	one := choice{of: []int{2, -1, 0, 2}, from: 3}
	two := choice{of: one.of, from: 3, added: 2}
	for _, tt := range []struct {
		c       choice
		back    bool
		x, want [][][]float32
	}{
		{one, false, [][][]float32{{{1, 2}, {3, 4}, {5, 6}}, {{7, 7}, {8, 8}, {9, 9}}},
			[][][]float32{{{5, 6}, {0, 0}, {1, 2}, {5, 6}}, {{9, 9}, {0, 0}, {7, 7}, {9, 9}}}},
		{one, true, [][][]float32{{{1}, {2}, {3}, {4}}}, [][][]float32{{{3}, {0}, {5}}}},
		{two, false, [][][]float32{{{1, 2}, {3, 4}, {5, 6}}}, [][][]float32{{{5, 6}, {6, 8}}}},
		{two, true, [][][]float32{{{1}, {2}}}, [][][]float32{{{2}, {0}, {3}}}},
		{choice{of: []int{0, 1}, from: 2}, false, [][][]float32{{{1}, {2}}}, [][][]float32{{{1}, {2}}}},
		{choice{of: []int{0, 1}, from: 3}, true, [][][]float32{{{1}, {2}}}, [][][]float32{{{1}, {2}, {0}}}},
	} {
		got := expect.Must(ExecOnce(pureGo(t), func(x *Node) *Node { return picked(tt.c, tt.back, x) }, tt.x))(t)
		expect.Equal(t, got.Value().([][][]float32), tt.want, "%v, back %t, of %v", tt.c, tt.back, tt.x)
	}
}
