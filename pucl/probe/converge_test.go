package probe

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"pgregory.net/rapid"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/risk"
)

func isOne(class []int) []bool {
	positive := make([]bool, len(class))
	for i, c := range class {
		positive[i] = c == 1
	}
	return positive
}

// parameters returns the parameters of p for standardized rows of x, and these rows.
func parameters(p *Probe, x *mat.Dense) (all []float64, flat []float32) {
	flat, mean, std := standardize(x)
	for output, b := range p.Bias {
		row := slices.Clone(p.Weights.RawRowView(output))
		b += floats.Dot(row, mean)
		floats.Mul(row, std)
		all = append(append(all, row...), b)
	}
	return all, flat
}

// penalized returns the cross-entropy plus penalty by loops, for classes in order of outputs or, with one output, for
// positives.
func penalized(all []float64, flat []float32, class []int, outputs int, l2 float64) float64 {
	n := len(class)
	k := len(flat) / n
	total := 0.0
	for i, c := range class {
		logits := make([]float64, outputs)
		for output := range logits {
			w := all[output*(k+1) : (output+1)*(k+1)]
			logits[output] = w[k]
			for j := range k {
				logits[output] += w[j] * float64(flat[i*k+j])
			}
		}
		if outputs == 1 {
			logits, c = []float64{0, logits[0]}, min(c, 1)
		}
		total += floats.LogSumExp(logits) - logits[c]
	}
	total /= float64(n)
	for at, w := range all {
		if at%(k+1) < k {
			total += l2 / 2 * w * w
		}
	}
	return total
}

// fitOne fits two classes by FitPU, and more by Fit.
func fitOne(t testing.TB, x *mat.Dense, class []int, classes int, c Config) *Probe {
	t.Helper()
	if classes == 2 {
		return expect.Must(FitPU(enginetest.Open(t), x, isOne(class), risk.CrossEntropy, c))(t)
	}
	return expect.Must(Fit(enginetest.Open(t), x, class, classes, c))(t)
}

// The default reaches the objective and the weights of scikit-learn's LogisticRegression.
func TestDefaultConvergesAsScikitLearn(t *testing.T) {
	var cases []struct {
		Rows, Entries, Classes int
		L2, Objective          float64
		Weights                [][]float64
		Bias                   []float64
	}
	expect.NoError(t, json.Unmarshal(expect.Must(os.ReadFile("testdata/logistic.json"))(t), &cases))
	for _, c := range cases {
		t.Run(fmt.Sprintf("%d rows of %d, %d classes", c.Rows, c.Entries, c.Classes), func(t *testing.T) {
			x, class := hashedRows(c.Rows, c.Entries, c.Classes)
			p := fitOne(t, x, class, c.Classes, Config{L2: c.L2})
			all, flat := parameters(p, x)
			objective := penalized(all, flat, class, len(p.Bias), c.L2)
			vectortest.Near(t, "gap", (objective-c.Objective)/c.Objective, 0, 1e-3)
			k := c.Entries
			mean := 0.0 // for softmax, adding a constant to all biases changes nothing
			if len(p.Bias) > 1 {
				for output := range p.Bias {
					mean += (all[output*(k+1)+k] - c.Bias[output]) / float64(len(p.Bias))
				}
			}
			size := 0.0
			for _, w := range c.Weights {
				size = max(size, floats.Norm(w, math.Inf(1)))
			}
			for output := range p.Bias {
				vectortest.Near(t, fmt.Sprint("bias ", output), all[output*(k+1)+k]-mean, c.Bias[output],
					0.01*max(size, 1))
				for j, want := range c.Weights[output] {
					vectortest.Near(t, fmt.Sprintf("weight %d, %d", output, j), all[output*(k+1)+j], want, 0.02*size)
				}
			}
		})
	}
}

