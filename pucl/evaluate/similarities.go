package evaluate

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// productFunc compares the unit rows of block with the bank's rows from first to end: it returns a function that gives the
// similarities of row i of block, until productFunc is called again.
type productFunc func(block *mat.Dense, first, end int) (row func(i int) []float64, err error)

// products returns the way to compare with the bank, and what to call when it is no longer needed.
func (c KNN) products(bank *Bank) (productFunc, func() error, error) {
	if c.Engine == nil {
		return onProcessor(bank), func() error { return nil }, nil
	}
	return c.onEngine(bank)
}

// onProcessor multiplies in float64 and divides by the lengths of the bank's rows afterwards, so that the bank is not copied.
func onProcessor(bank *Bank) productFunc {
	var out mat.Dense
	return func(block *mat.Dense, first, end int) (func(i int) []float64, error) {
		_, d := block.Dims()
		out.Reset()
		out.Mul(block, bank.rows.Slice(first, end, 0, d).T())
		return func(i int) []float64 {
			row := out.RawRowView(i)
			for j := range row {
				row[j] /= bank.lengths[first+j]
			}
			return row
		}, nil
	}
}

// onEngine multiplies in float32. The bank's unit rows go to the engine once.
func (c KNN) onEngine(bank *Bank) (productFunc, func() error, error) {
	exec, err := graph.NewExec(c.Engine.Backend, func(block, rows *graph.Node) *graph.Node {
		return graph.DotGeneral(block, []int{1}, nil, rows, []int{1}, nil) // [queries, rows]
	})
	if err != nil {
		return nil, nil, fmt.Errorf("evaluate: building the comparison: %w", err)
	}
	parts := make([]*tensors.Tensor, 0, bank.Len()/bankRows+1)
	for first := 0; first < bank.Len(); first += bankRows {
		parts = append(parts, float32s(bank.rows, bank.lengths, first, min(first+bankRows, bank.Len())))
	}
	compare := func(block *mat.Dense, first, end int) (func(i int) []float64, error) {
		n, _ := block.Dims()
		queries := float32s(block, nil, 0, n)
		out, err := exec.Call1(queries, parts[first/bankRows])
		if err != nil {
			return nil, err
		}
		flat := tensors.MustCopyFlatData[float32](out)
		// Freed at once: the garbage collector does not see what lies with the engine.
		if err := errors.Join(queries.FinalizeAll(), out.FinalizeAll()); err != nil {
			return nil, err
		}
		return func(i int) []float64 {
			row := make([]float64, end-first)
			for j := range row {
				row[j] = float64(flat[i*len(row)+j])
			}
			return row
		}, nil
	}
	done := func() error {
		var freed error
		for _, part := range parts {
			freed = errors.Join(freed, part.FinalizeAll())
		}
		exec.Finalize()
		return freed
	}
	return compare, done, nil
}

// float32s are the rows from first to end of x, divided by their lengths where these are given.
func float32s(x *mat.Dense, lengths []float64, first, end int) *tensors.Tensor {
	_, d := x.Dims()
	flat := make([]float32, 0, (end-first)*d)
	for i := first; i < end; i++ {
		length := 1.0
		if lengths != nil {
			length = lengths[i]
		}
		for _, value := range x.RawRowView(i) {
			flat = append(flat, float32(value/length))
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, end-first, d)
}
