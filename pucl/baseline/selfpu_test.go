package baseline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// pupil is a student for the loops.
type pupil struct{ logits, teacher, trusted, moved []float64 }

// drawPupils returns two random students, with logits of positives shifted up and of unlabeled rows down by shift.
func drawPupils(shift float64) (p [2]pupil) {
	rng := rand.New(rand.NewPCG(7, 9))
	normal := func(shift float64) []float64 {
		x := make([]float64, someRows)
		for i := range x {
			if x[i] = shift + 1.5*rng.NormFloat64(); i >= somePositives {
				x[i] -= 2 * shift
			}
		}
		return x
	}
	for i := range p {
		p[i] = pupil{normal(shift), normal(shift), make([]float64, someRows), normal(0)}
		p[i].trusted[somePositives+1+i] = 1
		p[i].logits[someRows-1], p[i].moved[someRows-1] = 0.7, 0.2 // gets the full weight
	}
	return p
}

// calibration computes w in loops.
func calibration(m SelfPU, p pupil) []float64 {
	w := make([]float64, someRows)
	spent := 0.0
	for i := somePositives; i < someRows; i++ {
		// The increase of certainty on reserved examples from following σ(logit) or the entropy downwards.
		slope := sigma(p.logits[i]) * (1 - sigma(p.logits[i]))
		byRisk, byEntropy := max(0, -slope*p.moved[i]), max(0, slope*p.logits[i]*p.moved[i])
		if p.trusted[i] == 1 || byEntropy == 0 || spent >= m.Gamma*someRows {
			continue
		}
		w[i] = byEntropy / (byRisk + byEntropy)
		spent += w[i]
	}
	return w
}

// loss returns the loss of a student in loops, its risk, and the function that training descends along, with no
// gradient through frozen, the student before the step, and w.
func (p pupil) loss(m SelfPU, w []float64, peer []float64, now [2]float64) (value, follow, risk float64) {
	left, untrusted, sure := 0.0, 0.0, 0.0
	for i := somePositives; i < someRows; i++ {
		weight := now[0] * w[i]
		left += (1 - p.trusted[i]) * (1 - weight) * sigma(p.logits[i])
		untrusted += 1 - p.trusted[i]
		sure += (p.trusted[i] + weight) * coin(p.logits[i]) / (someRows - somePositives)
	}
	positives := p.logits[:somePositives]
	positive := m.Prior * mean(positives, sigmoidLoss)
	negative := left/untrusted - m.Prior*mean(positives, sigma)
	distance := func(to []float64) (sum float64) {
		for i, t := range to {
			sum += (sigma(p.logits[i]) - sigma(t)) * (sigma(p.logits[i]) - sigma(t)) / someRows
		}
		return sum
	}
	risk = positive + max(negative, 0)
	rest := sure + now[1]*m.Beta*distance(p.teacher)
	if distance(peer) < m.Alpha*risk {
		rest += now[1] * distance(peer)
	}
	if negative < 0 {
		return risk + rest, -negative + rest, risk
	}
	return risk + rest, risk + rest, risk
}

