package baseline

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// The test batch has three labeled positives and five unlabeled examples.
const (
	somePositives = 3
	someRows      = 8
)

// numbers is a batch for the loops. mixed are the logits of the last len(mixed) rows mixed with their partners.
type numbers struct {
	logits, other, mixed, lambda, now []float64
	partner                           []int32
}

// draw returns a random batch, mixed as the plan of a method defines; logits lie around shift.
func draw(m Method, shift float64) (n numbers) {
	rng := rand.New(rand.NewPCG(9, 9))
	normal := func(count int) []float64 {
		x := make([]float64, count)
		for i := range x {
			x[i] = shift + 1.5*rng.NormFloat64()
		}
		return x
	}
	n.logits, n.other = normal(someRows), normal(someRows)
	if mix := m.plan().mix; mix != nil {
		n.partner = mix.draw(rng, somePositives, someRows)
		n.mixed = normal(len(n.partner))
		for _, lambda := range mix.weights(rng, len(n.partner)) {
			n.lambda = append(n.lambda, float64(lambda))
		}
	}
	if schedule := m.plan().schedule; schedule != nil {
		for _, x := range schedule(0.75) {
			n.now = append(n.now, float64(x))
		}
	}
	return n
}

// variables returns the outputs of the network, concatenated, and with returns the batch with other outputs.
func (n numbers) variables() []float64 { return slices.Concat(n.logits, n.other, n.mixed) }

func (n numbers) with(x []float64) numbers {
	n.logits, n.other, n.mixed = x[:someRows], x[someRows:2*someRows], x[2*someRows:]
	return n
}

// lossOf returns the loss of a method and its gradient with respect to the variables, by its graph in float64.
func lossOf(t *testing.T, m Method, n numbers) (float64, []float64) {
	t.Helper()
	return lossesOf(t, m, n)(n)
}

// lossesOf is lossOf for batches mixed as n is.
func lossesOf(t *testing.T, m Method, n numbers) func(numbers) (float64, []float64) {
	t.Helper()
	p := m.plan()
	exec := MustNewExec(enginetest.Open(t).Backend, func(x *Node) (*Node, *Node) {
		g := x.Graph()
		b := batch{positives: somePositives, logits: Slice(x, AxisRange(0, someRows))}
		if p.other != nil {
			b.other = Slice(x, AxisRange(someRows, 2*someRows))
			if p.teacher > 0 || p.memory {
				b.other = StopGradient(b.other)
			}
		}
		if p.mix != nil {
			b.mixed, b.lambda, b.partner = Slice(x, AxisRange(2*someRows)), Const(g, n.lambda), Const(g, n.partner)
		}
		if p.schedule != nil {
			b.now = Const(g, n.now)
		}
		if p.choose != nil {
			b.partner = p.choose(b)
		}
		loss := p.loss(b)
		return loss, Gradient(loss, x)[0]
	})
	return func(n numbers) (float64, []float64) {
		t.Helper()
		out := expect.Must(exec.Call(n.variables()))(t)
		return out[0].Value().(float64), out[1].Value().([]float64)
	}
}

// slope returns the gradient of f at x by central differences.
func slope(f func(x []float64) float64, x []float64) []float64 {
	const h = 1e-6
	out := make([]float64, len(x))
	for i := range x {
		at := slices.Clone(x)
		at[i] = x[i] + h
		up := f(at)
		at[i] = x[i] - h
		out[i] = (up - f(at)) / (2 * h)
	}
	return out
}

func sigma(t float64) float64    { return 1 / (1 + math.Exp(-t)) }
func logistic(t float64) float64 { return math.Log(1 + math.Exp(-t)) }

// mean returns the mean of f over x.
func mean(x []float64, f func(float64) float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += f(v)
	}
	return sum / float64(len(x))
}

// coin returns the entropy of the prediction σ(t).
func coin(t float64) float64 {
	p := sigma(t)
	return -p*math.Log(p) - (1-p)*math.Log(1-p)
}

// parts returns the positive and the negative part of the risk, for three positives followed by unlabeled rows.
func parts(logits []float64, prior float64, loss func(float64) float64) (positive, negative float64) {
	p, u := logits[:somePositives], logits[somePositives:]
	against := func(t float64) float64 { return loss(-t) }
	return prior * mean(p, loss), mean(u, against) - prior*mean(p, against)
}

func sigmoidLoss(t float64) float64 { return sigma(-t) }

// reference is a loss in loops: its value, and the function that training descends along, with the frozen batch in the
// parts without gradient.
type reference struct {
	value  func(n numbers) float64
	follow func(n, frozen numbers) float64
}

// both returns the reference of a loss that training descends along.
func both(value func(n numbers) float64) reference {
	return reference{value, func(n, _ numbers) float64 { return value(n) }}
}

