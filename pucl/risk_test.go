package pucl

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/enginetest"
)

// Two labeled positives with logits 2 and −1, two unlabeled with −3 and 0.5, π = 0.6 and the sigmoid loss σ(−t): the
// derivative of σ is σ(1−σ).
func TestKiryoClimbsWhereTheNegativePartIsTooLow(t *testing.T) {
	logits, labels := []float64{2, -1, -3, 0.5}, []bool{true, true, false, false}
	const prior = 0.6
	sigma := func(t float64) float64 { return 1 / (1 + math.Exp(-t)) }
	slope := func(t float64) float64 { return sigma(t) * (1 - sigma(t)) }
	positive := prior * (sigma(-2) + sigma(1)) / 2
	positiveGrad := []float64{-prior * slope(2) / 2, -prior * slope(-1) / 2, 0, 0}
	negative := (sigma(-3)+sigma(0.5))/2 - prior*(sigma(2)+sigma(-1))/2
	negativeGrad := []float64{-prior * slope(2) / 2, -prior * slope(-1) / 2, slope(-3) / 2, slope(0.5) / 2}
	if !(negative < -0.004 && negative > -0.1) {
		t.Fatalf("the negative part is %g; the cases below want it a little below 0", negative)
	}
	sum := func(a, b []float64) []float64 {
		out := make([]float64, len(a))
		for i := range a {
			out[i] = a[i] + b[i]
		}
		return out
	}
	times := func(factor float64, a []float64) []float64 {
		out := make([]float64, len(a))
		for i := range a {
			out[i] = factor * a[i]
		}
		return out
	}
	tests := []struct {
		name  string
		risk  Risk
		value float64
		grad  []float64
	}{
		{"uPU", UPU(prior, SigmoidLoss), positive + negative, sum(positiveGrad, negativeGrad)},
		{"nnPU", NNPU(prior, SigmoidLoss), positive, positiveGrad},
		{"Kiryo", NNPUKiryo(prior, SigmoidLoss, KiryoConfig{}), positive, times(-1, negativeGrad)},
		{"Kiryo, γ = 0.3", NNPUKiryo(prior, SigmoidLoss, KiryoConfig{Gamma: 0.3}), positive, times(-0.3, negativeGrad)},
		{"Kiryo, β = 0.004", NNPUKiryo(prior, SigmoidLoss, KiryoConfig{Beta: 0.004}), positive - 0.004, times(-1, negativeGrad)},
		{"Kiryo, β = 0.1", NNPUKiryo(prior, SigmoidLoss, KiryoConfig{Beta: 0.1}), positive + negative, sum(positiveGrad, negativeGrad)},
	}
	out, err := ExecOnceN(enginetest.Open(t).Backend, func(logits, labels *Node) []*Node {
		var out []*Node
		for _, tt := range tests {
			value := tt.risk(logits, labels)
			out = append(out, value, Gradient(value, logits)[0])
		}
		return out
	}, logits, labels)
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range tests {
		near(t, tt.name, out[2*i].Value().(float64), tt.value, 1e-14)
		nearGradient(t, tt.name, [][]float64{out[2*i+1].Value().([]float64)}, [][]float64{tt.grad}, 1e-14, 1)
	}
}

func TestPNIsTheMeanOfTheMarginLoss(t *testing.T) {
	logits, labels := []float64{1, -2, 0}, []bool{true, true, false}
	want := (1/(1+math.E) + 1/(1+math.Exp(-2)) + 0.5) / 3
	out, err := ExecOnceN(enginetest.Open(t).Backend, func(logits, labels *Node) (*Node, *Node) {
		return PN(SigmoidLoss)(logits, labels), UnlabeledAsNegative(SigmoidLoss)(logits, labels)
	}, logits, labels)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "PN", out[0].Value().(float64), want, 1e-15)
	near(t, "unlabeled as negative", out[1].Value().(float64), want, 1e-15)
}
