package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/pucl/risk"
)

// stripes are 12×12 images of two classes, horizontal and vertical stripes with noise; the first examples of each batch are
// labeled positives (horizontal).
type stripes struct{ size, labeled int }

func (s stripes) ImageShape() (height, width, channels int) { return 12, 12, 1 }

func (s stripes) String() string { return "stripes" }

func (s stripes) Batch(step int) (pixels []uint8, labeled []bool) {
	rng := rand.New(rand.NewPCG(3, uint64(step)))
	labeled = make([]bool, s.size)
	for i := range s.size {
		labeled[i] = i < s.labeled
		pixels = append(pixels, stripe(rng, labeled[i] || i%2 == 0)...)
	}
	return pixels, labeled
}

func stripe(rng *rand.Rand, horizontal bool) []uint8 {
	pixels := make([]uint8, 12*12)
	phase := rng.IntN(4)
	for y := range 12 {
		for x := range 12 {
			at := x
			if horizontal {
				at = y
			}
			value := 40 + rng.IntN(30)
			if (at+phase)/2%2 == 0 {
				value += 150
			}
			pixels[y*12+x] = uint8(value)
		}
	}
	return pixels
}

// tiny is an encoder that trains in a moment on any engine.
var tiny = encoder.SmallCNN{Width: 2, Dim: 8}

func quick(steps int) Config {
	return Config{Steps: steps, Encoder: tiny, Projection: 4, LearningRate: 0.01, Seed: 5}
}

func TestPretrainLearns(t *testing.T) {
	eng := enginetest.Open(t)
	var seen []Progress
	config := quick(30)
	config.Observer = OnStep(func(p Progress) { seen = append(seen, p) })
	m, err := Pretrain(context.Background(), eng, stripes{16, 4}, config)
	if err != nil {
		t.Fatal(err)
	}
	mean := func(x []float64) (sum float64) {
		for _, v := range x {
			sum += v / float64(len(x))
		}
		return sum
	}
	if first, last := mean(m.History.Losses[:5]), mean(m.History.Losses[25:]); last > first-0.2 {
		t.Errorf("the loss went from %.3f to %.3f, which is no learning", first, last)
	}
	if len(seen) != 30 || seen[29].Step != 30 || seen[29].Views != 30*32 || seen[29].Loss != m.History.Losses[29] {
		t.Errorf("progress ended with %+v after %d calls", seen[len(seen)-1], len(seen))
	}
	for _, want := range []string{"PUCL", "seed 5", "30 steps", "width 2", "0.08–1"} {
		if !strings.Contains(m.Record.Settings, want) {
			t.Errorf("the record's settings %q lack %q", m.Record.Settings, want)
		}
	}
	if m.Record.Data != "images 12×12×1, stripes" || m.Record.Engine != eng.Name() {
		t.Errorf("the record tells of data %q and engine %q", m.Record.Data, m.Record.Engine)
	}
}

// weightsOf copies all variables of a model.
func weightsOf(t *testing.T, m *Model) map[string]any {
	t.Helper()
	all := map[string]any{}
	for v := range m.store.IterVariables() {
		value, err := v.Value()
		if err != nil {
			t.Fatal(err)
		}
		all[v.Path()] = value.Value()
	}
	return all
}