// fromTeacher returns the reference of a loss without gradient through the teacher's predictions, as in training.
func fromTeacher(value func(n numbers) float64) reference {
	return reference{value, func(n, frozen numbers) float64 {
		n.other = frozen.other
		return value(n)
	}}
}

// kiryo returns the reference of nnPU on the logits that of returns.
func kiryo(of func(numbers) []float64, prior, beta, gamma float64, loss func(float64) float64) reference {
	return reference{
		func(n numbers) float64 {
			positive, negative := parts(of(n), prior, loss)
			return positive + max(negative, -beta)
		},
		func(n, frozen numbers) float64 {
			positive, negative := parts(of(n), prior, loss)
			if _, r := parts(of(frozen), prior, loss); r < -beta {
				return -gamma * negative
			}
			return positive + negative
		},
	}
}

func plain(n numbers) []float64     { return n.logits }
func mixedRows(n numbers) []float64 { return n.mixed }

// phi returns the variational loss of vPU.
func phi(n numbers) float64 {
	return math.Log(mean(n.logits[somePositives:], sigma)) + mean(n.logits[:somePositives], logistic)
}

// aligned returns L_dist of Dist-PU, from histograms of two bins as in the authors' program. Each prediction adds a
// share equal to itself to the upper bin. The distance of two histograms is the mean distance of their bins.
func aligned(n numbers, prior float64) float64 {
	apart := func(logits []float64, upper float64) float64 {
		return (math.Abs(mean(logits, sigma)-upper) + math.Abs(mean(logits, func(t float64) float64 { return 1 - sigma(t) })-(1-upper))) / 2
	}
	return apart(n.logits[:somePositives], 1) + apart(n.logits[somePositives:], prior)/(2*prior)
}

// references has, for every case, a method and its loss in loops.
var references = []struct {
	name   string
	method Method
	shift  float64
	reference
}{
	{"uPU", UPU{Prior: 0.4}, 0, both(func(n numbers) float64 {
		positive, negative := parts(n.logits, 0.4, sigmoidLoss)
		return positive + negative
	})},
	{"uPU logistic", UPU{Prior: 0.7, Logistic: true}, 0, both(func(n numbers) float64 {
		positive, negative := parts(n.logits, 0.7, logistic)
		return positive + negative
	})},
	{"nnPU", NNPU{Prior: 0.1}, 0, kiryo(plain, 0.1, 0, 1, sigmoidLoss)},
	{"nnPU below 0", NNPU{Prior: 0.95, Gamma: 0.5}, 0, kiryo(plain, 0.95, 0, 0.5, sigmoidLoss)},
	{"nnPU logistic", NNPU{Prior: 0.95, Beta: 0.01, Logistic: true}, 0, kiryo(plain, 0.95, 0.01, 1, logistic)},
	{"nnPU with mixup", NNPUMixup{NNPU: NNPU{Prior: 0.3}}, 0, kiryo(mixedRows, 0.3, 0, 1, sigmoidLoss)},
	{"vPU", VPU{Weight: 0.7}, -1, both(func(n numbers) float64 {
		sum := 0.0
		for i, t := range n.mixed {
			target := n.lambda[i]*sigma(n.logits[somePositives+i]) + 1 - n.lambda[i]
			sum += math.Pow(math.Log(target)-math.Log(sigma(t)), 2) / float64(len(n.mixed))
		}
		return phi(n) + 0.7*sum
	})},
	{"vPU without mixtures", VPU{Weight: -1}, 0, both(phi)},
	{"Dist-PU", DistPU{Prior: 0.4, Entropy: 0.3, Mixup: 2, MixedEntropy: 0.5}, 0, distReference(0.4, 2, 0.5)},
	{"Dist-PU without mixed labels", DistPU{Prior: 0.7, Mixup: -1, MixedEntropy: 0.5}, 0, distReference(0.7, 0, 0.5)},
	{"Dist-PU alone", DistPU{Prior: 0.6, Entropy: -1, Mixup: -1, MixedEntropy: -1}, 0,
		both(func(n numbers) float64 { return aligned(n, 0.6) })},
	{"P3Mix-E", P3Mix{Sure: 0.7, Pool: 0.6, Unlabeled: 0.8, Early: 0.4, Entropy: 0.3}, 0, fromTeacher(p3Mix(false, 0.8, 0.4, 0.3))},
	{"P3Mix-C", P3Mix{Correct: true, Sure: 0.7, Pool: 0.6}, 0, fromTeacher(p3Mix(true, 0.5, 0, 0.05))},
	{"PAN", PAN{Lambda: 0.2}, 0, reference{
		discriminate,
		func(n, frozen numbers) float64 {
			disagree := func(c, d []float64) (sum float64) { // E_U[(log(1−C) − log C)(2D − 1)]
				for i := somePositives; i < someRows; i++ {
					sum += (math.Log(1-sigma(c[i])) - math.Log(sigma(c[i]))) * (2*sigma(d[i]) - 1) / (someRows - somePositives)
				}
				return sum
			}
			return discriminate(n) - 0.2*disagree(frozen.logits, n.other) + disagree(n.logits, frozen.other)
		},
	}},
}