// The loss of Self-PU must equal its formula in loops in every phase, on both sides of 0 and of every bound, and its
// gradient the finite differences.
func TestSelfPULossAgainstLoops(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range []struct {
		name   string
		change SelfPU
		shift  float64
		now    [2]float64
	}{
		{"at first", SelfPU{}, 0, [2]float64{0, 0}},
		{"calibrating", SelfPU{Gamma: 1}, 0, [2]float64{1, 0}},
		{"calibrating little", SelfPU{Gamma: 0.01}, 0, [2]float64{1, 0}},
		{"taught", SelfPU{}, 0, [2]float64{0, 1}},
		{"taught by teachers alone", SelfPU{Alpha: 0.01, Beta: 0.7}, 0, [2]float64{0, 1}},
		{"below 0", SelfPU{Gamma: 1}, 3, [2]float64{1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.change.Prior = 0.4
			m, pupils := tt.change.withDefaults(), drawPupils(tt.shift)
			exec := MustNewExec(enginetest.Open(t).Backend, func(x, now *Node) (*Node, *Node) {
				logits := func(i int) *Node { return Reshape(Slice(x, AxisElem(i)), someRows) }
				known := func(x ...[]float64) (out []*Node) {
					for _, x := range x {
						out = append(out, Const(now.Graph(), x))
					}
					return out
				}
				first, second := pupils[0], pupils[1]
				b := batch{positives: somePositives, now: now, logits: logits(0), other: Const(x.Graph(), first.teacher)}
				b.extra = append([]*Node{logits(1)}, known(second.teacher, first.trusted, second.trusted, first.moved, second.moved)...)
				loss := tt.change.plan().loss(b)
				return loss, Gradient(loss, x)[0]
			})
			logits := [][]float64{pupils[0].logits, pupils[1].logits}
			out := expect.Must(exec.Call(logits, tt.now[:]))(t)
			want := 0.0
			for i, p := range pupils {
				w, peer := calibration(m, p), pupils[1-i].logits
				value, follow, risk := p.loss(m, w, peer, tt.now)
				want += value
				gradient := slope(func(x []float64) float64 {
					p.logits = x
					_, follow, _ := p.loss(m, w, peer, tt.now)
					return follow
				}, pupils[i].logits)
				vectortest.NearGradient(t, fmt.Sprint("student ", i), out[1].Value().([][]float64)[i:i+1], [][]float64{gradient}, 1e-6, 0)
				seen["below 0"] = seen["below 0"] || value != follow
				seen["alone"] = seen["alone"] || tt.now[1] == 1 && value == follow && tt.change.Alpha == 0.01 && risk > 0
				seen["calibrated in part"] = seen["calibrated in part"] || slices.ContainsFunc(w, func(w float64) bool { return w > 0 && w < 1 })
				seen["calibrated whole"] = seen["calibrated whole"] || slices.Contains(w, 1)
			}
			vectortest.Near(t, "loss", out[0].Value().(float64), want, 1e-12)
		})
	}
	for _, side := range []string{"below 0", "alone", "calibrated in part", "calibrated whole"} {
		expect.That(t, seen[side], "no case is %s", side)
	}
}

// A trial step changes logits as their derivatives predict. These are computed by a gradient of a gradient, which dense
// layers have. The step leaves every variable unchanged, including the statistics of batch normalization.
func TestTrialStep(t *testing.T) {
	eng := enginetest.Open(t)
	rng := rand.New(rand.NewPCG(2, 2))
	draw := func(n int) *tensors.Tensor {
		flat := make([]float32, 3*n)
		for i := range flat {
			flat[i] = float32(rng.NormFloat64())
		}
		return tensors.FromFlatDataAndDimensions(flat, n, 3)
	}
	rows, held := draw(10), draw(6)
	n := &Network{store: model.NewStore(), encoder: encoder.MLP{Hidden: []int{16}, Dim: 8}}
	encoder.SetSeed(n.store, 3)
	exec, err := model.NewExec(eng.Backend, n.store, func(scope *model.Scope, rows, held, direction *Node) []*Node {
		own := inNetwork(scope)
		logits := func(x *Node) *Node { return n.see(own.ResetVisited(), x, true).logits }
		z := logits(rows)
		values := func() (all, weights []*Node) {
			for v := range own.IterVariables() {
				value := v.NodeValue(rows.Graph())
				if all = append(all, value); v.Trainable {
					weights = append(weights, value)
				}
			}
			return all, weights
		}
		before, weights := values()
		moved := trial(own, logits, z, rows, held)
		if after, _ := values(); len(before) < 7 || !slices.Equal(before, after) {
			t.Errorf("%d variables are not as they were", len(before))
		}

		// The derivative of z along g is that of ⟨∂⟨u, z⟩/∂θ, g⟩ with respect to u.
		pulled := Gradient(ReduceAllSum(Mul(z, direction)), weights...)
		along, square := ScalarZero(rows.Graph(), z.DType()), ScalarZero(rows.Graph(), z.DType())
		for i, g := range Gradient(ReduceAllMean(entropy(logits(held))), weights...) {
			along = Add(along, ReduceAllSum(Mul(pulled[i], StopGradient(g))))
			square = Add(square, ReduceAllSum(Square(g)))
		}
		return []*Node{moved, MulScalar(Div(Gradient(along, direction)[0], Sqrt(square)), -trialLength)}
	})
	expect.NoError(t, err)
	defer exec.Finalize()
	out := expect.Must(exec.Call(rows, held, make([]float32, 10)))(t)
	moved, want := out[0].Value().([]float32), out[1].Value().([]float32)
	largest := 0.0
	for i := range moved {
		expect.That(t, math.Abs(float64(moved[i]-want[i])) <= 0.02*math.Abs(float64(want[i]))+2e-4,
			"logit %d moves by %g, its derivative says %g", i, moved[i], want[i])
		largest = max(largest, math.Abs(float64(want[i])))
	}
	expect.That(t, largest >= 0.01, "no logit moves by more than %g", largest)
}

