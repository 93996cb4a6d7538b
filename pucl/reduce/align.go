package reduce

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Align returns x·Q for the orthogonal Q that minimizes Σ‖x_i·Q − target_i‖²: x rotated about the origin, and reflected
// if that is nearer. Distances between rows and from the origin are unchanged. Both matrices are [n, d], and row i of
// each belongs to the same example. Two embeddings that differ only by a rotation become equal.
//
// It returns an error if the shapes differ or are empty, an entry is not finite, or the singular value decomposition fails.
//
// Source: P. H. Schönemann, A Generalized Solution of the Orthogonal Procrustes Problem (1966).
func Align(x, target mat.Matrix) (*mat.Dense, error) { return align("align", x, target) }

// align is Align; what names the subject in errors.
func align(what string, x, target mat.Matrix) (*mat.Dense, error) {
	n, d := x.Dims()
	if m, e := target.Dims(); n != m || d != e || n == 0 || d == 0 {
		return nil, fmt.Errorf("reduce: %s: %d rows of %d numbers to %d rows of %d: %w: give the same examples in both, in one order",
			what, n, d, m, e, ErrShape)
	}
	for _, m := range []mat.Matrix{x, target} {
		if err := checkFinite(what, m); err != nil {
			return nil, err
		}
	}
	var product, q, out mat.Dense
	product.Mul(x.T(), target)
	var svd mat.SVD
	if !svd.Factorize(&product, mat.SVDFull) {
		return nil, fmt.Errorf("reduce: %s: the singular value decomposition of a %d by %d matrix did not converge", what, d, d)
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	q.Mul(&u, v.T())
	out.Mul(x, &q)
	return &out, nil
}

// AlignSequence returns frames, each [n, d] with the same examples in one order, such as embeddings during training.
// Each frame is aligned to the one after it, see [Align]; the last one is unchanged. This removes arbitrary rotations
// and reflections, as from a separate principal component analysis of each frame, and keeps relative motion.
//
// It returns an error if there is no frame; the other errors are described at [Align].
func AlignSequence(frames []mat.Matrix) ([]*mat.Dense, error) {
	last := len(frames) - 1
	if last < 0 {
		return nil, fmt.Errorf("reduce: align: no frames: %w: give at least one", ErrShape)
	}
	if err := checkFinite(fmt.Sprintf("align frame %d", last), frames[last]); err != nil {
		return nil, err
	}
	aligned := make([]*mat.Dense, len(frames))
	aligned[last] = mat.DenseCopyOf(frames[last])
	for i := last - 1; i >= 0; i-- {
		next, err := align(fmt.Sprintf("align frame %d", i), frames[i], aligned[i+1])
		if err != nil {
			return nil, err
		}
		aligned[i] = next
	}
	return aligned, nil
}