// p3Mix returns the loss of P3Mix after its warm-up, with γ = 0.7 and the nearest two of three positives in the pool.
func p3Mix(correct bool, unlabeled, early, entropy float64) func(n numbers) float64 {
	return func(n numbers) float64 {
		nearest := []int32{0, 1, 2}
		slices.SortFunc(nearest, func(a, b int32) int { return cmp.Compare(math.Abs(n.other[a]), math.Abs(n.other[b])) })
		later := n.now[0] > 0
		label := func(row int32) float64 {
			if row < somePositives || later && correct && sigma(n.other[row]) > 0.7 {
				return 1
			}
			return 0
		}
		loss := 0.0
		for i, t := range n.mixed {
			row, partner, weight := int32(i), n.partner[i], 1./somePositives
			ofPartner := sigma(n.other[partner])
			if i >= somePositives {
				weight = unlabeled / (someRows - somePositives)
				if teacher := sigma(n.other[i]); later && teacher > 0.3 && teacher < 0.7 {
					partner, ofPartner = nearest[int(partner)*2/someRows], 1
				}
			}
			mix := func(own, partners float64) float64 { return n.lambda[i]*own + (1-n.lambda[i])*partners }
			y, s := mix(label(row), label(partner)), sigma(t)
			loss -= weight * (y*math.Log(s) + (1-y)*math.Log(1-s))
			target := mix(sigma(n.other[row]), ofPartner)
			loss += early / someRows * math.Log(1-(s*target+(1-s)*(1-target))+earlyMargin)
			loss += entropy / someRows * coin(t)
		}
		return loss
	}
}

// discriminate returns the loss of PAN's discriminator.
func discriminate(n numbers) float64 {
	return mean(n.other[:somePositives], logistic) + mean(n.other[somePositives:], func(t float64) float64 { return logistic(-t) })
}

// distReference returns the reference of Dist-PU after its warm-up.
func distReference(prior, nu, gamma float64) reference {
	follow := func(n, frozen numbers) float64 {
		label := func(row int32) float64 {
			if row < somePositives {
				return 1
			}
			return sigma(frozen.other[row])
		}
		mixed := 0.0
		for i, t := range n.mixed {
			y := n.lambda[i]*label(int32(i)) + (1-n.lambda[i])*label(n.partner[i])
			mixed -= nu * (y*math.Log(sigma(t)) + (1-y)*math.Log(1-sigma(t))) / someRows
		}
		return aligned(n, prior) + n.now[0]*mean(n.logits[somePositives:], coin) + mixed + gamma*mean(n.mixed, coin)
	}
	return reference{func(n numbers) float64 { return follow(n, n) }, follow}
}

// Every loss must equal its formula in loops, and its gradient the finite differences of the formula.
func TestLossesAgainstLoops(t *testing.T) {
	for _, tt := range references {
		t.Run(tt.name, func(t *testing.T) {
			n := draw(tt.method, tt.shift)
			value, grad := lossOf(t, tt.method, n)
			vectortest.Near(t, "loss", value, tt.value(n), 1e-12)
			want := slope(func(x []float64) float64 { return tt.follow(n.with(x), n) }, n.variables())
			vectortest.NearGradient(t, "loss", [][]float64{grad}, [][]float64{want}, 1e-6, 0)
		})
	}
	below := func(name string) bool { // the cases above must cover both sides
		for _, tt := range references {
			if tt.name == name {
				_, r := parts(draw(tt.method, tt.shift).logits, tt.method.(NNPU).Prior, sigmoidLoss)
				return r < 0
			}
		}
		return false
	}
	expect.That(t, !below("nnPU") && below("nnPU below 0"), "nnPU is not tried on both sides of 0")
}

// If the negative part of the risk is not below 0, nnPU is uPU.
func TestNNPUIsUPUWhereTheRiskIsPositive(t *testing.T) {
	n := draw(NNPU{}, 0)
	for _, logistic := range []bool{false, true} {
		value, grad := lossOf(t, NNPU{Prior: 0.1, Logistic: logistic}, n)
		unbiased, unbiasedGrad := lossOf(t, UPU{Prior: 0.1, Logistic: logistic}, n)
		expect.That(t, value == unbiased && slices.Equal(grad, unbiasedGrad),
			"nnPU %g, %g; uPU %g, %g", value, grad, unbiased, unbiasedGrad)
	}
}

