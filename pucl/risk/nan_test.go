package risk

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// A logit that is infinite or NaN makes every risk and all of its gradient NaN, whichever it is, even where the margin loss
// hides it.
func TestNaNAndInfinityComeThroughEveryRisk(t *testing.T) {
	hinge := func(t *Node) *Node { // 0 where t is NaN
		missing := OneMinus(t)
		return Where(GreaterThan(missing, ZerosLike(missing)), missing, ZerosLike(missing))
	}
	risks := []Risk{CrossEntropy}
	for _, loss := range []MarginLoss{LogisticLoss, SigmoidLoss, hinge} {
		risks = append(risks, PN(loss), UPU(0.6, loss), NNPU(0.6, loss), NNPUKiryo(0.6, loss, KiryoConfig{}),
			NNPUKiryo(0.6, loss, KiryoConfig{Beta: 0.1, Gamma: 0.5}))
	}
	labels := []bool{true, true, false, false}
	for _, dtype := range []dtypes.DType{dtypes.Float64, dtypes.Float32, dtypes.BFloat16} {
		exec := MustNewExec(enginetest.Open(t).Backend, func(logits, labels *Node) []*Node {
			logits = ConvertDType(logits, dtype)
			var out []*Node
			for _, risk := range risks {
				value := risk(logits, labels)
				out = append(out, ConvertDType(value, dtypes.Float64), ConvertDType(Gradient(value, logits)[0], dtypes.Float64))
			}
			return out
		})
		for _, bad := range []float64{0, math.NaN(), math.Inf(1), math.Inf(-1)} {
			for i := range labels {
				logits := []float64{2, -1, -3, 0.5}
				logits[i] = bad
				out, err := exec.Call(logits, labels)
				if err != nil {
					t.Fatal(err)
				}
				for k := range risks {
					value, grad := out[2*k].Value().(float64), out[2*k+1].Value().([]float64)
					isClean := func(x float64) bool { return !math.IsNaN(x) }
					if clean := bad == 0; isClean(value) != clean || slices.ContainsFunc(grad, isClean) != clean {
						t.Errorf("%s, risk %d, logit %d is %g: value %g, gradient %g", dtype, k, i, bad, value, grad)
					}
				}
			}
		}
	}
}
