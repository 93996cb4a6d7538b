package evaluate

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// comparer compares queries with a bank.
type comparer interface {
	// begin takes the queries to compare from now on, as unit rows, which stay as they are until the next begin.
	begin(block *mat.Dense) error
	// compare pushes to nearest[i] the bank's rows from first on, one part of them, by their similarities with query i.
	compare(first int, nearest []neighborList) error
	// done frees what is no longer needed.
	done() error
}

// comparer returns what compares with the bank.
func (c KNN) comparer(bank *Bank) (comparer, error) {
	if c.Engine == nil {
		return &onProcessor{bank: bank}, nil
	}
	return c.onEngine(bank)
}

// onProcessor multiplies in float64 and divides by the lengths of the bank's rows afterwards, so that the bank is not copied.
type onProcessor struct {
	bank       *Bank
	block, out *mat.Dense
}

func (p *onProcessor) begin(block *mat.Dense) error {
	p.block, p.out = block, &mat.Dense{}
	return nil
}

func (p *onProcessor) compare(first int, nearest []neighborList) error {
	_, d := p.block.Dims()
	end := min(first+partSize(p.bank.Len(), bankRows), p.bank.Len())
	p.out.Reset()
	p.out.Mul(p.block, p.bank.x.Slice(first, end, 0, d).T())
	inParallel(len(nearest), func(i int) {
		row := p.out.RawRowView(i)
		for j := range row {
			row[j] /= p.bank.lengths[first+j]
		}
		push(&nearest[i], row, first)
	})
	return nil
}

func (p *onProcessor) done() error { return nil }

// onEngine multiplies in float32. The bank's unit rows go to the engine once.
type onEngine struct {
	exec    *graph.Exec
	bank    []*tensors.Tensor // in parts
	part    int               // rows of each but the last, which may have fewer
	queries *tensors.Tensor   // nil before the first begin
}

func (c KNN) onEngine(bank *Bank) (*onEngine, error) {
	exec, err := graph.NewExec(c.Engine.Backend, func(block, rows *graph.Node) *graph.Node {
		return graph.DotGeneral(block, []int{1}, nil, rows, []int{1}, nil) // [queries, rows]
	})
	if err != nil {
		return nil, fmt.Errorf("evaluate: building the comparison: %w", err)
	}
	e := &onEngine{exec: exec, part: partSize(bank.Len(), bankRows)}
	for first := 0; first < bank.Len(); first += e.part {
		e.bank = append(e.bank, float32s(bank.x, bank.lengths, first, min(first+e.part, bank.Len())))
	}
	return e, nil
}

func (e *onEngine) begin(block *mat.Dense) error {
	n, _ := block.Dims()
	freed := e.dropQueries()
	e.queries = float32s(block, nil, 0, n)
	return freed
}

// dropQueries frees the queries at once: the garbage collector does not see what lies with the engine.
func (e *onEngine) dropQueries() error {
	if e.queries == nil {
		return nil
	}
	return e.queries.FinalizeAll()
}

func (e *onEngine) compare(first int, nearest []neighborList) error {
	part := e.bank[first/e.part]
	out, err := e.exec.Call1(e.queries, part)
	if err != nil {
		return err
	}
	columns := part.Shape().Dim(0)
	err = tensors.ConstFlatData(out, func(flat []float32) {
		inParallel(len(nearest), func(i int) { push(&nearest[i], flat[i*columns:(i+1)*columns], first) })
	})
	return errors.Join(err, out.FinalizeAll())
}

func (e *onEngine) done() error {
	freed := e.dropQueries()
	for _, part := range e.bank {
		freed = errors.Join(freed, part.FinalizeAll())
	}
	e.exec.Finalize()
	return freed
}

// float32s returns the rows from first to end of x as a tensor, divided by their lengths where these are given.
func float32s(x *mat.Dense, lengths []float64, first, end int) *tensors.Tensor {
	_, d := x.Dims()
	flat := make([]float32, (end-first)*d)
	inParallel(end-first, func(i int) {
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
