package train

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/optim"
)

func TestPretrainLearns(t *testing.T) {
	eng := enginetest.Open(t)
	var seen []Progress
	config := paper(30)
	config.Observer = OnStep(func(p Progress) { seen = append(seen, p) })
	m := expect.Must(Pretrain(context.Background(), eng, stripes{16, 4}, config))(t)
	mean := func(x []float64) (sum float64) {
		for _, v := range x {
			sum += v / float64(len(x))
		}
		return sum
	}
	if first, last := mean(m.History.Losses[:5]), mean(m.History.Losses[25:]); last > first-0.2 {
		t.Errorf("the loss went from %.3f to %.3f, which is no learning", first, last)
	}
	expect.That(t, len(seen) == 30 && seen[29].Step == 30 && seen[29].Views == 30*32 &&
		seen[29].Loss == m.History.Losses[29], "progress ended with %+v after %d calls", seen[len(seen)-1], len(seen))
	for _, want := range []string{"PUCL", "seed 5", "30 steps", "width 2", "0.08–1"} {
		expect.That(t, strings.Contains(m.Record.Settings, want),
			"the record's settings %q lack %q", m.Record.Settings, want)
	}
	if m.Record.Data != "images 12×12×1, stripes" || !reflect.DeepEqual(m.Record.Environment, eng.Environment()) || m.Record.Earlier != nil {
		t.Errorf("the record names data %q and the environments %+v, %+v", m.Record.Data, m.Record.Environment, m.Record.Earlier)
	}
}

func TestSeedsMatter(t *testing.T) {
	eng := enginetest.Open(t)
	run := func(seed uint64) []float64 {
		config := quick(2)
		config.Seed = seed
		m := expect.Must(Pretrain(context.Background(), eng, stripes{8, 2}, config))(t)
		return m.History.Losses
	}
	a, again, b := run(1), run(1), run(2)
	expect.That(t, slices.Equal(a, again), "one seed gave %v and %v", a, again)
	expect.That(t, !slices.Equal(a, b), "two seeds gave the same losses %v", a)
}

// The learning rate rises over the warm-up and falls as half a cosine, as the history keeps it.
func TestLearningRateWarmsUpAndCools(t *testing.T) {
	config := quick(110)
	config.Schedule, config.LearningRate = optim.Cosine{Warmup: 10}, 2e-3
	m := expect.Must(Pretrain(context.Background(), enginetest.Open(t), stripes{4, 1}, config))(t)
	for step, want := range map[int]float64{0: 0.2, 9: 2, 10: 2, 60: 1, 109: 2.4671981713420003e-4 * 2} {
		near(t, "rate", m.History.Rates[step]*1e3, want, 1e-12)
	}
}

// An MLP trains on images too, and comes back from a file.
func TestMLPOnImages(t *testing.T) {
	eng := enginetest.Open(t)
	config := quick(3)
	config.Encoder = encoder.MLP{Hidden: []int{16}, Dim: 8}
	m := expect.Must(Pretrain(context.Background(), eng, stripes{8, 2}, config))(t)
	path := filepath.Join(t.TempDir(), "m")
	expect.NoError(t, m.Save(path))
	loaded := expect.Must(LoadModel(path, nil))(t)
	pixels := stripe(rand.New(rand.NewPCG(1, 1)), true)
	before := expect.Must(m.Embed(eng, pixels))(t)
	after := expect.Must(loaded.Embed(eng, pixels))(t)
	expect.That(t, mat.Equal(before.Z, after.Z), "the loaded model embeds differently")
}

// The losses that training on images gave when this list was made, on XLA; other engines and processors round otherwise.
func TestPretrainOnImagesStaysTheSame(t *testing.T) {
	want := []float64{3.633472204208374, 3.6894688606262207, 3.6985981464385986, 3.7834413051605225, 3.5160808563232422,
		3.659182071685791}
	m := expect.Must(Pretrain(context.Background(), enginetest.Open(t), stripes{16, 4}, paper(12)))(t)
	for step, loss := range want {
		near(t, "loss", m.History.Losses[step], loss, 1e-4)
	}
	settings := "PUCL, τ 0.5, 12 steps, Adam, rate up to 0.01, " + optim.Cosine{}.String() + "; views: crops of 0.08–1 of the area, " +
		"ratio up to 1.33, brightness ±0.4, contrast ±0.4, jitter probability 0.8; encoder: SmallCNN width 2, 8-d (pixels − 0.286)/0.353; " +
		"projection 4-d; seed 5"
	expect.That(t, m.Record.Settings == settings, "settings %q, want %q", m.Record.Settings, settings)
}
