package evaluate

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/parallel"
)

// comparer pushes the bank rows to nearest[i] with their similarities to row i of block, whose rows have length one.
type comparer func(block *mat.Dense, nearest []neighborList) error

// onProcessor returns a comparer that multiplies in float64 and divides by the bank's row lengths afterwards, so that
// the bank is not copied.
func onProcessor(bank *Bank) comparer {
	var out mat.Dense
	return func(block *mat.Dense, nearest []neighborList) error {
		_, d := block.Dims()
		for first, end := range parts(bank.Len(), bankRows) {
			out.Reset()
			out.Mul(block, bank.x.Slice(first, end, 0, d).T())
			parallel.Each(len(nearest), func(i int) {
				row := out.RawRowView(i)
				for j := range row {
					row[j] /= bank.lengths[first+j]
				}
				push(&nearest[i], row, first)
			})
		}
		return nil
	}
}

// onEngine returns a comparer that multiplies in float32. It copies the bank's unit rows to the engine once. Engine
// memory is freed explicitly, since the garbage collector does not account for it; free releases the bank.
func onEngine(bank *Bank, eng *engine.Engine) (compare comparer, free func() error, err error) {
	exec, err := graph.NewExec(eng.Backend, func(block, rows *graph.Node) *graph.Node {
		return graph.DotGeneral(block, []int{1}, nil, rows, []int{1}, nil) // [queries, rows]
	})
	if err != nil {
		return nil, nil, fmt.Errorf("evaluate: building the comparison: %w", err)
	}
	var unit []*tensors.Tensor // in parts
	for first, end := range parts(bank.Len(), bankRows) {
		unit = append(unit, float32s(bank.x, bank.lengths, first, end))
	}
	compare = func(block *mat.Dense, nearest []neighborList) (err error) {
		queries := float32s(block, nil, 0, len(nearest))
		defer func() { err = errors.Join(err, queries.FinalizeAll()) }()
		first := 0
		for _, part := range unit {
			out, err := exec.Call1(queries, part)
			if err != nil {
				return err
			}
			columns := part.Shape().Dim(0)
			err = tensors.ConstFlatData(out, func(flat []float32) {
				parallel.Each(len(nearest), func(i int) { push(&nearest[i], flat[i*columns:(i+1)*columns], first) })
			})
			if err = errors.Join(err, out.FinalizeAll()); err != nil {
				return err
			}
			first += columns
		}
		return nil
	}
	free = func() (err error) {
		for _, part := range unit {
			err = errors.Join(err, part.FinalizeAll())
		}
		exec.Finalize()
		return err
	}
	return compare, free, nil
}

// float32s returns rows first to end−1 of x as a tensor, divided by their lengths unless lengths is nil.
func float32s(x *mat.Dense, lengths []float64, first, end int) *tensors.Tensor {
	_, d := x.Dims()
	flat := make([]float32, (end-first)*d)
	parallel.Each(end-first, func(i int) {
		length := 1.0
		if lengths != nil {
			length = lengths[first+i]
		}
		for j, value := range x.RawRowView(first + i) {
			flat[i*d+j] = float32(value / length)
		}
	})
	return tensors.FromFlatDataAndDimensions(flat, end-first, d)
}

// neighborList holds the nearest bank rows found so far: up to k of them, and up to k later candidates that are not yet
// compared with them.
type neighborList struct {
	found []neighbor
	k     int
	floor float64 // similarity that a later row must exceed; −Inf until there are k
}

type neighbor struct {
	similarity float64
	row        int
}

// newNeighborLists returns n lists of k neighbors each for a bank of the given number of rows, in one allocation.
func newNeighborLists(n, k, rows int) []neighborList {
	each := min(2*k, rows)
	room, lists := make([]neighbor, n*each), make([]neighborList, n)
	for i := range lists {
		lists[i] = neighborList{found: room[i*each : i*each : (i+1)*each], k: k, floor: math.Inf(-1)}
	}
	return lists
}

// push adds bank rows with their similarities, numbered from first. They must follow all rows pushed before. Most rows
// cost one comparison.
func push[T float32 | float64](n *neighborList, similarities []T, first int) {
	floor := T(n.floor)
	for j, s := range similarities {
		if s <= floor { // an equally similar later row is less near
			continue
		}
		if n.found = append(n.found, neighbor{float64(s), first + j}); len(n.found) == 2*n.k {
			n.cut()
			floor = T(n.floor)
		}
	}
}

// nearer reports whether a is nearer than b; of equally similar rows the first of the bank is.
func (a neighbor) nearer(b neighbor) bool {
	return a.similarity > b.similarity || a.similarity == b.similarity && a.row < b.row
}

// cut keeps the k nearest, in any order except that the last is the least near. It is Hoare's quickselect, which is
// faster than sorting.
func (n *neighborList) cut() {
	if len(n.found) < n.k {
		return
	}
	low, high, last := 0, len(n.found)-1, n.k-1
	for low < high {
		pivot := medianOfThree(n.found[low], n.found[(low+high)/2], n.found[high])
		i, j := low, high
		for i <= j {
			for n.found[i].nearer(pivot) {
				i++
			}
			for pivot.nearer(n.found[j]) {
				j--
			}
			if i <= j {
				n.found[i], n.found[j] = n.found[j], n.found[i]
				i, j = i+1, j-1
			}
		}
		// Rows low to j are at least as near as the pivot, rows i to high are not nearer, and one row may lie between.
		switch {
		case last <= j:
			high = j
		case last >= i:
			low = i
		default:
			low = high
		}
	}
	n.found = n.found[:n.k]
	n.floor = n.found[last].similarity
}

// medianOfThree returns the median.
func medianOfThree(a, b, c neighbor) neighbor {
	switch {
	case !b.nearer(a) != a.nearer(c):
		return a
	case b.nearer(a) != b.nearer(c):
		return b
	}
	return c
}

// vote writes the share of the votes of each class into shares.
func (n *neighborList) vote(shares []float64, bank *Bank, c KNN) {
	n.cut()
	nearest := math.Inf(-1)
	for _, found := range n.found {
		nearest = max(nearest, found.similarity)
	}
	total := 0.0
	for _, found := range n.found {
		// Weights are relative to the nearest row, so that no temperature makes them overflow.
		weight := math.Exp((found.similarity - nearest) / c.Temperature)
		shares[bank.classes[found.row]] += weight
		total += weight
	}
	for class := range shares {
		shares[class] /= total
	}
}
