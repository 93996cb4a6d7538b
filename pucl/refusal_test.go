package pucl

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/refusal"
)

func TestWrongInputsAreRefusedWithASentence(t *testing.T) {
	z := make([][]float64, 6)
	for i := range z {
		z[i] = []float64{1, float64(i)}
	}
	three := []bool{true, false, true}
	// The parts of Views are built from the shapes of labeled and class; errors must occur while the graph is built.
	run := func(o Objective, labeled, class any, count, blockRows int, tau float64) error {
		in := []any{z, labeled}
		if class != nil {
			in = append(in, class)
		}
		_, err := ExecOnce(enginetest.Open(t).Backend, func(in []*Node) *Node {
			v := Views{Z: in[0], Labeled: in[1], Count: count, BlockRows: blockRows}
			if len(in) == 3 {
				v.Class = in[2]
			}
			return o.Loss(v, tau)
		}, in...)
		return fault.Root(err)
	}
	of := func(o Objective) error { return run(o, three, nil, 2, 0, 0.5) }
	one := func(o Objective) error { return run(o, []bool{false}, nil, 6, 0, 0.5) }
	for _, tt := range []struct {
		name string
		err  error
		says string
	}{
		{"temperature", run(PUCL(), three, nil, 2, 0, 0), "temperature … positive"},
		{"negative temperature", run(SSCL(), three, nil, 2, 0, -0.5), "τ = -0.5 … 0.5 is the paper's"},
		{"labels for rows", run(PUCL(), make([]bool, 6), nil, 2, 0, 0.5),
			"(Float64)[6, 2] … (Bool)[6] … one view of all examples after the other"},
		{"labels not bool", run(PUCL(), []int32{1, 0, 1}, nil, 2, 0, 0.5), "(Int32)[3] … Bool"},
		{"one view", run(PUCL(), three, nil, 1, 0, 0.5), "1 view per example … 2 or more"},
		{"negative block", run(PUCL(), three, nil, 2, -1, 0.5),
			"BlockRows = -1 anchors at once … it must be positive, or 0 to let it be chosen"},
		{"classes for rows", run(SCL(), three, make([]int32, 6), 2, 0, 0.5), "(Int32)[6] … (Bool)[3] … one for each example"},
		{"classes of another type", run(SCL(), three, []int64{1, 2, 3}, 2, 0, 0.5), "(Int64)[3] … Int32"},
		{"no classes for SCL", of(SCL()), "SameClass … Views.Class"},
		{"no classes for the ideal", of(IdealCL(0)), "a term looks at a mask that is nil … Views.Class"},
		{"no classes for a sum", of(WeightedSum("sum", Part{1, SCL()})), "a term looks at a mask that is nil … Views.Class"},
		{"no terms", of(Objective{Name: "empty"}), "empty … Attract and Repel"},
		{"no terms in a sum", of(WeightedSum("sum", Part{1, Objective{Name: "empty"}})), `"empty", a part of "sum" … ` + "Attract and Repel"},
		{"a term of all pairs", of(Objective{Name: "wide", Attract: OwnViews, Repel: func(b *Block) *Node { return b.Sim }}),
			`Repel of objective "wide" … ` + "(Float64)[6, 6] … (Float64)[6] … over the last axis"},
		{"a number for the batch as a term", of(Objective{Name: "flat", Attract: func(b *Block) *Node { return ReduceAllMean(b.Sim) }, Repel: LogPartition}),
			`Attract of objective "flat" … ` + "one number per anchor"},
		{"Whole of the wrong shape", of(Objective{Name: "rows", Attract: Nothing, Repel: Nothing, Whole: func(v Views, _ float64) *Node { return ReduceSum(v.Z, -1) }}),
			`Whole of objective "rows" … ` + "one number for each batch"},
		{"λ", of(MCL(1.5)), "λ = 1.5 … between 0 and 1"},
		{"π", of(PUNCE(-0.1)), "π = -0.1 … between 0 and 1"},
		{"π of PU-debiased", of(PUDebiased(1)), "π = 1 … below 1"},
		{"negatives of PU-debiased", one(PUDebiased(0.5)), "one example … 2 examples or more"},
		{"τ⁺ of DCL", of(DCL(DCLConfig{TauPlus: 1})), "τ⁺ = 1 … below 1"},
		{"M of DCL", of(DCL(DCLConfig{Positives: 2})), "M = 2 … of 2 views 1 is another"},
		{"Q of DCL", of(DCL(DCLConfig{Weight: -1})), "Q = -1 … it must be positive, or 0 for the number"},
		{"negatives of DCL", one(DCL(DCLConfig{})), "one example … 2 examples or more"},
		{"τ⁺ of DebiasedPos", of(DebiasedPos(DebiasedPosConfig{})), "τ⁺ = 0 … above 0"},
		{"N of DebiasedPos", of(DebiasedPos(DebiasedPosConfig{TauPlus: 0.5, Weight: -2})),
			"N = -2 … it must be positive, or 0 for the number"},
		{"τ⁺ that is no number", of(DebiasedPos(DebiasedPosConfig{TauPlus: math.NaN()})), "τ⁺ = NaN … above 0"},
		{"margin", of(Pairwise(0)), "margin 0 … positive"},
		{"negatives of the ideal", run(IdealCL(-1), three, []int32{1, 2, 1}, 2, 0, 0.5),
			"N = -1 negatives … it must be positive, or 0 for as many"},
		{"true negatives", run(TrueNegatives(-1), three, []int32{1, 2, 1}, 2, 0, 0.5), "N = -1 … it must be positive, or 0 for the number of rows"},
		{"no classes for true negatives", of(TrueNegatives(0)), "a term looks at a mask that is nil … Views.Class"},
		{"true negatives of one", one(TrueNegatives(0)), "one example … 2 examples or more"},
		{"uniformity of one", one(UniformityLoss()), "uniformity of a batch of one example … pairs of examples"},
	} {
		t.Run(tt.name, func(t *testing.T) { refusal.Check(t, tt.err, tt.says) })
	}
	eng := enginetest.Open(t)
	refusal.Check(t, refusal.Err(PUCL().Value(eng, z, make([]bool, 4), 0.5)),
		"6 rows for 4 examples … there must be the same number of views, two")
	refusal.Check(t, refusal.Err(SCL().ValueOfClasses(eng, z, nil, 0.5)),
		"6 rows for 0 examples … there must be the same number of views, two")
	expect.Equal(t, of(PUCL()), nil, "a right batch is refused")
}

