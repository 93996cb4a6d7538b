package risk

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

var (
	near         = vectortest.Near
	nearGradient = vectortest.NearGradient
)

// TestVectors compares values and gradients of all risks in a file with batches computed elsewhere in float64.
func TestVectors(t *testing.T) {
	for _, path := range vectortest.Files(t, filepath.Join("..", "testdata", "vectors"), "losses") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			var file struct {
				Risk struct {
					ClassPrior float64 `json:"class_prior"`
					Logits     []float64
					Labeled    []int
					Risks      map[string]struct {
						Value      float64
						GradLogits []float64 `json:"grad_logits"`
					}
				}
			}
			vectortest.ReadJSON(t, path, &file)
			v := file.Risk
			risks := map[string]Risk{
				"uPU-logistic": UPU(v.ClassPrior, LogisticLoss), "uPU-sigmoid": UPU(v.ClassPrior, SigmoidLoss),
				"nnPU-logistic": NNPU(v.ClassPrior, LogisticLoss), "nnPU-sigmoid": NNPU(v.ClassPrior, SigmoidLoss),
			}
			names := slices.Sorted(maps.Keys(risks))
			held := slices.Sorted(maps.Keys(v.Risks))
			expect.Require(t, slices.Equal(held, names), "the file holds the risks %q, want %q", held, names)
			labeled := make([]bool, len(v.Labeled))
			for i, one := range v.Labeled {
				labeled[i] = one == 1
			}
			for _, p := range vectortest.Precisions {
				exec := MustNewExec(enginetest.Open(t).Backend, func(logits, labels *Node) []*Node {
					logits = ConvertDType(logits, p.DType)
					var out []*Node
					for _, name := range names {
						value := risks[name](logits, labels)
						out = append(out, ConvertDType(value, dtypes.Float64), ConvertDType(Gradient(value, logits)[0], dtypes.Float64))
					}
					return out
				})
				out := expect.Must(exec.Call(v.Logits, labeled))(t)
				for i, name := range names {
					want, what := v.Risks[name], fmt.Sprintf("%s in %s", name, p.DType)
					near(t, what, out[2*i].Value().(float64), want.Value, p.Value)
					nearGradient(t, what, [][]float64{out[2*i+1].Value().([]float64)}, [][]float64{want.GradLogits}, p.Grad, p.Least)
				}
			}
		})
	}
}

// riskValue returns the value of a risk on logits and labels, and its gradient with respect to the logits.
func riskValue(t *testing.T, risk Risk, logits []float64, labels []bool) (float64, []float64) {
	t.Helper()
	exec := MustNewExec(enginetest.Open(t).Backend, func(logits, labels *Node) (*Node, *Node) {
		value := risk(logits, labels)
		return value, Gradient(value, logits)[0]
	})
	out := expect.Must(exec.Call(logits, labels))(t)
	return out[0].Value().(float64), out[1].Value().([]float64)
}

func TestCrossEntropyByHand(t *testing.T) {
	value, grad := riskValue(t, CrossEntropy, []float64{0, math.Log(3), 800, -800}, []bool{true, false, true, true})
	// log 2, log 4, 0 and 800 nats; the gradient of a mean over four is (σ(t) − y)/4.
	near(t, "cross-entropy", value, (math.Log(2)+math.Log(4)+800)/4, 1e-12)
	for i, want := range []float64{-0.5 / 4, 0.75 / 4, 0, -1.0 / 4} {
		near(t, fmt.Sprint("gradient ", i), grad[i], want, 1e-12)
	}
}

func TestRisksOfOneKindOnlyAreFinite(t *testing.T) {
	logits := []float64{1, -2}
	for name, labels := range map[string][]bool{"all labeled": {true, true}, "none labeled": {false, false}} {
		for _, risk := range []Risk{UPU(0.3, LogisticLoss), NNPU(0.3, SigmoidLoss)} {
			value, grad := riskValue(t, risk, logits, labels)
			for _, x := range append(grad, value) {
				expect.That(t, !math.IsNaN(x) && !math.IsInf(x, 0), "%s: %g", name, x)
			}
		}
	}
}

