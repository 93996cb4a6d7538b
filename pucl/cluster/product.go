package cluster

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/puclab/puclab/pucl/engine"
)

// buffer holds n rows of d entries. The engine, if not nil, reads them, from the same memory if it can.
type buffer struct {
	rows   []float32
	d      int
	tensor *tensors.Tensor // nil without an engine
}

func newBuffer(eng *engine.Engine, n, d int) (*buffer, error) {
	b := &buffer{d: d}
	if eng == nil {
		b.rows = make([]float32, n*d)
		return b, nil
	}
	var err error
	if b.tensor, err = tensors.FromShapeForBackend(eng.Backend, 0, shapes.Make(dtypes.Float32, n, d)); err != nil {
		return nil, fmt.Errorf("cluster: memory for %d rows of %d entries: %w", n, d, err)
	}
	return b, b.write(func() {})
}

// row returns row i.
func (b *buffer) row(i int) []float32 { return b.rows[i*b.d : (i+1)*b.d : (i+1)*b.d] }

// write calls change, which may write to the rows, and makes the engine read them again.
func (b *buffer) write(change func()) error {
	if b.tensor == nil {
		change()
		return nil
	}
	return tensors.MutableFlatData(b.tensor, func(flat []float32) {
		b.rows = flat
		change()
	})
}

// free releases the engine memory, which the garbage collector does not account for.
func (b *buffer) free() {
	if b != nil && b.tensor != nil {
		b.tensor.MustFinalizeAll()
	}
}

// dot returns the product of two rows.
func dot(a, b []float32) float32 {
	return blas32.Dot(blas32.Vector{N: len(a), Inc: 1, Data: a}, blas32.Vector{N: len(b), Inc: 1, Data: b})
}