// An error in a term is one sentence: objective, term, the line of the user's code, and the cause, without the layers
// of the engine. A term of this package has no line of user code.
func TestErrorsOfTermsNameObjectiveTermAndLine(t *testing.T) {
	z := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	// term returns an objective with a user-defined Repel and the start of its error; both name the line of the call.
	term := func(repel Term) (Objective, string) {
		_, _, line, _ := runtime.Caller(1)
		return Objective{Name: "mine", Attract: OwnViews, Repel: repel},
			fmt.Sprintf(`pucl: Repel of objective "mine", at refusal_test.go:%d: `, line)
	}
	check := func(o Objective, start, cause string) {
		t.Helper()
		if _, err := o.Value(enginetest.Open(t), z, []bool{true, false}, 0.5); err == nil || err.Error() != start+cause {
			t.Errorf("got  %v\nwant %s", err, start+cause)
		}
	}
	o, start := term(func(b *Block) *Node { return ReduceAllMean(b.Sim) })
	check(o, start, "it gives shape (Float64) for a block of similarities (Float64)[4, 4]; a term gives one number per anchor, (Float64)[4], "+
		"for instance a sum or mean over the last axis")
	o, start = term(func(*Block) *Node { return nil })
	check(o, start, "it returns nil; a term gives one number per anchor, (Float64)[4]")
	o, start = term(func(*Block) *Node { panic(errors.New("too few rows")) })
	check(o, start, "too few rows")
	o, start = term(func(*Block) *Node { panic("no error at all") })
	check(o, start, "no error at all")
	o, start = term(func(b *Block) *Node { return ReduceSum(b.Sim, []int{}[len(b.Sim.Shape().Dimensions)]) })
	check(o, start, "index out of range [2] with length 0")
	mixed, start := term(Mix(0.5, OwnViews, func(b *Block) *Node { return ReduceSum(b.Sim, 7) }))
	check(mixed, start, "x's axis #0 of [7] = 7 given is out-of-range for rank 2")
	check(WeightedSum("sum", Part{1, SSCL()}, Part{1, mixed}), start, "x's axis #0 of [7] = 7 given is out-of-range for rank 2")
	o.Whole, o.Repel = func(v Views, _ float64) *Node { return ReduceSum(v.Z, 7) }, LogPartition
	if _, err := o.Value(enginetest.Open(t), z, []bool{true, false}, 0.5); err == nil || !strings.HasPrefix(err.Error(), `pucl: Whole of objective "mine", at refusal_test.go:`) {
		t.Errorf("Whole: %v", err)
	}
	check(Objective{Name: "mine", Attract: ClassMean, Repel: LogPartition}, `pucl: Attract of objective "mine": `, "a term looks at a mask that is nil; "+
		"SameClass is there only where Views.Class holds the true class of every example, Int32 [.., b]")
	check(PUNCE(3), `pucl: Attract of objective "puNCE": `, "puNCE with prior π = 3; it is a share and must lie between 0 and 1")
}

