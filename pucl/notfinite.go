package pucl

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
)

// NotFinite returns the first part of the objective that is infinite or NaN on a batch: "Attract of anchor 3, which is
// labeled, is NaN", or "the gradient of Repel by row 2 is +Inf" if all values are finite. It returns "" if values and
// gradients of all parts are finite. The arguments are the same as for [Objective.Value]; class is nil if the classes
// are not given. It is for diagnosis and compiles its own graph.
func (o Objective) NotFinite(eng *engine.Engine, z [][]float64, labeled []bool, class []int32, tau float64) (string, error) {
	if err := eng.Check(); err != nil {
		return "", err
	}
	for i, row := range z {
		if at := firstNotFinite(row); at >= 0 {
			return fmt.Sprintf("coordinate %d of row %d is %g", at, i, row[at]), nil
		}
	}
	if class == nil { // returns an error for invalid arguments
		if _, err := o.Value(eng, z, labeled, tau); err != nil {
			return "", err
		}
	}
	var parts []string
	in := []any{z, labeled}
	if class != nil {
		in = append(in, class)
	}
	out, err := ExecOnceN(eng.Backend, func(in []*Node) (values []*Node) {
		v := Views{Z: in[0], Labeled: in[1], Count: len(z) / len(labeled)}
		if class != nil {
			v.Class = in[2]
		}
		block := v.Block(tau)
		attract, repel := o.Terms(block)
		parts, values = []string{"Attract", "Repel"}, []*Node{attract, repel}
		if o.Direct != nil {
			parts, values = append(parts, "Direct"), append(values, o.made("Direct", o.Direct, block))
		}
		if o.Whole != nil {
			parts, values = append(parts, "Whole"), append(values, o.whole(v, tau))
		}
		for i, part := range parts {
			values = append(values, o.slope(part, values[i], v.Z))
		}
		return values
	}, in...)
	if err != nil {
		return "", engine.RootCause(err)
	}
	for i, t := range out {
		flat, err := tensors.CopyFlatData[float64](t)
		if err != nil {
			return "", err
		}
		at := firstNotFinite(flat)
		switch {
		case at < 0:
		case i >= len(parts):
			return fmt.Sprintf("the gradient of %s by row %d is %g", parts[i-len(parts)], at/len(z[0]), flat[at]), nil
		case parts[i] == "Whole":
			return fmt.Sprintf("Whole is %g", flat[at]), nil
		default:
			which := "unlabeled"
			if labeled[at%len(labeled)] {
				which = "labeled"
			}
			return fmt.Sprintf("%s of anchor %d, which is %s, is %g", parts[i], at, which, flat[at]), nil
		}
	}
	return "", nil
}

// slope returns the gradient of the sum of a part, and panics with the part's name if it has none.
func (o Objective) slope(part string, value, z *Node) *Node {
	defer fault.Annotate(nil, "pucl: the gradient of %s of objective %q", part, o.Name)
	return Gradient(ReduceAllSum(value), z)[0]
}

// firstNotFinite returns the index of the first entry that is infinite or NaN, −1 if there is none.
func firstNotFinite(x []float64) int {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return i
		}
	}
	return -1
}