// With every point of a population repeated in proportion to its mass, the variational loss exceeds the posterior's
// loss by the Kullback–Leibler divergence of the positives from the unlabeled examples weighted by Φ, and scaling Φ
// changes nothing.
func TestVariationalLossIsAKullbackLeiblerDivergence(t *testing.T) {
	// The three points have shares of the unlabeled examples in fifths, and of the positives in thirds.
	n := numbers{logits: make([]float64, someRows), other: make([]float64, someRows)}
	positives, unlabeled := []int{0, 0, 1}, []int{0, 0, 1, 2, 2}
	f, fP := []float64{0.4, 0.2, 0.4}, []float64{2. / 3, 1. / 3, 0}
	loss := lossesOf(t, VPU{Weight: -1}, n)
	value := func(phi []float64) float64 {
		for i, point := range slices.Concat(positives, unlabeled) {
			n.logits[i] = math.Log(phi[point] / (1 - phi[point]))
		}
		v, _ := loss(n)
		return v
	}
	posterior := []float64{0.5 * fP[0] / f[0], 0.5 * fP[1] / f[1], 1e-300} // with the prior ½; the third point is never positive
	least := value(posterior)
	for _, phi := range [][]float64{{0.9, 0.1, 0.2}, {0.3, 0.6, 0.9}, {0.2, 0.2, 1e-12}} {
		total, divergence := 0.0, 0.0
		for k := range phi {
			total += phi[k] * f[k]
		}
		for k := range 2 {
			divergence += fP[k] * math.Log(fP[k]*total/(phi[k]*f[k]))
		}
		vectortest.Near(t, fmt.Sprint("Φ = ", phi), value(phi)-least, divergence, 1e-12)
		half := []float64{phi[0] / 2, phi[1] / 2, phi[2] / 2}
		vectortest.Near(t, "half of Φ", value(half), value(phi), 1e-12)
	}
}

// In the warm-up Dist-PU is the alignment of label distributions plus a fixed share of the entropy, and mixed examples
// have no effect; then the weight of the entropy rises from 0 to its maximum.
func TestDistPUWarmsUp(t *testing.T) {
	m := DistPU{Prior: 0.4, Entropy: 0.3, Warmup: 0.2, WarmupEntropy: 0.7}
	n := draw(m, 0)
	for _, tt := range []struct{ done, entropy, later float64 }{
		{0, 0.7, 0}, {0.1999, 0.7, 0}, {0.2, 0, 1}, {0.6, 0.3 * (1 - math.Sqrt(0.5)), 1}, {1, 0.3, 1},
	} {
		now := m.plan().schedule(tt.done)
		vectortest.Near(t, fmt.Sprint("weight of the entropy at ", tt.done), float64(now[0]), tt.entropy, 1e-7)
		expect.That(t, float64(now[1]) == tt.later, "at %g the weight of mixed examples is %g", tt.done, now[1])
	}
	for i, x := range m.plan().schedule(0.1) {
		n.now[i] = float64(x)
	}
	value, grad := lossOf(t, m, n)
	vectortest.Near(t, "loss", value, aligned(n, 0.4)+n.now[0]*mean(n.logits[somePositives:], coin), 1e-12)
	expect.That(t, !slices.ContainsFunc(grad[2*someRows:], func(x float64) bool { return x != 0 }),
		"mixed examples pull with %g", grad[2*someRows:])
}

// In its warm-up P3Mix uses the drawn partners and the given labels, by its schedule.
func TestP3MixWarmsUp(t *testing.T) {
	for _, tt := range []struct {
		method P3Mix
		loss   func(n numbers) float64
	}{
		{P3Mix{Sure: 0.7, Pool: 0.6, Warmup: 0.2}, p3Mix(false, 1, 2, 0.01)},
		{P3Mix{Correct: true, Sure: 0.7, Pool: 0.6, Warmup: 0.2}, p3Mix(true, 0.5, 0, 0.05)},
	} {
		n := draw(tt.method, 0)
		after := tt.loss(n)
		for done, want := range map[float64]float64{0: 0, 0.1999: 0, 0.2: 1, 0.9: 1} {
			now := tt.method.plan().schedule(done)
			expect.That(t, float64(now[0]) == want, "%s: %g at %g, want %g", tt.method, now[0], done, want)
		}
		n.now[0] = 0
		value, _ := lossOf(t, tt.method, n)
		vectortest.Near(t, tt.method.String(), value, tt.loss(n), 1e-12)
		expect.That(t, math.Abs(value-after) >= 1e-3,
			"%s: %g in the warm-up and %g after it; the batch shows nothing", tt.method, value, after)
	}
}