// Trusted examples are chosen anew after each of four twentieths of the steps; if several passed in one step, for the
// last of them.
func TestPacing(t *testing.T) {
	for _, tt := range []struct {
		steps int
		due   map[int]float64 // after that step; 0 after all others
	}{
		{2, map[int]float64{1: 0.4}}, {7, map[int]float64{1: 0.2, 2: 0.4}}, {20, map[int]float64{1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4}},
		{100, map[int]float64{5: 0.1, 10: 0.2, 15: 0.3, 20: 0.4}}, {130, map[int]float64{7: 0.1, 13: 0.2, 20: 0.3, 26: 0.4}},
	} {
		r := &run{config: quick(SelfPU{}, tt.steps)}
		for done := 1; done <= tt.steps; done++ {
			if got, want := r.due(done), tt.due[done]; math.Abs(got-want) > 1e-12 {
				t.Errorf("after %d of %d steps: %g, want %g", done, tt.steps, got, want)
			}
		}
	}
}

// Each student trusts the unlabeled examples that it predicts to be the most and the least positive, as many as its
// pace allows.
func TestStudentsTrustTheSurest(t *testing.T) {
	eng, data := enginetest.Open(t), mixture(20, 220, 1)
	data.SingleDataset = true // labeled examples are among the unlabeled ones, and must not be chosen
	r := dealt(t, data, quick(SelfPU{Prior: 0.5, Pace: 0.5, SecondPace: 1, Gamma: -1}, 100))
	r.network = &Network{store: model.NewStore(), encoder: r.config.Encoder, like: data.Examples}
	encoder.SetSeed(r.network.store, 1)
	r.scorer = expect.Must(r.network.newScorer(eng, ofLogits))(t)
	defer r.scorer.exec.Finalize()
	r.reader = expect.Must(r.network.newScorer(eng, *r.plan.reading))(t)
	defer r.reader.exec.Finalize()
	v := r.memory(r.network.store.RootScope(), "trusted", 2)
	expect.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(make([]float32, 440), 220, 2)))
	for _, tt := range []struct {
		done int
		part float64
	}{{4, 0}, {20, 0.4}, {21, 0.4}} {
		done, part := tt.done, tt.part
		expect.NoError(t, r.plan.between(r, done))
		value := expect.Must(v.Value())(t)
		trusted := tensors.MustCopyFlatData[float32](value)
		for i, s := range []*scorer{r.scorer, r.reader} {
			scores := expect.Must(s.score(data.Examples))(t)
			sorted := slices.Sorted(slices.Values(scores[20:]))
			count := int(math.Round(part * []float64{0.5, 1}[i] * 200))
			for example, score := range scores {
				want := float32(0)
				if example >= 20 && count > 0 && (score <= sorted[count-1] || score >= sorted[200-count]) {
					want = 1
				}
				if trusted[2*example+i] != want {
					t.Fatalf("after %d steps student %d trusts example %d: %g, want %g", done, i, example, trusted[2*example+i], want)
				}
			}
		}
	}
}