// A run that is stopped and resumed must end in the very same numbers as one that is not.
func TestResumeIsExact(t *testing.T) {
	eng := enginetest.Open(t)
	batches := stripes{8, 2}
	whole, err := Pretrain(context.Background(), eng, batches, quick(8))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	config := quick(8)
	config.Checkpoint = filepath.Join(t.TempDir(), "run")
	config.Observer = OnStep(func(p Progress) {
		if p.Step == 3 {
			stop()
		}
	})
	if _, err := Pretrain(ctx, eng, batches, config); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "3 of 8") {
		t.Fatalf("a stopped run returned %v", err)
	}
	config.Observer = nil
	resumed, err := Pretrain(context.Background(), eng, batches, config)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(resumed.History.Losses, whole.History.Losses) {
		t.Errorf("losses of the resumed run %v, of the whole run %v", resumed.History.Losses, whole.History.Losses)
	}
	a, b := weightsOf(t, whole), weightsOf(t, resumed)
	if len(a) != len(b) || len(a) == 0 {
		t.Fatalf("%d and %d variables", len(a), len(b))
	}
	for path := range a {
		if !equalValues(a[path], b[path]) {
			t.Errorf("%s differs after resuming", path)
		}
	}
	// A finished run is not trained again, and another configuration is refused.
	config.Observer = OnStep(func(Progress) { t.Error("a finished run was trained on") })
	if _, err := Pretrain(context.Background(), eng, batches, config); err != nil {
		t.Error(err)
	}
	config.Seed++
	if _, err := Pretrain(context.Background(), eng, batches, config); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("the checkpoint of another seed was taken: %v", err)
	}
	// Nor is that of a loss that was changed under its old name.
	config.Seed--
	config.Objective = pucl.Objective{Name: pucl.PUCL().Name, Attract: pucl.Scale(0.5, pucl.PUCL().Attract), Repel: LogPartition}
	if _, err := Pretrain(context.Background(), eng, batches, config); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("the checkpoint of another loss was taken: %v", err)
	}
	config.Objective = pucl.Objective{}
	if err := os.WriteFile(filepath.Join(config.Checkpoint, checkpointFile), []byte("scrap"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Pretrain(context.Background(), eng, batches, config); err == nil || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("a broken checkpoint gave %v", err)
	}
}

// equalValues compares float32 values of any rank bit for bit.
func equalValues(a, b any) bool {
	switch a := a.(type) {
	case float32:
		return a == b.(float32)
	case []float32:
		return slices.Equal(a, b.([]float32))
	case [][]float32:
		return slices.EqualFunc(a, b.([][]float32), slices.Equal[[]float32])
	case [][][][]float32:
		return slices.EqualFunc(a, b.([][][][]float32), func(x, y [][][]float32) bool {
			return slices.EqualFunc(x, y, func(x, y [][]float32) bool { return slices.EqualFunc(x, y, slices.Equal[[]float32]) })
		})
	}
	return false
}

func TestSeedsMatter(t *testing.T) {
	eng := enginetest.Open(t)
	run := func(seed uint64) []float64 {
		config := quick(2)
		config.Seed = seed
		m, err := Pretrain(context.Background(), eng, stripes{8, 2}, config)
		if err != nil {
			t.Fatal(err)
		}
		return m.History.Losses
	}
	a, again, b := run(1), run(1), run(2)
	if !slices.Equal(a, again) {
		t.Errorf("one seed gave %v and %v", a, again)
	}
	if slices.Equal(a, b) {
		t.Errorf("two seeds gave the same losses %v", a)
	}
}

type brokenBatches struct{ stripes }

func (b brokenBatches) Batch(step int) ([]uint8, []bool) {
	pixels, labeled := b.stripes.Batch(step)
	return pixels[1:], labeled
}

func TestPretrainRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	for _, tt := range []struct {
		name    string
		batches Batches
		bend    func(*Config)
		want    string
	}{
		{"temperature", stripes{8, 2}, func(c *Config) { c.Tau = -1 }, "temperature"},
		{"steps", stripes{8, 2}, func(c *Config) { c.Steps = -1 }, "negative"},
		{"crop", stripes{8, 2}, func(c *Config) { c.Augment.MinArea = 2 }, "area"},
		{"pixels", brokenBatches{stripes{8, 2}}, func(*Config) {}, "1151 bytes"},
		{"graph error", stripes{8, 2}, func(c *Config) { c.Objective = pucl.Objective{Name: "half", Attract: OwnViews} }, "lacks a term"},
		{"endless temperature", stripes{8, 2}, func(c *Config) { c.Tau = math.Inf(1) }, "temperature"},
		{"rate", stripes{8, 2}, func(c *Config) { c.LearningRate = math.NaN() }, "learning rate NaN"},
		{"blow-up", stripes{8, 2}, func(c *Config) {
			c.Objective = pucl.Objective{Name: "beyond float32", Attract: pucl.Scale(1e30, pucl.Scale(1e30, pucl.OwnViews)), Repel: LogPartition}
		}, "learning rate"},
	} {
		config := quick(3)
		tt.bend(&config)
		if _, err := Pretrain(context.Background(), eng, tt.batches, config); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v lacks %q", tt.name, err, tt.want)
		}
	}
}