// checkGap checks the gap that Config documents, and the gradient. The reference minimum is that of L-BFGS with a
// threshold of 1e-9.
func checkGap(t testing.TB, n, k, classes int) {
	x, class := hashedRows(n, k, classes)
	p := fitOne(t, x, class, classes, Config{})
	all, flat := parameters(p, x)
	outputs, loss := 1, binaryLoss(isOne(class))
	if classes > 2 {
		outputs, loss = classes, classLoss(class, classes)
	}
	o := newObjective(flat, k, outputs, 1e-4, loss)
	o.evaluate(all)
	reached, norm := o.value, floats.Norm(o.gradient, 2)
	best, err := optimize.Minimize(optimize.Problem{
		Func: func(p []float64) float64 { o.evaluate(p); return o.value },
		Grad: func(gradient, p []float64) { o.evaluate(p); copy(gradient, o.gradient) },
	}, all, &optimize.Settings{GradientThreshold: 1e-9, Converger: optimize.NeverTerminate{}}, &optimize.LBFGS{})
	expect.That(t, floats.Norm(best.Gradient, 2) < 1e-6,
		"the reference ends at a gradient of %v: %v", best.Gradient, err)
	gap := (reached - best.F) / best.F
	t.Logf("%d rows of %d, %d classes: objective %.6f, relative gap %.1e, gradient %.1e",
		n, k, classes, reached, gap, norm)
	expect.That(t, gap <= 1e-3, "relative gap %g", gap)
	expect.That(t, norm*norm <= 2*1e-4*1e-4*max(reached, 1e-3)*(1+1e-6), "gradient %g", norm)
}

func TestGapToTheMinimum(t *testing.T) {
	for _, n := range []int{50, 200, 1000, 10_000} {
		checkGap(t, n, 32, 2)
		checkGap(t, n, 16, 5)
	}
	if !testing.Short() {
		checkGap(t, 100_000, 32, 2)
	}
}

// binaryLoss is the cross-entropy of one output.
func binaryLoss(positive []bool) lossOf {
	return func(slopes, logits []float64) (total float64, err error) {
		n := float64(len(positive))
		for i, logit := range logits {
			sign := -1.0
			if positive[i] {
				sign = 1
			}
			total += (max(-sign*logit, 0) + math.Log1p(math.Exp(-math.Abs(logit)))) / n
			slopes[i] = -sign / (1 + math.Exp(sign*logit)) / n
		}
		return total, nil
	}
}