// A part of another term must be one number for each anchor, as a term is; broadcasting would hide a wrong shape.
func TestPartsOfTermsAreRefused(t *testing.T) {
	z := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	eng := enginetest.Open(t)
	wrong := []struct {
		part   Term
		causes string
	}{
		{func(b *Block) *Node { return ReduceAllMean(b.Sim) }, "gives shape (Float64) for a block of similarities (Float64)[4, 4]"},
		{func(b *Block) *Node { return b.Sim }, "gives shape (Float64)[4, 4]"},
		{func(b *Block) *Node { return ReduceAndKeep(b.Sim, ReduceMean, -1) }, "gives shape (Float64)[4, 1]"},
		{func(b *Block) *Node { return Slice(OwnViews(b), AxisRange(0, 1)) }, "gives shape (Float64)[1]"},
		{func(b *Block) *Node { return Slice(OwnViews(b), AxisRange(0, 3)) }, "gives shape (Float64)[3]"},
		{func(b *Block) *Node { return b.Labeled }, "gives shape (Bool)[4, 4]"},
		{func(*Block) *Node { return nil }, "returns nil"},
	}
	for _, whole := range []struct {
		name string
		of   func(Term) Term
	}{
		{"ByLabel for labeled anchors", func(part Term) Term { return ByLabel(part, OwnViews) }},
		{"ByLabel for unlabeled anchors", func(part Term) Term { return ByLabel(LabeledMean, part) }},
		{"Mix that comes first", func(part Term) Term { return Mix(0.5, part, OwnViews) }},
		{"Mix that comes second", func(part Term) Term { return Mix(0.5, OwnViews, part) }},
		{"Scale", func(part Term) Term { return Scale(2, part) }},
		{"Scale", func(part Term) Term { return Mix(0.5, ByLabel(OwnViews, Scale(2, part)), OwnViews) }},
	} {
		for _, tt := range wrong {
			o := Objective{Name: "mine", Attract: whole.of(tt.part), Repel: LogPartition}
			_, err := o.Value(eng, z, []bool{true, false}, 0.5)
			refusal.Check(t, err, `Attract of objective "mine", at refusal_test.go:`+" … the part of "+whole.name+" "+tt.causes+" … a term gives one number per anchor, (Float64)[4]")
		}
		_, err := Objective{Name: "mine", Attract: whole.of(nil), Repel: LogPartition}.Value(eng, z, []bool{true, false}, 0.5)
		refusal.Check(t, err, "the part of "+whole.name+" is nil … give it a term, Nothing where there is to be none")
		o := Objective{Name: "mine", Attract: whole.of(OwnViews), Repel: whole.of(LogPartition)}
		expect.Must(o.Value(eng, z, []bool{true, false}, 0.5))(t)
	}
	_, _, line, _ := runtime.Caller(0)
	flat := func(b *Block) *Node { return ReduceAllMean(b.Sim) }
	_, err := Objective{Name: "mine", Attract: OwnViews, Repel: ByLabel(flat, LogPartition)}.Value(eng, z, []bool{true, false}, 0.5)
	refusal.Check(t, err, fmt.Sprintf(`pucl: Repel of objective "mine", at refusal_test.go:%d: the part of ByLabel for labeled anchors gives … (Float64)[4]`, line+1))
}

// Value is for interactive use: its errors on invalid arguments must come from this package.
func TestValueRefuses(t *testing.T) {
	eng, two := enginetest.Open(t), []bool{true, false}
	square := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	for want, try := range map[string]func() (float64, error){
		"no engine given … open one with engine.Open":                         func() (float64, error) { return PUCL().Value(nil, square, two, 0.5) },
		"0 rows for 2 examples … there must be the same number of views, two": func() (float64, error) { return PUCL().Value(eng, nil, two, 0.5) },
		"row 2 has 3 coordinates, row 0 has 2 … give each row the same number, one or more": func() (float64, error) {
			return PUCL().Value(eng, [][]float64{{1, 0}, {0, 1}, {1, 0, 0}, {0, 1}}, two, 0.5)
		},
		"row 0 has 0 coordinates … give each row the same number, one or more": func() (float64, error) { return PUCL().Value(eng, make([][]float64, 4), two, 0.5) },
		"1 view per example … contrast needs 2 or more":                        func() (float64, error) { return PUCL().Value(eng, square[:2], two, 0.5) },
		"τ = NaN … it divides the similarities":                                func() (float64, error) { return PUCL().Value(eng, square, two, math.NaN()) },
		`objective "empty" lacks a term … it needs both Attract and Repel`:     func() (float64, error) { return Objective{Name: "empty"}.Value(eng, square, two, 0.5) },
	} {
		refusal.Check(t, refusal.Err(try()), want)
	}
}
