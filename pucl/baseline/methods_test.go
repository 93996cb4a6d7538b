package baseline

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// String contains all parameters of a method, and the zero value has the defaults that its comment names.
func TestDefaults(t *testing.T) {
	for want, m := range map[string]Method{
		"uPU π=0.3, sigmoid loss":                              UPU{Prior: 0.3},
		"uPU π=0.3, logistic loss":                             UPU{Prior: 0.3, Logistic: true},
		"nnPU π=0.3, β=0, γ=1, sigmoid loss":                   NNPU{Prior: 0.3},
		"nnPU π=0.3, β=0.1, γ=0.2, logistic loss":              NNPU{Prior: 0.3, Beta: 0.1, Gamma: 0.2, Logistic: true},
		"nnPU with mixup α=0.3, π=0.4, β=0, γ=1, sigmoid loss": NNPUMixup{NNPU: NNPU{Prior: 0.4}},
		"nnPU with mixup α=2, π=0.4, β=0, γ=1, sigmoid loss":   NNPUMixup{NNPU: NNPU{Prior: 0.4}, Alpha: 2},
		"vPU α=0.3, weight 0.03":                               VPU{},
		"vPU α=2, weight 0":                                    VPU{Alpha: 2, Weight: -1},
		"Dist-PU π=0.3, μ=0.004, ν=5, γ=0.04, α=6, warm-up 0.5 of the steps with μ₀=0.002": DistPU{Prior: 0.3},
		"Dist-PU π=0.3, μ=1, ν=2, γ=3, α=4, warm-up 0.6 of the steps with μ₀=7":            DistPU{0.3, 1, 2, 3, 4, 0.6, 7},
		"Dist-PU π=0.3, μ=0, ν=0, γ=0, α=6, warm-up 0 of the steps with μ₀=0":              DistPU{0.3, -1, -1, -1, 0, -1, -1},
		"PAN λ=0.0001": PAN{},
		"PAN λ=0":      PAN{Lambda: -1},
		"P3Mix-E α=0.5, γ=0.85, pool 0.1, unlabeled 1, early 2, entropy 0.01, momentum 0.997, " +
			"warm-up 0.125 of the steps": P3Mix{},
		"P3Mix-C α=0.5, γ=0.6, pool 0.1, unlabeled 0.5, early 0, entropy 0.05, momentum 0.997, " +
			"warm-up 0.1 of the steps": P3Mix{Correct: true},
		"P3Mix-E α=1, γ=0.6, pool 0.3, unlabeled 4, early 5, entropy 6, momentum 0.7, " +
			"warm-up 0.8 of the steps": P3Mix{false, 1, 0.6, 0.3, 4, 5, 6, 0.7, 0.8},
		"P3Mix-E α=0.5, γ=0.85, pool 0.1, unlabeled 1, early 0, entropy 0, momentum 0.997, " +
			"warm-up 0 of the steps": P3Mix{Early: -1, Entropy: -1, Warmup: -1},
		"Self-PU π=0.3, α=10, β=0.3, γ=0.0625, paces 0.2 and 0.3, momentum 0.999": SelfPU{Prior: 0.3},
		"Self-PU π=0.3, α=0, β=0, γ=0, paces 0 and 0.4, momentum 0.9":             SelfPU{0.3, -1, -1, -1, -1, 0.4, 0.9},
		"MixPUL α=1, β=1, η=1, margin 0.2, negatives 0.4 of the unlabeled, momentum 0.999, " +
			"warm-up 0.1 of the steps": MixPUL{},
		"MixPUL α=2, β=0, η=0, margin 0.1, negatives 0.3 of the unlabeled, momentum 0.9, warm-up 0 of the steps": MixPUL{2, -1, -1, 0.1, 0.3, 0.9, -1},
		"PULNS 32 selections, rate 0.01, judges 0.2":                                                             PULNS{},
		"PULNS 2 selections, rate 1, judges 0.3":                                                                 PULNS{2, 1, 0.3},
		"LaGAM π=0.3, mixup 1, α=4, contrast 1 at temperature 0.07, 5 groups, 10 neighbors, rate 0.001, memory 0.05 and " +
			"warm-up 0.05 of the steps, judges 0.2": LaGAM{Prior: 0.3},
		"LaGAM π=0.3, mixup 0, α=2, contrast 0 at temperature 0.5, 3 groups, 0 neighbors, rate 0.1, memory 0.2 and " +
			"warm-up 0 of the steps, judges 0.1": LaGAM{0.3, -1, 2, -1, 0.5, 3, -1, 0.1, 0.2, -1, 0.1},
		"NcPU align 5, entropy 0.5, τ=0.5, momentum 0.99, memory 5 and warm-up 0.5 of the steps": NcPU{},
		"NcPU align 0, entropy 0, τ=0.7, momentum 0.9, memory 2 and warm-up 0 of the steps":      NcPU{-1, -1, 0.7, 0.9, 2, -1},
	} {
		got := m.String()
		expect.That(t, got == want, "%s, want %s", got, want)
	}
}

