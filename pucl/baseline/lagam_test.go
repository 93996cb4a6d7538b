package baseline

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// balancedLoss computes B in loops.
func balancedLoss(t, y []float64) float64 {
	positive, negative, p, n := 0., 0., 0., 0.
	for i, label := range y {
		positive, negative = positive+label*logistic(t[i]), negative+(1-label)*logistic(-t[i])
		p, n = p+label, n+1-label
	}
	return positive/p + negative/n
}

// groupLoss computes L_cont in loops, with groups, classes and nearest rows of the frozen batch.
func groupLoss(n, frozen seen, temperature float64, neighbors int) float64 {
	const d = 3
	row := func(of seen, a int) []float64 { // of all rows in both views
		first := 2 + a/someRows*d
		return of.extra[a%someRows][first : first+d]
	}
	loss := 0.
	for i := range someRows {
		sum := 0.
		for a := range 2 * someRows {
			if a != i {
				sum += math.Exp(dotOf(row(n, i), row(n, a)) / temperature)
			}
		}
		logP := func(a int) float64 { return dotOf(row(n, i), row(n, a))/temperature - math.Log(sum) }
		loss -= logP(someRows+i) / someRows

		order := []int{}
		for a := range 2 * someRows {
			if a != i {
				order = append(order, a)
			}
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Compare(dotOf(row(frozen, i), row(frozen, b)), dotOf(row(frozen, i), row(frozen, a)))
		})
		total, count := 0., 0.
		for rank, a := range order {
			j := a % someRows
			same := frozen.extra[i][1] == frozen.extra[j][1] && (frozen.logits[i] > 0) == (frozen.logits[j] > 0)
			if frozen.extra[i][1] > 0 && (same || rank < neighbors) {
				total, count = total+logP(a), count+1
			}
		}
		if count > 0 {
			loss -= total / count / someRows
		}
	}
	return loss
}

func TestLaGAMAgainstLoops(t *testing.T) {
	for name, tt := range map[string]struct {
		method    LaGAM
		groups    []float64
		now       []float64
		neighbors int
	}{
		"groups and neighbors": {LaGAM{Neighbors: 3}, []float64{1, 2, 1, 2, 1, 1, 2, 2}, []float64{1, 1, 0.1}, 3},
		"no neighbors yet":     {LaGAM{}, []float64{1, 2, 1, 2, 1, 1, 2, 2}, []float64{1, 0, 0.1}, 0},
		"no groups yet":        {LaGAM{}, make([]float64, 8), []float64{0, 1, 0.1}, 10},
		"more neighbors":       {LaGAM{Neighbors: 40}, []float64{1, 2, 1, 2, 1, 1, 2, 2}, []float64{1, 1, 0.1}, 40},
	} {
		t.Run(name, func(t *testing.T) {
			m := tt.method
			m.Prior, m.Temperature, m.Mixup, m.Contrast = 0.4, 0.5, 0.6, 0.7
			n := drawSeen(m, 0, 1, 1, 3, 3)
			n.toUnit(2, 5)
			n.toUnit(5, 8)
			n.now = tt.now
			for i := range n.extra {
				n.extra[i][0] = sigma(n.extra[i][0])
				if i < someRows {
					n.extra[i][1] = tt.groups[i]
				}
			}
			follow := func(n, frozen seen) float64 {
				y, mixed := n.column(0)[:someRows], make([]float64, someRows)
				for i, lambda := range n.lambda {
					mixed[i] = lambda*y[i] + (1-lambda)*y[n.partner[i]]
				}
				return balancedLoss(n.logits[:someRows], y) + 0.6*balancedLoss(n.logits[someRows:2*someRows], mixed) +
					0.7*groupLoss(n, frozen, 0.5, tt.neighbors)
			}
			checkSeen(t, m, n, func(n seen) float64 { return follow(n, n) }, follow)
		})
	}
}

