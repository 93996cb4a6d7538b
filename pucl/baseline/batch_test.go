package baseline

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// A deck deals every example once before it repeats one, each time in another order, and the same from any position.
func TestDeckDealsEveryExample(t *testing.T) {
	examples := []int{3, 5, 8, 9, 11}
	d := deck{examples: examples, seed: 4}
	all := d.deal(0, 15)
	for round := range 3 {
		dealt := all[5*round : 5*round+5]
		sorted := slices.Sorted(slices.Values(dealt))
		expect.That(t, slices.Equal(sorted, examples), "round %d deals %v", round, dealt)
		expect.That(t, round <= 0 || !slices.Equal(dealt, all[:5]), "two rounds have one order")
	}
	for first := range 12 {
		if again := d.deal(first, 3); !slices.Equal(again, all[first:first+3]) {
			t.Errorf("from place %d on it deals %v, then %v", first, all[first:first+3], again)
		}
	}
}

// Batches hold labeled positives and then unlabeled examples, which with SingleDataset include labeled ones.
func TestBatchesHoldBothKinds(t *testing.T) {
	for _, single := range []bool{false, true} {
		data := mixture(3, 13, 1)
		data.SingleDataset = single
		positive, unlabeled := expect.Must2(data.pools())(t)
		want := rows.All(13)[3:]
		if single {
			want = rows.All(13)
		}
		expect.That(t, slices.Equal(positive, []int{0, 1, 2}) && slices.Equal(unlabeled, want),
			"single data set %v: positives %v, unlabeled %v", single, positive, unlabeled)
	}
}

// Partners are of the kind that a pairing defines, and every one of them occurs.
func TestPairings(t *testing.T) {
	const positives, n = 3, 8
	rng := rand.New(rand.NewPCG(1, 1))
	for _, tt := range []struct {
		pairing
		rows, first, ofPositives, ofUnlabeled int // first mixed row; possible partners of a row, in bits
	}{
		{withinKind, 8, 0, 0b00000111, 0b11111000},
		{withAny, 8, 0, 0b11111111, 0b11111111},
		{unlabeledWithPositive, 5, 3, 0, 0b00000111},
	} {
		var seen [n]int
		for range 300 {
			partner := tt.draw(rng, positives, n)
			expect.Require(t, len(partner) == tt.rows, "pairing %d: %d partners", tt.pairing, len(partner))
			for i, p := range partner {
				seen[tt.first+i] |= 1 << p
			}
		}
		for row, partners := range seen {
			want := tt.ofUnlabeled
			if row < positives {
				want = tt.ofPositives
			}
			expect.That(t, partners == want, "pairing %d: row %d has the partners %b, want %b", tt.pairing, row, partners, want)
		}
	}
}

// Weights have the mean and the variance of Beta(α, α), ½ and 1/(4(2α+1)), and exceed ½ if mixing.own is set.
func TestMixingWeights(t *testing.T) {
	const count = 40_000
	for _, alpha := range []float64{0.3, 1, 6} {
		rng := rand.New(rand.NewPCG(1, 1))
		sum, squares := 0.0, 0.0
		for _, w := range (mixing{alpha: alpha}).weights(rng, count) {
			expect.Require(t, w > 0 && w < 1, "weight %g", w)
			sum += float64(w)
			squares += float64(w) * float64(w)
		}
		mean, variance := sum/count, squares/count-sum/count*sum/count
		if want := 1 / (4 * (2*alpha + 1)); math.Abs(mean-0.5) > 5*math.Sqrt(want/count) || math.Abs(variance/want-1) > 0.05 {
			t.Errorf("α = %g: mean %g, variance %g, want ½ and %g", alpha, mean, variance, want)
		}
		least := slices.Min((mixing{alpha: alpha, own: true}).weights(rng, count))
		expect.That(t, least >= 0.5, "α = %g: a row has the weight %g", alpha, least)
	}
}

// patterns returns n images of 8×8 pixels: the first positives are bright in the upper half, the others in the lower
// half, and all are noisy.
func patterns(n, positives int) Images {
	rng := rand.New(rand.NewPCG(3, 3))
	pixels := make([]uint8, n*64)
	for i := range pixels {
		pixels[i] = uint8(rng.IntN(100))
		if above := i%64 < 32; above == (i/64 < positives) {
			pixels[i] += 120
		}
	}
	return Images{pixels, augment.Shape{Height: 8, Width: 8, Channels: 1}}
}