// Methods with several networks train on images by convolutions, in new views, as they do on rows.
func TestImagesWithSeveralNetworks(t *testing.T) {
	expect.Slow(t)
	data := Data{Examples: patterns(1200, 700), Labeled: firstAre(200, 1200)}
	for name, method := range map[string]Method{"MixPUL": MixPUL{}, "Self-PU": SelfPU{Prior: 0.5}} {
		t.Run(name, func(t *testing.T) {
			eng, config := enginetest.Open(t), quick(method, 40)
			config.Encoder, config.Recipe = encoder.SmallCNN{Width: 4, Dim: 8}, augment.Recipe{augment.Flip{}}
			scores, err := must(t, eng, data, config).Network.Score(eng, data.Examples)
			if err != nil || share(scores, 700) < 0.95 {
				t.Errorf("%v; accuracy %g", err, share(scores, 700))
			}
		})
	}
}

// readStudents finds every input of both students.
func TestStudents(t *testing.T) {
	eng, data := enginetest.Open(t), mixture(20, 120, 1)
	config := quick(SelfPU{Prior: 0.5}, 10)
	config.Encoder, config.Positives, config.Unlabeled = encoder.MLP{Hidden: []int{}, Dim: 4}, 3, 5
	r := dealt(t, data, config)
	r.network = &Network{store: model.NewStore(), encoder: config.Encoder}
	encoder.SetSeed(r.network.store, 1)
	flags := make([]float32, 240)
	for i := range flags {
		flags[i] = float32(i % 3 % 2)
	}
	trusted := r.memory(r.network.store.RootScope(), "trusted", 2)
	expect.NoError(t, trusted.SetValue(tensors.FromFlatDataAndDimensions(flags, 120, 2)))
	exec := expect.Must(model.NewExec(eng.Backend, r.network.store, func(scope *model.Scope, index, x, now *Node) []*Node {
		logits := r.outputs(scope, []*Node{x, index, now})
		var parts []*Node
		for _, s := range readStudents(r.seen) {
			parts = append(parts, s.logits, s.teacher, s.trusted, s.moved)
		}
		teachers := scope.At(teacherScope)
		for _, own := range []*model.Scope{inNetwork(scope), teachers, inSecond(scope), teachers.At(secondScope)} {
			parts = append(parts, r.network.see(own, Slice(x, AxisRange(0, 8)), true).logits)
		}
		return append(parts, logits)
	}))(t)
	defer exec.Finalize()
	index := []int32{1, 2, 3, 50, 61, 72, 83, 94}
	x := data.Examples.tensor([]int{1, 2, 3, 50, 61, 72, 83, 94, 105, 116})
	out := expect.Must(exec.Call(index, x, tensors.FromFlatDataAndDimensions(make([]float32, 16), 8, 2)))(t)
	column := func(i int) []float32 { return tensors.MustCopyFlatData[float32](out[i]) }
	var seen [][]float32
	for i := range 2 {
		for j, name := range []string{"logits", "teacher"} {
			got := column(4*i + j)
			for k, want := range column(8 + 2*i + j) {
				if math.Abs(float64(got[k]-want)) > 1e-5 {
					t.Errorf("student %d, %s: %g, want %g", i, name, got, column(8+2*i+j))
					break
				}
			}
			expect.That(t, !slices.ContainsFunc(seen, func(x []float32) bool { return slices.Equal(x, got) }),
				"student %d, %s: another network puts out the same", i, name)
			seen = append(seen, got)
		}
		for k, row := range index {
			got := column(4*i + 2)[k]
			expect.That(t, got == flags[2*int(row)+i], "student %d trusts row %d: %g", i, k, got)
		}
		moved := column(4*i + 3)
		expect.That(t, !slices.Contains(moved, 0), "logits of student %d move by %g", i, moved)
	}
	if got := column(12); !slices.Equal(got, column(0)) {
		t.Errorf("the outputs are %g, want the logits of the first student, %g", got, column(0))
	}
}
