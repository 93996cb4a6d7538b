package pucl

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// userFloors returns an objective whose terms do what makes NaN disappear: maxima, which XLA takes without it, and guards, which
// choose the other branch.
func userFloors() Objective {
	guarded := func(x *Node) *Node { return onlyWhere(GreaterThan(x, ZerosLike(x)), x) }
	return Objective{
		Name:    "user floors",
		Attract: func(b *Block) *Node { return guarded(OwnViews(b)) },
		Repel:   func(b *Block) *Node { return guarded(ReduceMax(b.Sim, -1)) },
		Whole: func(v Views, _ float64) *Node {
			z := v.Z
			if z.DType() != dtypes.Float64 {
				z = ConvertDType(z, dtypes.Float32)
			}
			return ReduceMax(guarded(z), -2, -1)
		},
	}
}

// everyLoss lists the objectives of the battery and one of which every part hides NaN.
func everyLoss() []Objective {
	all := []Objective{userFloors()}
	for _, m := range battery {
		all = append(all, m.objective)
	}
	return all
}

// nanCase is a way to score a batch.
type nanCase struct {
	dtype     dtypes.DType
	blockRows int
}

func (c nanCase) String() string { return fmt.Sprintf("%s, blocks of %d", c.dtype, c.blockRows) }

// outputs returns, of each objective, the loss, its gradient with respect to z and the scores of the anchors, and the two
// measures, in float64.
func (c nanCase) outputs(objectives []Objective, z, labeled, class *Node) []*Node {
	z = ConvertDType(z, c.dtype)
	v := Views{Z: z, Labeled: labeled, Class: class, BlockRows: c.blockRows}
	var out []*Node
	for _, o := range objectives {
		loss := o.Loss(v, 0.5)
		out = append(out, loss, Gradient(ReduceAllSum(loss), z)[0])
		if c.blockRows == 0 {
			out = append(out, o.PerAnchor(v, 0.5))
		}
	}
	out = append(out, Alignment(v), Uniformity(v))
	for i := range out {
		out[i] = ConvertDType(out[i], dtypes.Float64)
	}
	return out
}

// notNumbers are what must not vanish.
var notNumbers = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// Wherever an entry of a batch is infinite or NaN, every loss of that batch is NaN and so is all of its gradient: nothing a
// term does hides it, and no row of infinite entries passes for a direction. Other batches are what they were.
func TestNaNAndInfinityComeThroughEveryLoss(t *testing.T) {
	s := draw(0, 2, 0.5)
	s.z = s.z[:0:0]
	for i := range 10 { // rows of which one entry is all there is, and a row of zeros
		row := []float64{float64(i % 3), float64(i%2) - 0.5, float64(i%4) - 1}
		if i%5 == 1 {
			row = []float64{0, 0, 0}
		}
		s.z = append(s.z, row)
	}
	rows, columns := len(s.z), len(s.z[0])
	batches := [][][]float64{s.z}
	for _, bad := range notNumbers {
		for i := range rows {
			for k := range columns {
				batches = append(batches, broken(s.z, i, k, bad))
			}
		}
	}
	repeat := len(batches)
	labeled, class := slices.Repeat([][]bool{s.labeled}, repeat), slices.Repeat([][]int32{s.class}, repeat)
	for _, c := range []nanCase{
		{dtypes.Float64, 0}, {dtypes.BFloat16, 0}, {dtypes.Float32, 6},
	} {
		t.Run(c.String(), func(t *testing.T) {
			objectives := everyLoss()
			exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled, class *Node) []*Node {
				return c.outputs(objectives, z, labeled, class)
			})
			defer exec.Finalize()
			out, err := exec.Call(batches, labeled, class)
			if err != nil {
				t.Fatal(err)
			}
			each := len(out) / len(objectives)
			for k, tensor := range out {
				name := "alignment or uniformity"
				if k/each < len(objectives) {
					name = fmt.Sprintf("%s, output %d", objectives[k/each].Name, k%each)
				}
				numbers := tensors.MustCopyFlatData[float64](tensor)
				size := len(numbers) / repeat
				for i, x := range numbers {
					if clean := i < size; math.IsNaN(x) == clean || math.IsInf(x, 0) {
						where := (i/size - 1) % (rows * columns)
						t.Fatalf("%s: entry %d of %d is %g in batch %d (of row %d, entry %d)", name, i%size, size, x, i/size, where/columns, where%columns)
					}
				}
			}
		})
	}
}

// broken returns a copy of z with x at row i, entry k.
func broken(z [][]float64, i, k int, x float64) [][]float64 {
	z = slices.Clone(z)
	z[i] = slices.Clone(z[i])
	z[i][k] = x
	return z
}

// The same without leading axes, where a batch of 1024 rows is cut into strips, and for [Objective.Value].
func TestNaNAndInfinityComeThroughStripsAndValues(t *testing.T) {
	const examples = 512
	labeled := make([]bool, examples)
	for i := range labeled {
		labeled[i] = i%3 == 0
	}
	z := randomRowsOf(2 * examples)
	exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled *Node) []*Node {
		var out []*Node
		for _, o := range []Objective{PUCL(), UniformityLoss()} {
			loss := o.Loss(Views{Z: z, Labeled: labeled}, 0.5)
			out = append(out, loss, Gradient(loss, z)[0])
		}
		return out
	})
	defer exec.Finalize()
	few := draw(0, 2, 0.5)
	few.z[0] = []float64{0, 0, 0}
	for _, bad := range notNumbers {
		for _, at := range []int{0, 400, 2*examples - 1} {
			out, err := exec.Call(broken(z, at, at%3, bad), labeled)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(out); i += 2 {
				flat := slices.Concat(out[i+1].Value().([][]float64)...)
				if loss := out[i].Value().(float64); !math.IsNaN(loss) || slices.ContainsFunc(flat, func(x float64) bool { return !math.IsNaN(x) }) {
					t.Errorf("%g in row %d: loss %g, or a gradient that is not all NaN", bad, at, loss)
				}
			}
		}
		if got, err := SSCL().Value(enginetest.Open(t), broken(few.z, 0, 1, bad), few.labeled, 0.5); err != nil || !math.IsNaN(got) {
			t.Errorf("Value of a batch with %g is %g, %v", bad, got, err)
		}
	}
}
