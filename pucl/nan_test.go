package pucl

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
)

// userFloors returns an objective whose terms use operations that can hide NaN: maxima, which XLA computes without NaN,
// and guards, which choose the other branch.
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

// outputs returns, of each objective, the loss, its gradient with respect to z and the scores of the anchors, and the
// two measures, in float64.
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

// notNumbers are the values that must propagate.
var notNumbers = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// Wherever an entry of a batch is infinite or NaN, every loss of that batch is NaN and so is its whole gradient. No
// term hides it, and no row of infinite entries counts as a direction. Other batches are unchanged.
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
	for _, c := range []nanCase{{dtypes.Float64, 0}, {dtypes.BFloat16, 0}, {dtypes.Float32, 6}} {
		t.Run(c.String(), func(t *testing.T) {
			objectives := everyLoss()
			exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled, class *Node) []*Node {
				return c.outputs(objectives, z, labeled, class)
			})
			defer exec.Finalize()
			out := expect.Must(exec.Call(batches, labeled, class))(t)
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
			out := expect.Must(exec.Call(broken(z, at, at%3, bad), labeled))(t)
			for i := 0; i < len(out); i += 2 {
				flat := slices.Concat(out[i+1].Value().([][]float64)...)
				if loss := out[i].Value().(float64); !math.IsNaN(loss) || slices.ContainsFunc(flat, func(x float64) bool { return !math.IsNaN(x) }) {
					t.Errorf("%g in row %d: loss %g, or a gradient that is not all NaN", bad, at, loss)
				}
			}
		}
		got, err := SSCL().Value(enginetest.Open(t), broken(few.z, 0, 1, bad), few.labeled, 0.5)
		expect.That(t, err == nil && math.IsNaN(got), "Value of a batch with %g is %g, %v", bad, got, err)
	}
}

// The first part that is not finite is named, in the order of values and then of gradients.
func TestNotFinite(t *testing.T) {
	eng := enginetest.Open(t)
	z := [][]float64{{1, 0}, {0, 1}, {-1, 0}, {-1, 0}, {1, 1}, {0, 1}}
	labeled := []bool{true, false, false}
	// negativeLog is NaN where the own view is at an angle of less than a right one.
	negativeLog := func(b *Block) *Node { return Log(Neg(OwnViews(b))) }
	steep := func(b *Block) *Node { // 0·√0, the gradient of which is NaN
		zero := ZerosLike(OwnViews(b))
		return Add(OwnViews(b), Mul(zero, Sqrt(Mul(zero, OwnViews(b)))))
	}
	unlabeledOnly := func(b *Block) *Node { return Where(b.AnchorLabeled, OwnViews(b), negativeLog(b)) }
	for _, tt := range []struct {
		name string
		o    Objective
		want string
	}{
		{"finite", PUCL(), ""},
		{"attract", Objective{Attract: negativeLog, Repel: negativeLog}, "Attract of anchor 1, which is unlabeled, is NaN"},
		{"repel", Objective{Attract: OwnViews, Repel: negativeLog}, "Repel of anchor 1, which is unlabeled, is NaN"},
		{"a labeled anchor", Objective{Attract: func(b *Block) *Node { return Log(ZerosLike(OwnViews(b))) }, Repel: LogPartition},
			"Attract of anchor 0, which is labeled, is -Inf"},
		{"unlabeled anchors alone", Objective{Attract: unlabeledOnly, Repel: LogPartition}, "Attract of anchor 1, which is unlabeled, is NaN"},
		{"gradient", Objective{Attract: OwnViews, Repel: steep}, "the gradient of Repel by row 0 is NaN"},
		{"direct", Objective{Attract: OwnViews, Repel: LogPartition, Direct: negativeLog}, "Direct of anchor 1, which is unlabeled, is NaN"},
		{"whole", Objective{Attract: OwnViews, Repel: LogPartition, Whole: func(v Views, _ float64) *Node {
			return Log(ZerosLike(ReduceAllSum(v.Z)))
		}}, "Whole is -Inf"},
		{"classes", Objective{Attract: func(b *Block) *Node { return Log(ZerosLike(MaskedReduceSum(b.Sim, b.SameClass, -1))) }, Repel: LogPartition},
			"Attract of anchor 0, which is labeled, is -Inf"},
	} {
		var class []int32
		if tt.name == "classes" {
			class = []int32{1, 1, 0}
		}
		got, err := tt.o.NotFinite(eng, z, labeled, class, 0.5)
		expect.That(t, err == nil && got == tt.want, "%s: %q, %v, want %q", tt.name, got, err, tt.want)
	}
	infinite := [][]float64{{1, 0}, {math.Inf(1), 1}}
	if got, err := PUCL().NotFinite(eng, infinite, []bool{true}, nil, 0.5); err != nil || got != "coordinate 0 of row 1 is +Inf" {
		t.Errorf("%q, %v", got, err)
	}
	expect.Error(t, expect.Err(PUCL().NotFinite(eng, z, nil, nil, 0.5)), "rows for 0 examples")
	noGradient := Objective{Attract: func(b *Block) *Node { return Round(OwnViews(b)) }, Repel: LogPartition}
	expect.Error(t, expect.Err(noGradient.NotFinite(eng, z, labeled, nil, 0.5)), "the gradient of Attract")
}