// Two labeled positives with logits 2 and −1, two unlabeled examples with −3 and 0.5, π = 0.6 and the sigmoid loss
// σ(−t): the derivative of σ is σ(1−σ).
func TestKiryoClimbsWhereTheNegativePartIsTooLow(t *testing.T) {
	logits, labels := []float64{2, -1, -3, 0.5}, []bool{true, true, false, false}
	const prior = 0.6
	sigma := func(t float64) float64 { return 1 / (1 + math.Exp(-t)) }
	slope := func(t float64) float64 { return sigma(t) * (1 - sigma(t)) }
	positive := prior * (sigma(-2) + sigma(1)) / 2
	positiveGrad := []float64{-prior * slope(2) / 2, -prior * slope(-1) / 2, 0, 0}
	negative := (sigma(-3)+sigma(0.5))/2 - prior*(sigma(2)+sigma(-1))/2
	negativeGrad := []float64{-prior * slope(2) / 2, -prior * slope(-1) / 2, slope(-3) / 2, slope(0.5) / 2}
	expect.Require(t, negative < -0.004 && negative > -0.1,
		"the negative part is %g; the cases below want it a little below 0", negative)
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
	for _, tt := range tests {
		value, grad := riskValue(t, tt.risk, logits, labels)
		near(t, tt.name, value, tt.value, 1e-14)
		nearGradient(t, tt.name, [][]float64{grad}, [][]float64{tt.grad}, 1e-14, 1)
	}
}

func TestPNIsTheMeanOfTheMarginLoss(t *testing.T) {
	logits, labels := []float64{1, -2, 0}, []bool{true, true, false}
	want := (1/(1+math.E) + 1/(1+math.Exp(-2)) + 0.5) / 3
	value, _ := riskValue(t, PN(SigmoidLoss), logits, labels)
	near(t, "PN", value, want, 1e-15)
}

func TestRisksRefuse(t *testing.T) {
	run := func(risk Risk, logits, labels any) error {
		_, err := ExecOnce(enginetest.Open(t).Backend, func(logits, labels *Node) *Node { return risk(logits, labels) }, logits, labels)
		return fault.Root(err)
	}
	logits, labels := []float64{1, 2}, []bool{true, false}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"prior", run(UPU(1.2, LogisticLoss), logits, labels),
			"π = 1.2 is not between 0 and 1 … give the share of positives, known or estimated"},
		{"prior of 0", run(NNPU(0, LogisticLoss), logits, labels),
			"π = 0 is not between 0 and 1 … give the share of positives, known or estimated"},
		{"labels", run(PN(LogisticLoss), logits, []bool{true}),
			"(Float64)[2] and labels (Bool)[1] … a risk takes logits [n] and Bool labels [n]"},
		{"no examples", run(NNPU(0.5, LogisticLoss), tensors.FromShape(shapes.Make(dtypes.Float64, 0)), tensors.FromShape(shapes.Make(dtypes.Bool, 0))),
			"no examples, whose mean is not defined … one logit and its label"},
		{"β", run(NNPUKiryo(0.5, LogisticLoss, KiryoConfig{Beta: -1}), logits, labels),
			"β = -1 and γ = 1 … β must not be negative, and γ must lie above"},
		{"γ", run(NNPUKiryo(0.5, LogisticLoss, KiryoConfig{Gamma: 2}), logits, labels),
			"γ = 2 … β must not be negative, and γ must lie above"},
	} {
		t.Run(tt.name, func(t *testing.T) { refusal.Check(t, tt.err, tt.want) })
	}
}

// An infinite or NaN logit makes every risk and its whole gradient NaN, even if the margin loss hides it.
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
				out := expect.Must(exec.Call(logits, labels))(t)
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
