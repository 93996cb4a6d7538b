package theory

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// AnchorLosses returns the objective's loss for every row of some multi-viewed batches, in float64. Entry [k][i] is
// repel − attract of row i of batch k, and the mean over i is the batch's loss. Use it for hand-made batches that a
// [Population] cannot describe.
//
// All batches have the same number of rows: 2b of them, the first views of all examples before all second views.
// labeled marks the labeled positives among the b examples, class holds the true class of each, the same in all
// batches; class may be nil for objectives that do not use it. A row of zeros has no direction, and similarity 0 to
// everything.
func AnchorLosses(eng *engine.Engine, o pucl.Objective, batches [][][]float64, labeled []bool, class []int32,
	tau float64) (losses [][]float64, err error) {
	defer must.Catch(&err)
	must.Do(checkMeasurable(eng, o, tau))
	if len(batches) == 0 || len(labeled) == 0 {
		return nil, fmt.Errorf("theory: %d batches of %d examples; there must be at least one of each", len(batches), len(labeled))
	}
	if class = orZeros(class, len(labeled)); len(class) != len(labeled) {
		return nil, fmt.Errorf("theory: %d classes for %d examples; there must be one for each", len(class), len(labeled))
	}
	rows := 2 * len(labeled)
	var z []float64
	for k, batch := range batches {
		if len(batch) != rows {
			return nil, fmt.Errorf("theory: batch %d has %d rows; with %d examples, two views each, it must have %d", k, len(batch),
				len(labeled), rows)
		}
		for i, row := range batch {
			if len(row) == 0 || len(row) != len(batches[0][0]) {
				return nil, fmt.Errorf("theory: row %d of batch %d has %d coordinates, the first row of all has %d", i, k, len(row),
					len(batches[0][0]))
			}
			z = append(z, row...)
		}
	}
	out, err := ExecOnce(eng.Backend, func(z, labeled, class *Node) *Node {
		return o.PerAnchor(pucl.Views{Z: z, Labeled: labeled, Class: class}, tau)
	}, tensors.FromFlatDataAndDimensions(z, len(batches), rows, len(batches[0][0])),
		tensors.FromFlatDataAndDimensions(slices.Repeat(labeled, len(batches)), len(batches), len(labeled)),
		tensors.FromFlatDataAndDimensions(slices.Repeat(class, len(batches)), len(batches), len(labeled)))
	must.Wrap(engine.RootCause(err), "theory: scoring the rows of %d batches", len(batches))
	return slices.Collect(slices.Chunk(flatten(out), rows)), nil
}

// orZeros returns class, or n zeros if it is nil.
func orZeros(class []int32, n int) []int32 {
	if class == nil {
		return make([]int32, n)
	}
	return class
}

// GivenBatch is one explicit multi-viewed batch: rows i and i+b are the two views of example i.
type GivenBatch struct {
	Z       [][]float64 // 2b rows of the same length
	Labeled []bool      // per example
	Class   []int32     // per example; nil if the objective does not use it
}

// Similarity is the definition of z_i·z_j.
type Similarity int

const (
	Cosine       Similarity = iota // cos(z_i, z_j)/τ, as equation (3) defines it and the objectives use it
	InnerProduct                   // ⟨z_i, z_j⟩/τ, without scaling the rows to length one
)

// String returns "cosine" or "inner product".
func (s Similarity) String() string { return lists.Name(s, "Similarity", "cosine", "inner product") }

// AnchorGradient holds derivatives of the per-anchor losses ℓ_i = repel(i) − attract(i) of one batch, row by row.
type AnchorGradient struct {
	Alone [][]float64 // ∂ℓ_i/∂z_i: effect of row i as an anchor, with all other rows fixed
	Whole [][]float64 // Σ_k ∂ℓ_k/∂z_i: effect of row i on all anchors, 2b times the gradient of the loss
}

// AnchorGradients differentiates the objective's terms on one batch by the engine, in float64. An objective with a part that
// is not a mean over anchors (Whole) has no per-anchor loss and is an error.
func AnchorGradients(eng *engine.Engine, o pucl.Objective, batch GivenBatch, similarity Similarity,
	tau float64) (out AnchorGradient, err error) {
	defer must.Catch(&err)
	switch {
	case o.Whole != nil:
		must.Fail("theory: objective %q has no per-anchor loss; it must not have a Whole", o.Name)
	case similarity != Cosine && similarity != InnerProduct:
		must.Fail("theory: unknown similarity %s; use Cosine or InnerProduct", similarity)
	}
	must.Do(checkMeasurable(eng, o, tau))
	n, dim := must.Get2(batch.validate())
	// The batch is copied once for each row: in copy i only anchor i contributes to Alone, so that its gradient at row
	// i excludes the other anchors.
	exec := must.Get(NewExec(eng.Backend, func(z, labeled, class *Node) (alone, whole *Node) {
		defer fault.Annotate(nil, "theory: the gradient of objective %q", o.Name)
		views := pucl.Views{Z: z, Labeled: labeled}
		if batch.Class != nil {
			views.Class = class
		}
		block := *views.Block(tau)
		if similarity == InnerProduct {
			inner := MulScalar(Einsum("bid,bjd->bij", z, z), 1/tau)
			block.Sim = Where(block.Others, inner, ZerosLike(inner))
		}
		var score *Node
		if o.Direct != nil {
			score = direct(o, &block)
		} else {
			attract, repel := o.Terms(&block)
			score = Sub(repel, attract)
		}
		score.AssertDims(n, n)
		own := Equal(Iota(z.Graph(), shapes.Make(z.DType(), n, n), 0), Iota(z.Graph(), shapes.Make(z.DType(), n, n), 1))
		return Gradient(ReduceAllSum(Where(own, score, ZerosLike(score))), z)[0], Gradient(ReduceAllSum(score), z)[0]
	}))
	defer exec.Finalize()

	class := orZeros(batch.Class, n/2)
	results, err := exec.Call(tensors.FromFlatDataAndDimensions(slices.Repeat(slices.Concat(batch.Z...), n), n, n, dim),
		tensors.FromFlatDataAndDimensions(slices.Repeat(batch.Labeled, n), n, n/2),
		tensors.FromFlatDataAndDimensions(slices.Repeat(class, n), n, n/2))
	must.Wrap(engine.RootCause(err), "theory: gradients of objective %q", o.Name)
	ownRows := func(result *tensors.Tensor) [][]float64 {
		flat := flatten(result)
		return lists.Make(n, func(i int) []float64 { return flat[(i*n+i)*dim : (i*n+i+1)*dim] })
	}
	return AnchorGradient{Alone: ownRows(results[0]), Whole: ownRows(results[1])}, nil
}

// direct returns the value of Direct for b.
func direct(o pucl.Objective, b *pucl.Block) *Node {
	defer fault.Annotate(o.Direct, "pucl: Direct of objective %q", o.Name)
	return o.Direct(b)
}

// validate returns the number of rows and of coordinates.
func (b GivenBatch) validate() (n, dim int, err error) {
	n = len(b.Z)
	if n == 0 || n != 2*len(b.Labeled) || b.Class != nil && len(b.Class) != len(b.Labeled) {
		return 0, 0, fmt.Errorf("theory: a batch of %d rows with %d labels and %d classes; it has two rows, one label and one "+
			"class (or no classes at all) an example", n, len(b.Labeled), len(b.Class))
	}
	for i, row := range b.Z {
		if err := (Atom{Z: row}).validate(len(b.Z[0])); err != nil {
			return 0, 0, fmt.Errorf("theory: row %d of the batch: %w", i, err)
		}
	}
	return n, len(b.Z[0]), nil
}