// firstLosses are the first losses of every method in TestFirstLossesAndResume, after its warm-up, and its version.
// They change together.
var firstLosses = map[string]frozen{
	"uPU":             {1, []float64{0.403441, 0.377981, 0.362758, 0.346656, 0.33932, 0.319477, 0.31623}},
	"nnPU":            {1, []float64{0.403441, 0.377981, 0.362758, 0.346656, 0.33932, 0.319477, 0.31623}},
	"nnPU, corrected": {1, []float64{0.464264, 0.469863, 0.47812, 0.497695, 0.478438, 0.473372, 0.472823}},
	"nnPU with mixup": {1, []float64{0.412539, 0.377293, 0.362079, 0.35417, 0.344449, 0.335707, 0.318043}},
	"vPU":             {1, []float64{-0.252065, -0.317574, -0.384316, -0.388524, -0.404674, -0.431406, -0.45242}},
	"Dist-PU":         {2, []float64{0.669014, 0.631413, 0.584481, 0.539195, 0.50346, 3.84382, 3.81568}},
	"PAN":             {1, []float64{1.68874, 1.67803, 1.67474, 1.51813, 1.50581, 1.54907, 1.42586}},
	"P3Mix-E":         {4, []float64{-0.420023, -0.35467, -0.177597, -0.348787, -0.370017, -0.319003, -0.418617}},
	"P3Mix-C":         {3, []float64{1.03653, 1.0031, 0.998227, 0.969973, 0.947269, 0.952336, 0.911101}},
	"PULNS":           {2, []float64{1.26279, 1.13994, 1.02638, 0.931376, 0.923428, 0.884639, 0.835917}},
	"LaGAM":           {3, []float64{6.58943, 14.8139, 12.7852, 11.4287, 11.3312, 11.5056, 11.6409}},
	"NcPU":            {2, []float64{11.1462, 11.4149, 10.12, 9.18273, 8.69502, 9.89106, 9.48381}},
	"MixPUL":          {1, []float64{0.754814, 0.665409, 0.623793, 0.548378, 0.579302, 0.569809, 0.501888}},
	"Self-PU":         {2, []float64{0.954466, 1.12401, 1.14213, 1.26834, 1.16251, 1.10621, 1.10905}},
}

// frozen holds the losses of a version of a method.
type frozen struct {
	version int
	losses  []float64
}

// atPlaces finds places by rank, and never out of range, even for NaN values, which all have the place 0.
func TestPlacesLieInside(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		x    []float64
		want []int32
	}{{[]float64{3, 1, 2, 1}, []int32{1, 3, 2, 0}}, {[]float64{nan, nan, nan, nan}, []int32{3, 0, 0, 0}}} {
		out := expect.Must(ExecOnce(enginetest.Open(t).Backend,
			func(x, places *Node) *Node { return atPlaces(rank(x), places) },
			tt.x, []int32{0, 1, 2, 3}))(t)
		expect.Equal(t, out.Value().([]int32), tt.want, "%v: places ", tt.x)
	}
}

// The value stored for every example is its logit after the last epoch, or after the step that ends the warm-up.
func TestRemembersPredictionsWhenTheyAreDue(t *testing.T) {
	eng, data, config := enginetest.Open(t), mixture(20, 220, 1), quick(DistPU{Prior: 0.5}, 10)
	trained := must(t, eng, data, config)
	want := expect.Must(trained.Network.Score(eng, data.Examples))(t)
	r := dealt(t, data, config)
	r.network = trained.Network
	r.scorer = expect.Must(r.network.newScorer(eng, ofLogits))(t)
	defer r.scorer.exec.Finalize()
	v := r.memory(r.network.store.RootScope(), "logits")
	for done := 1; done <= 10; done++ { // an epoch has 4 steps, and the warm-up ends after 5
		expect.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(make([]float32, 220), 220)))
		expect.NoError(t, r.plan.between(r, done))
		value := expect.Must(v.Value())(t)
		logits := tensors.MustCopyFlatData[float32](value)
		due := done == 4 || done == 5 || done == 8
		for i, logit := range logits {
			if due && float64(logit) != want[i] || !due && logit != 0 {
				t.Errorf("after %d steps example %d has the logit %g, and the network gives %g", done, i, logit, want[i])
				break
			}
		}
	}
}

// mixPUL computes the loss of MixPUL in loops, with two of five unlabeled rows as negatives.
func mixPUL(m MixPUL, n numbers) float64 {
	const count = 2
	order := []int32{3, 4, 5, 6, 7} // of unlabeled rows
	if n.now[0] == 1 {
		slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(n.other[a], n.other[b]) })
	}
	loss := 0.0
	for i, t := range n.mixed {
		row, drawn := int32(i), n.partner[i]
		negative := slices.Contains(order[:count], row)
		mix := func(of func(row int32) float64, partner int32) float64 {
			return n.lambda[i]*of(row) + (1-n.lambda[i])*of(partner)
		}
		if i >= somePositives && !negative {
			partner := somePositives + drawn*(someRows-somePositives)/someRows
			miss := sigma(t) - mix(func(row int32) float64 { return sigma(n.other[row]) }, partner)
			loss += n.now[0] * m.Consistency * miss * miss / (someRows - somePositives - count)
			continue
		}
		partner := 2 * drawn * somePositives / someRows
		if 2*drawn >= someRows {
			partner = order[(2*drawn-someRows)*count/someRows]
		}
		y := mix(func(row int32) float64 {
			if row < somePositives {
				return 1
			}
			return 0
		}, partner)
		size := 2. * somePositives
		if negative {
			size = 2 * count
		}
		loss -= (y*math.Log(sigma(t)) + (1-y)*math.Log(1-sigma(t))) / size
	}
	return loss + m.Ranking*max(0, m.Margin-mean(n.logits[:somePositives], sigma)+mean(n.logits[somePositives:], sigma))
}