// Training on images works as on rows, with new views and mixing, and all of these inputs are in the batch of a step.
func TestImages(t *testing.T) {
	eng := enginetest.Open(t)
	data := Data{Examples: patterns(120, 70), Labeled: firstAre(20, 120)}
	config := quick(VPU{}, 40)
	config.Encoder, config.Recipe = encoder.MLP{Hidden: []int{}, Dim: 8}, augment.Recipe{augment.Flip{}}
	r := must(t, eng, data, config)
	scores, err := r.Network.Score(eng, data.Examples)
	if err != nil || share(scores, 70) < 0.95 {
		t.Errorf("%v; accuracy %g", err, share(scores, 70))
	}
	alone, err := r.Network.Score(eng, Images{data.Examples.(Images).Pixels[:64], data.Examples.(Images).Shape})
	expect.That(t, err == nil && math.Abs(alone[0]-scores[0]) <= 1e-4,
		"%v; by itself an image has the score %g, among others %g", err, alone, scores[0])
	// Black images carry no information: all logits are the same, and so log E_U[Φ] = E_P[log Φ].
	black := quick(VPU{Weight: -1}, 3)
	black.Recipe = augment.Recipe{augment.Func{Name: "black", Graph: func(x, _ *Node) *Node { return ZerosLike(x) }}}
	for _, loss := range must(t, eng, data, black).History.Losses {
		expect.That(t, math.Abs(loss) <= 1e-5, "the loss of black images is %g", loss)
	}
	one := &run{data: data, config: config.withDefaults(data.Examples), plan: config.Method.plan()}
	one.positive, one.unlabeled = deck{examples: rows.All(20)}, deck{examples: rows.All(120)[20:]}
	batch := expect.Must(one.batch(3))(t)
	again, err := one.batch(3)
	expect.Require(t, err == nil && batch.Examples == 96 && len(batch.Inputs) == 4,
		"%d examples, %d inputs, %v", batch.Examples, len(batch.Inputs), err)
	for i, x := range batch.Inputs {
		expect.That(t, x.Equal(again.Inputs[i]), "input %d of one step differs", i)
	}
	pixels := tensors.MustCopyFlatData[uint8](batch.Inputs[0])
	first := one.positive.deal(3*32, 1)[0]
	expect.That(t, slices.Equal(pixels[:64], data.Examples.(Images).Pixels[first*64:first*64+64]),
		"the first image of a batch is not the positive that was dealt")
}

// The record contains all settings, including defaults.
func TestRecordTellsDefaults(t *testing.T) {
	want := "uPU π=0.3, sigmoid loss, version 1; batches of 64 positives and 192 unlabeled; Adam, rate up to 0.001, warm-up of a twentieth of " +
		"the run from 0 of the peak, cosine to 0 after the last step, 1000 steps; encoder: MLP hidden [256 256], 128-d; seed 0"
	got := (Config{Method: UPU{Prior: 0.3}}).withDefaults(Rows{}).describe()
	expect.That(t, got == want, "got %s\nwant %s", got, want)
	adam := Config{Method: VPU{}, Settings: train.Settings{Optimizer: optim.AdamW{}}}.withDefaults(Images{})
	expect.That(t, adam.Settings.LearningRate == (optim.AdamW{}).PeakRate(),
		"the rate of AdamW is %g", adam.Settings.LearningRate)
}

// The identity of a checkpoint contains digests of the data and of the held-out data.
func TestIdentityTellsDataApart(t *testing.T) {
	identify := func(change func(d *Data, c *Config)) identity {
		data, config := mixture(4, 12, 1), quick(VPU{}, 4)
		config.Settings.Checkpoint = "somewhere"
		config.HeldOut, config.Test = HeldOut{Data: mixture(2, 9, 2)}, points(5, 2, 3)
		change(&data, &config)
		return (&run{data: data, config: config.withDefaults(data.Examples)}).identity()
	}
	same := identify(func(*Data, *Config) {})
	for name, change := range map[string]func(d *Data, c *Config){
		"a feature":        func(d *Data, _ *Config) { d.Examples.(Rows).X.Set(0, 0, 9) },
		"a label":          func(d *Data, _ *Config) { d.Labeled[7] = true },
		"the view":         func(d *Data, _ *Config) { d.SingleDataset = true },
		"held out":         func(_ *Data, c *Config) { c.HeldOut.Prior = 0.3 },
		"a held-out label": func(_ *Data, c *Config) { c.HeldOut.Data.Labeled[7] = true },
		"test":             func(_ *Data, c *Config) { c.Test.(Rows).X.Set(0, 0, 9) },
		"the method":       func(_ *Data, c *Config) { c.Method = VPU{Alpha: 1} },
		"the encoder":      func(_ *Data, c *Config) { c.Encoder = encoder.MLP{} },
		"sizes":            func(_ *Data, c *Config) { c.Positives++ },
	} {
		expect.That(t, identify(change) != same, "%s does not matter", name)
	}
	expect.That(t, identify(func(_ *Data, c *Config) { c.Settings = train.Settings{} }).Data == "",
		"without a checkpoint the data are read for nothing")
}
