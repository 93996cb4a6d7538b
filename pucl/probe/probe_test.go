package probe

import (
	"bytes"
	"encoding/gob"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// one returns a probe of one output.
func one(bias float64, weights ...float64) *Probe {
	return &Probe{Weights: mat.NewDense(1, len(weights), weights), Bias: []float64{bias}}
}

// must returns a function that fails t on an error and otherwise returns the value.
func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func TestBinaryAndClassesPredictTheSame(t *testing.T) {
	p := one(0.5, 2, -1)
	x := mat.NewDense(4, 2, []float64{1, 1, 0, 3, -1, -4, -0.5, -0.5}) // logits 1.5, −2.5, 2.5, 0
	both := must[*Probe](t)(p.Classes())
	back := must[*Probe](t)(both.Binary())
	if !mat.Equal(back.Weights, p.Weights) || back.Bias[0] != p.Bias[0] {
		t.Errorf("%v became %v", p, back)
	}
	for _, q := range []*Probe{p, both, back} {
		scores := must[[]float64](t)(q.Scores(x))
		for i, want := range []float64{1.5, -2.5, 2.5, 0} {
			vectortest.Near(t, "score", scores[i], want, 1e-12)
		}
		if got := must[[]int](t)(q.Predict(x)); !slices.Equal(got, []int{1, 0, 1, 0}) {
			t.Errorf("%d outputs predict %d", len(q.Bias), got)
		}
		if s := must[evaluate.Classes](t)(q.ScoreClasses(x, []int{1, 1, 1, 0})); s.Accuracy != 0.75 {
			t.Errorf("%d outputs: %v", len(q.Bias), s)
		}
	}
	if logits := must[*mat.Dense](t)(both.Logits(x)); logits.At(1, 0) != 1.25 || logits.At(1, 1) != -1.25 {
		t.Errorf("logits of row 1 are %v, want half of the logit each way", logits.RawRowView(1))
	}
}

func TestScores(t *testing.T) {
	p := one(-1, 1)
	x := mat.NewDense(6, 1, []float64{4, 3, 2, 0.5, 0, -1}) // logits 3, 2, 1, −0.5, −1, −2
	b := must[evaluate.Binary](t)(p.Score(x, []bool{true, true, false, true, false, false}))
	vectortest.Near(t, "accuracy", b.Accuracy(), 4.0/6, 1e-12)
	vectortest.Near(t, "AUC", b.AUC, 8.0/9, 1e-12)
	s := must[evaluate.PU](t)(p.ScorePU(x, []bool{true, true, false, false, false, false}, evaluate.ScoreConfig{Prior: 0.25}))
	vectortest.Near(t, "proxy accuracy", s.ProxyAccuracy(), 1, 1e-12)
}

func TestStandardizedAndBack(t *testing.T) {
	p := &Probe{Weights: mat.NewDense(2, 3, []float64{1, -2, 0.5, 4, 0, -8}), Bias: []float64{1, -1}}
	mean, std := []float64{1, 2, 4}, []float64{2, 0.5, 1}
	weights, bias := p.Standardized(mean, std)
	if !slices.Equal(weights, []float32{2, -1, 0.5, 8, 0, -8}) || !slices.Equal(bias, []float32{0, -29}) { // 1+1−4+2, −1+4−32
		t.Errorf("weights %v, biases %v", weights, bias)
	}
	parameters := joinBias(weights, bias)
	if !slices.Equal(parameters, []float32{2, -1, 0.5, 0, 8, 0, -8, -29}) {
		t.Errorf("parameters %v", parameters)
	}
	weights, bias = splitBias(parameters, 3)
	if back := FromStandardized(weights, bias, mean, std); !mat.Equal(back.Weights, p.Weights) || !slices.Equal(back.Bias, p.Bias) {
		t.Errorf("%v came back as %v", p, back)
	}
}

func TestGob(t *testing.T) {
	var file bytes.Buffer
	p, got := one(0.5, 2, math.Pi), new(Probe)
	if err := gob.NewEncoder(&file).Encode(p); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&file).Decode(got); err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got.Weights, p.Weights) || !slices.Equal(got.Bias, p.Bias) {
		t.Errorf("%v came back as %v", p, got)
	}
}

func TestLogitsOfNaNAreNaN(t *testing.T) {
	x := mat.NewDense(2, 1, []float64{1, math.NaN()})
	for _, p := range []*Probe{one(0, 1), {Weights: mat.NewDense(2, 1, []float64{1, 2}), Bias: []float64{0, 0}}} {
		logits := must[*mat.Dense](t)(p.Logits(x))
		for output := range p.Bias {
			if math.IsNaN(logits.At(0, output)) || !math.IsNaN(logits.At(1, output)) {
				t.Errorf("logits %v", mat.Formatted(logits))
			}
		}
	}
}