func TestNoEngineIsRefused(t *testing.T) {
	if _, err := Pretrain(context.Background(), nil, stripes{8, 2}, quick(1)); err == nil || !strings.Contains(err.Error(), "engine.Open") {
		t.Errorf("no engine gave %v", err)
	}
}

func TestLearningRateWarmsUpAndCools(t *testing.T) {
	c := Config{Steps: 110, Warmup: 10, LearningRate: 2}
	for step, want := range map[int]float64{0: 0.2, 9: 2, 10: 2, 60: 1, 109: 1 + math.Cos(math.Pi*0.99)} {
		near(t, "rate", c.rate(step), want, 1e-12)
	}
}

// The whole of Algorithm 1 on the two kinds of stripes, saved and loaded again.
func TestAlgorithm1EndToEnd(t *testing.T) {
	eng := enginetest.Open(t)
	config := quick(60)
	config.Encoder = encoder.SmallCNN{Width: 4, Dim: 16}
	m, err := Pretrain(context.Background(), eng, stripes{32, 8}, config)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(77, 1))
	var pixels []uint8
	truth, isLabeled := make([]bool, 600), make([]bool, 600) // more than one call of the encoder
	for i := range truth {
		truth[i], isLabeled[i] = i < 40 || i%2 == 0, i < 40
		pixels = append(pixels, stripe(rng, truth[i])...)
	}
	e, err := m.Embed(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	h := UnitRows(e.H)
	labeled, unlabeled, err := Rows(h, isLabeled)
	if err != nil {
		t.Fatal(err)
	}
	clusters, err := PUPL(labeled, unlabeled, rng)
	if err != nil {
		t.Fatal(err)
	}
	clusters.Orient()
	pseudo := append(slices.Clone(isLabeled[:40]), clusters.Labels...)
	probe, err := FitProbe(eng, h, pseudo, risk.CrossEntropy, ProbeConfig{BatchSize: 128})
	if err != nil {
		t.Fatal(err)
	}
	c := &Classifier{Model: m, Probe: probe, Clusters: clusters}
	path := filepath.Join(t.TempDir(), "deep", "stripes.classifier")
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadClassifier(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	before, err := c.Probabilities(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	after, err := loaded.Probabilities(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(before, after) {
		t.Error("the loaded classifier predicts something else")
	}
	if loaded.Model.Record.Settings != m.Record.Settings || !slices.Equal(loaded.Model.History.Losses, m.History.Losses) ||
		!slices.Equal(loaded.Clusters.Positive, clusters.Positive) || loaded.Clusters.Potential != clusters.Potential {
		t.Error("record, losses or clusters did not come back")
	}
	predicted := make([]bool, len(after))
	for i, p := range after {
		predicted[i] = p > 0.5
	}
	score, err := Evaluate(predicted, truth)
	if err != nil {
		t.Fatal(err)
	}
	if score.Accuracy < 0.95 {
		t.Errorf("stripes are told apart in %s; this should be easy", score)
	}
}

func TestLoadingRefusesWhatDoesNotFit(t *testing.T) {
	eng := enginetest.Open(t)
	m, err := Pretrain(context.Background(), eng, stripes{8, 2}, quick(1))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadModel(path, &tiny2{}); err == nil || !strings.Contains(err.Error(), "trained with the encoder") {
		t.Errorf("another encoder type was taken: %v", err)
	}
	wider := tiny
	wider.Dim++
	if _, err := LoadModel(path, wider); err == nil || !strings.Contains(err.Error(), "trained with the encoder") {
		t.Errorf("an encoder of another size was taken: %v", err)
	}
	if _, err := LoadModel(path, tiny); err != nil {
		t.Errorf("the encoder it was trained with is refused: %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadModel(path, nil); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("half a file gave %v", err)
	}
	if _, err := m.Embed(eng, make([]uint8, 100)); err == nil || !strings.Contains(err.Error(), "100 bytes") {
		t.Errorf("100 bytes of pixels gave %v", err)
	}
	if err := os.WriteFile(path, []byte("scrap"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadModel(path, nil); err == nil || !strings.Contains(err.Error(), "no model of this program") {
		t.Errorf("scrap gave %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.part")); err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v %v", left, err)
	}
}

type tiny2 struct{ encoder.SmallCNN }