// The objectives of nnPU, on either side of its kink, and of classes equal loops in float64, and their gradients equal
// finite differences.
func TestObjectiveAndGradient(t *testing.T) {
	x, class := hashedRows(60, 4, 3)
	flat, _, _ := standardize(x)
	labeled := isOne(class)
	softplus := func(t float64) float64 { return max(t, 0) + math.Log1p(math.Exp(-math.Abs(t))) }
	nnPU := func(all []float64) float64 {
		var positive, asNegative, unlabeled, of float64
		for i := range class {
			logit := all[4]
			for j := range 4 {
				logit += all[j] * float64(flat[4*i+j])
			}
			if labeled[i] {
				positive, asNegative, of = positive+softplus(-logit), asNegative+softplus(logit), of+1
			} else {
				unlabeled += softplus(logit)
			}
		}
		negative := unlabeled/(60-of) - 0.4*asNegative/of
		return 0.4*positive/of + max(negative, 0) + 0.05/2*floats.Dot(all[:4], all[:4])
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for _, eng := range enginetest.All(t) {
		pu, release := expect.Must2(riskLoss(eng, risk.NNPU(0.4, risk.LogisticLoss), labeled))(t)
		for _, tt := range []struct {
			outputs int
			loss    lossOf
			want    func([]float64) float64
		}{
			{1, pu, nnPU},
			{3, classLoss(class, 3), func(all []float64) float64 { return penalized(all, flat, class, 3, 0.05) }},
		} {
			for range 4 {
				all := make([]float64, tt.outputs*5)
				for i := range all {
					all[i] = 2 * rng.NormFloat64()
				}
				o := newObjective(flat, 4, tt.outputs, 0.05, tt.loss)
				o.evaluate(all)
				expect.NoError(t, o.failed)
				vectortest.Near(t, "objective", o.value, tt.want(all), 1e-12)
				for i, want := range fd.Gradient(nil, tt.want, all, &fd.Settings{Formula: fd.Central}) {
					vectortest.Near(t, fmt.Sprint("derivative ", i), o.gradient[i], want, 1e-7)
				}
			}
		}
		expect.NoError(t, release())
	}
}

// A risk that clips ends at a kink, as low as after 2,000 steps of Adam, within 0.003 nats. So does a risk that is not
// convex. They start at 0.69 nats and 0.5.
func TestNonNegativeRiskEndsLow(t *testing.T) {
	eng := enginetest.Open(t)
	x, class := hashedRows(300, 40, 2)
	labeled := isOne(class)
	for i := range labeled {
		labeled[i] = labeled[i] && i%30 == 1
	}
	objective := func(r risk.Risk, l2 float64, c Config) float64 {
		c.L2 = l2
		all, flat := parameters(expect.Must(FitPU(eng, x, labeled, r, c))(t), x)
		loss, release := expect.Must2(riskLoss(eng, r, labeled))(t)
		o := newObjective(flat, 40, 1, l2, loss)
		o.evaluate(all)
		expect.NoError(t, release())
		return o.value
	}
	logistic := risk.NNPU(0.4, risk.LogisticLoss)
	for _, tt := range []struct {
		name string
		r    risk.Risk
		l2   float64
	}{
		{"nnPU", logistic, 0.01}, {"nnPU that clips", logistic, 1e-4},
		{"nnPU, sigmoid", risk.NNPU(0.4, risk.SigmoidLoss), 0.01},
		{"uPU", risk.UPU(0.4, risk.LogisticLoss), 0.01},
	} {
		converged, adam := objective(tt.r, tt.l2, Config{}), objective(tt.r, tt.l2, Config{Epochs: 2000})
		t.Logf("%s: %.6f, by Adam %.6f", tt.name, converged, adam)
		expect.That(t, converged <= adam+max(1e-3*math.Abs(adam), 0.003),
			"%s ends at %g, by Adam at %g", tt.name, converged, adam)
	}
	free, clipped := objective(risk.UPU(0.4, risk.LogisticLoss), 1e-4, Config{}), objective(logistic, 1e-4, Config{})
	expect.That(t, free < clipped-0.01,
		"the unclipped risk is %g and the clipped one %g; nothing is clipped here", free, clipped)
}

// The default is bit-reproducible. Seed has no effect, and Start does not change the minimum.
func TestDefaultIsDeterministic(t *testing.T) {
	x, class := hashedRows(5000, 8, 3)
	for _, classes := range []int{2, 3} {
		p, q := fitOne(t, x, class, classes, Config{}), fitOne(t, x, class, classes, Config{Seed: 9})
		expect.That(t, mat.Equal(p.Weights, q.Weights) && slices.Equal(p.Bias, q.Bias),
			"two fits differ: %v and %v", p, q)
	}
	p, far := fitOne(t, x, class, 2, Config{}), fitOne(t, x, class, 2, Config{Start: one(-2, 0, 0, 5, 0, 0, 0, -3, 0)})
	expect.That(t, mat.EqualApprox(p.Weights, far.Weights, 0.05),
		"weights %v, from another start %v", mat.Formatted(p.Weights), mat.Formatted(far.Weights))
}

// Without a penalty, separable rows have no minimum. Training still ends, with all rows classified correctly.
func TestSeparableRowsWithoutPenalty(t *testing.T) {
	x, class := hashedRows(60, 40, 2)
	for _, classes := range []int{2, 3} {
		p := fitOne(t, x, class, classes, Config{L2: -1})
		s := expect.Must(p.ScoreClasses(x, class))(t)
		expect.That(t, s.Accuracy == 1, "%d classes: %v", classes, s)
	}
}

// Risks without a lower bound or without a finite value are errors.
func TestUnboundedRisk(t *testing.T) {
	eng := enginetest.Open(t)
	x, class := hashedRows(60, 2, 2)
	falling := func(logits, labels *Node) *Node { return Neg(ReduceAllMean(Where(labels, logits, Neg(logits)))) }
	refusal.Check(t, expect.Err(FitPU(eng, x, isOne(class), falling, Config{L2: -1})),
		"the loss is … needs a larger L2 than 0 … or Epochs")
	nan := func(logits, _ *Node) *Node { return Log(Neg(ReduceAllSum(Square(AddScalar(logits, 1))))) }
	refusal.Check(t, expect.Err(FitPU(eng, x, isOne(class), nan, Config{})), "the loss is NaN … or Epochs")
}

// Batch sizes and learning rates without epochs are errors for all values, as are negative epochs.
func TestInvalidConfigs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{Epochs: rapid.IntRange(-3, 0).Draw(t, "epochs"), BatchSize: rapid.IntRange(-2, 2).Draw(t, "batch"),
			LearningRate: rapid.SampledFrom([]float64{-1, 0, 0.1, math.NaN(), math.Inf(1)}).Draw(t, "rate")}
		valid := c.Epochs == 0 && c.BatchSize == 0 && c.LearningRate == 0
		if err := c.Check(); valid != (err == nil) {
			t.Fatalf("%+v: %v", c, err)
		}
	})
	refusal.Check(t, Config{BatchSize: 5}.Check(),
		"batches of 5 rows and learning rate 0 without Epochs … set Epochs too, or neither")
	refusal.Check(t, Config{L2: math.Inf(1)}.Check(), "L2 +Inf … both finite")
}