// The meta step must have the slope of the risk on reserved rows after the step of the last layer, with respect to the
// labels.
func TestLaGAMMetaStepAgainstFiniteDifferences(t *testing.T) {
	const rows, d, prior, rate = 6, 3, 0.3, 0.7
	rng := rand.New(rand.NewPCG(3, 3))
	draw := func(rows int) (h [][]float64, t []float64) {
		for range rows {
			h = append(h, normals(rng, d))
		}
		return h, normals(rng, rows)
	}
	h, logits := draw(rows)
	hP, tP := draw(2)
	hU, tU := draw(4)
	y := []float64{1, 1, 0.2, 0.7, 0, 0.4}
	risk := func(labels []float64) float64 { // weights of the positive label, then of the negative one
		with := func(w []float64) float64 {
			positive, negative, p, n := 0., 0., 0., 0.
			for i := range rows {
				t := logits[i] + dotOf(w, h[i])
				positive, negative = positive+labels[i]*logistic(t), negative+labels[rows+i]*logistic(-t)
				p, n = p+labels[i], n+labels[rows+i]
			}
			return positive/p + negative/n
		}
		step := slope(with, make([]float64, d))
		for i := range step {
			step[i] *= -rate
		}
		after := func(h [][]float64, t []float64) (out []float64) {
			for i := range t {
				out = append(out, t[i]+dotOf(step, h[i]))
			}
			return out
		}
		p, u := after(hP, tP), after(hU, tU)
		against := func(t float64) float64 { return logistic(-t) }
		return mean(p, logistic) + (mean(u, against)-prior*mean(p, against))/(1-prior)
	}
	labels := slices.Clone(y)
	for _, v := range y {
		labels = append(labels, 1-v)
	}
	const step = 1e-3 // since the inner gradient is one of finite differences
	want := make([]float64, len(labels))
	for i := range labels {
		up, down := slices.Clone(labels), slices.Clone(labels)
		up[i], down[i] = up[i]+step, down[i]-step
		want[i] = (risk(up) - risk(down)) / (2 * step)
	}
	out := expect.Must(ExecOnce(enginetest.Open(t).Backend, func(in []*Node) *Node {
		more, less := LaGAM{Prior: prior, Rate: rate}.slopes(pass{nil, in[1], in[0]}, in[2], pass{nil, in[3], in[4]}, pass{nil, in[5], in[6]})
		return Concatenate([]*Node{more, less}, 0)
	}, logits, h, y, hP, tP, hU, tU))(t)
	for i, v := range out.Value().([]float64) {
		vectortest.Near(t, "slope", v, want[i], 1e-5)
	}
}

// The warm-up and the phase without neighbors end, and the memory becomes shorter.
func TestLaGAMSchedule(t *testing.T) {
	schedule := LaGAM{Prior: 0.5, Memory: 0.4}.plan().schedule
	for done, want := range map[float64][3]float32{0: {0, 0, 0.4}, 0.05: {1, 0, 0.385}, 0.125: {1, 1, 0.3625}, 1: {1, 1, 0.1}} {
		for i, v := range schedule(done) {
			vectortest.Near(t, "number", float64(v), float64(want[i]), 1e-6)
		}
	}
}

// All examples are grouped after every epoch, from the end of the warm-up on, by the projections of the network.
func TestLaGAMGroupsWhenTheyAreDue(t *testing.T) {
	eng, data := enginetest.Open(t), mixture(20, 140, 1) // 120 unlabeled examples, reserved or not: two steps an epoch
	method := LaGAM{Prior: 0.5, Warmup: 0.45, Groups: 2}
	due := map[int]bool{5: true, 6: true, 8: true} // the last step is too late
	r := dealt(t, data, quick(method, 10))
	r.network = must(t, eng, data, quick(NNPU{Prior: 0.5}, 60)).Network
	r.reader = expect.Must(r.network.newScorer(eng, reading{inNetwork,
		func(p pass) *Node { return L2Normalize(p.h, -1) }}))(t)
	defer r.reader.exec.Finalize()
	v := r.memory(r.network.store.RootScope(), "groups")
	for done := 1; done <= 10; done++ {
		expect.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(make([]float32, 140), 140)))
		expect.NoError(t, method.regroup(r, done))
		value := expect.Must(v.Value())(t)
		groups := tensors.MustCopyFlatData[float32](value)
		grouped := slices.Min(groups) >= 1 && slices.Max(groups) <= 2
		expect.That(t, grouped == due[done], "after %d steps groups %g", done, groups[:5])
		if !due[done] {
			continue
		}
		apart := 0
		for i, g := range groups { // the first half of both kinds are positive
			if (g == groups[0]) == (i < 80) {
				apart++
			}
		}
		expect.That(t, apart >= 130, "after %d steps %d of 140 are with their class", done, apart)
	}
}

// If there are fewer different projections than groups, as for a collapsed network, there are fewer groups.
func TestLaGAMGroupsOfFewProjections(t *testing.T) {
	eng, data := enginetest.Open(t), mixture(20, 140, 1)
	r := dealt(t, data, quick(LaGAM{Prior: 0.5}, 10))
	r.network = must(t, eng, data, quick(NNPU{Prior: 0.5}, 2)).Network
	v := r.memory(r.network.store.RootScope(), "groups")
	for want, of := range map[float32]func(p pass) *Node{
		1: func(p pass) *Node { return ZerosLike(p.h) },
		2: func(p pass) *Node {
			return Where(GreaterThan(p.logits, ReduceAllMean(p.logits)), OnesLike(p.logits), ZerosLike(p.logits))
		},
		140: func(p pass) *Node { return AddScalar(p.h, 1) }, // more groups than examples
	} {
		r.reader = expect.Must(r.network.newScorer(eng, reading{inNetwork, of}))(t)
		defer r.reader.exec.Finalize()
		err := (LaGAM{Prior: 0.5, Groups: 150}).withDefaults().regroup(r, 8)
		expect.Require(t, err == nil, "%g: %v", want, err)
		value := expect.Must(v.Value())(t)
		if groups := tensors.MustCopyFlatData[float32](value); slices.Min(groups) != 1 || slices.Max(groups) != want {
			t.Errorf("groups up to %g, want %g", slices.Max(groups), want)
		}
	}
}
