package classify

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/risk"
)

// Two of two labeled images and one of two others score above 0: accuracy 2·0.4 + 0.5 − 0.4 with a prior of 0.4, Lee–Liu 1/0.5 without one,
// and where nobody scores above 0 the lowest that there is.
func TestProxyOfHeldOut(t *testing.T) {
	some, none := []float64{1, 2, 3, -1}, []float64{-1, -2, -3, -4}
	for _, tt := range []struct {
		name   string
		prior  float64
		proxy  evaluate.Proxy
		scores []float64
		want   float64
	}{
		{"accuracy", 0.4, nil, some, 0.9},
		{"Lee–Liu", 0, nil, some, 2},
		{"Lee–Liu of none", 0, nil, none, 0},
		{"AUC", 0.4, evaluate.ByProxyAUC, some, 0.5},
	} {
		h := &HeldOut{PU: evaluate.ScoreConfig{Prior: tt.prior}, Proxy: tt.proxy}
		h.Images.Labels = []bool{true, true, false, false}
		e := expect.Must(h.measure(3, func([]uint8) ([]float64, error) { return tt.scores, nil }))(t)
		if near(t, tt.name, e.Proxy, tt.want, 1e-15); e.Epoch != 3 || !math.IsNaN(e.Test) {
			t.Errorf("%s: %+v", tt.name, e)
		}
	}
}

// An epoch whose proxy is NaN ranks below all others, whether it comes first or later.
func TestUndefinedProxyIsNotKept(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	labeled, _ := pu(10, 24)
	tune := func(proxies ...float64) *mat.Dense {
		t.Helper()
		next := 0
		proxy := func(s evaluate.PU) float64 {
			if s.Constant { // what is asked before training
				return 0
			}
			next++
			return proxies[next-1]
		}
		c := FineTuneConfig{Epochs: len(proxies), BatchSize: 12, LearningRate: 0.02, Seed: 2, Keep: evaluate.WithoutNegatives,
			HeldOut: &HeldOut{Images: labeled, Proxy: proxy}}
		return expect.Must(FineTunePU(context.Background(), eng, m, labeled, risk.CrossEntropy, c))(t).Probe.Weights
	}
	nan := math.NaN()
	want, first := tune(0, 1, 0.5), tune(1, 0, 0.5)
	if got := tune(nan, 1, nan); !mat.Equal(got, want) || mat.Equal(got, first) {
		t.Errorf("the weights are %v, those of the second epoch %v", got, want)
	}
}