// The loss of MixPUL must equal its formula in loops, before and after its warm-up, and its gradient the finite
// differences.
func TestMixPULLossAgainstLoops(t *testing.T) {
	for name, m := range map[string]MixPUL{
		"after the warm-up": {Consistency: 1.3, Ranking: 0.7, Margin: 0.9},
		"ranked well":       {Margin: 1e-9, Warmup: 0.5},
		"warming up":        {Consistency: 1.3, Ranking: 0.7, Margin: 0.5, Warmup: 0.9},
		"alone":             {Consistency: -1, Ranking: -1},
	} {
		t.Run(name, func(t *testing.T) {
			n, all := draw(m, 0), m.withDefaults()
			value, grad := lossOf(t, m, n)
			vectortest.Near(t, "loss", value, mixPUL(all, n), 1e-12)
			want := slope(func(x []float64) float64 {
				at := n.with(x)
				at.other = n.other // the teacher
				return mixPUL(all, at)
			}, n.variables())
			vectortest.NearGradient(t, "loss", [][]float64{grad}, [][]float64{want}, 1e-6, 0)
		})
	}
}

// After the warm-up, if the teacher is unsure of an unlabeled example, its partner is one of the positives nearest to
// the boundary; all others keep the drawn partner.
func TestP3MixChoosesPartnersNearTheBoundary(t *testing.T) {
	m := P3Mix{Pool: 0.5}.withDefaults() // 2 of 4 positives: rows 3 and 1, by the size of their logits
	teacher := []float64{4, -0.5, 3, 0.2, 0, -5, 1.5, 2}
	drawn := []int32{0, 7, 2, 5, 1, 4, 6, 6} // of 8 rows: the first four select the nearest positive, the others the next one
	for later, want := range map[float64][]int32{
		0: drawn,
		1: {0, 7, 2, 5, 3, 4, 1, 6}, // σ(2) is above 0.85, and σ(−5) below 0.15
	} {
		out := expect.Must(ExecOnce(enginetest.Open(t).Backend, func(teacher, drawn, later *Node) *Node {
			return m.partners(batch{positives: 4, other: teacher, partner: drawn, now: later})
		}, teacher, drawn, []float64{later}))(t)
		expect.Equal(t, out.Value().([]int32), want, "later %g: partners ", later)
	}
}

// Equal distances from the boundary have an order, so that every place of the pool has one positive.
func TestP3MixPoolOfEqualDistances(t *testing.T) {
	m := P3Mix{Pool: 1}.withDefaults()
	out := expect.Must(ExecOnce(enginetest.Open(t).Backend, func(teacher, drawn *Node) *Node {
		return m.partners(batch{positives: 3, other: teacher, partner: drawn, now: OnesLike(Slice(teacher, AxisElem(0)))})
	}, []float64{1, 1, -1, 0, 0, 0}, []int32{0, 0, 0, 0, 2, 4}))(t)
	got := out.Value().([]int32)
	expect.That(t, slices.Equal(got, []int32{0, 0, 0, 0, 1, 2}), "partners %d", got)
}

// Losses and gradients must equal the results of the PyTorch code that peers/step.py times; peers/train_baselines.py
// wrote the file.
func TestLossesOfPyTorch(t *testing.T) {
	var cases []struct {
		Method                     string
		Prior, Beta, Gamma, Mu     float64
		Logits, Before, Mixed, Lam []float64
		Partner                    []int32
		Loss                       float64
		Slope                      []float64
		SlopeMixed                 []float64 `json:"slope_mixed"`
	}
	vectortest.ReadJSON(t, filepath.Join("testdata", "torch.json"), &cases)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d %s", i, c.Method), func(t *testing.T) {
			var m Method = NNPU{Prior: c.Prior, Beta: c.Beta, Gamma: c.Gamma}
			n := numbers{logits: c.Logits, other: c.Before}
			if c.Method == "Dist-PU" {
				m = DistPU{Prior: c.Prior}
				n.mixed, n.partner, n.lambda, n.now = c.Mixed, c.Partner, c.Lam, []float64{c.Mu, 1}
			}
			loss, slope := lossOf(t, m, n)
			vectortest.Near(t, "loss", loss, c.Loss, 1e-12)
			want := append(append(c.Slope, make([]float64, len(n.other))...), c.SlopeMixed[:len(n.mixed)]...)
			for i := range slope {
				vectortest.Near(t, fmt.Sprintf("slope %d", i), slope[i], want[i], 1e-12)
			}
		})
	}
}
