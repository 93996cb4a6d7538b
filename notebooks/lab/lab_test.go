package lab

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/container"
	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/internal/peaktest"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/viz"
)

func bench(t *testing.T) *Bench {
	t.Helper()
	t.Setenv("PUCL_HOME", t.TempDir())
	b, err := Open("test")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestValuesComeBack(t *testing.T) {
	b := bench(t)
	e := &train.Embedding{H: mat.NewDense(2, 2, []float64{1, 2, 3, 4}), Z: mat.NewDense(2, 1, []float64{5, 6})}
	if err := Save(b, "embedding", e); err != nil {
		t.Fatal(err)
	}
	got, err := Load[*train.Embedding](b, "embedding")
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got.H, e.H) || !mat.Equal(got.Z, e.Z) {
		t.Errorf("saved %v, loaded %v", e, got)
	}
	if err := Save(b, "scores", map[string]evaluate.Confusion{"PUCL": {TruePositive: 9, FalseNegative: 1}}); err != nil {
		t.Fatal(err)
	}
	scores, err := Load[map[string]evaluate.Confusion](b, "scores")
	if err != nil || scores["PUCL"].Accuracy() != 0.9 {
		t.Errorf("scores %v, %v", scores, err)
	}
	if left, err := filepath.Glob(b.Path("*.part")); err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v %v", left, err)
	}
}

// A value that is not what was saved is refused with the cure, and so is one that an earlier program left under its name.
func TestDamagedValues(t *testing.T) {
	b := bench(t)
	if err := Save(b, "scores", []float64{0.5, 0.25}); err != nil {
		t.Fatal(err)
	}
	path := b.Path("scores.value")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer
	if err := gob.NewEncoder(&plain).Encode([]float64{1}); err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(good)-40] ^= 1
	for want, data := range map[string][]byte{
		"is damaged": flipped, "is cut short": good[:len(good)-1], "was written by an earlier version of this program": plain.Bytes(),
	} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := Load[[]float64](b, "scores"); err == nil || !strings.Contains(err.Error(), "lab: "+path+" "+want) ||
			!strings.Contains(err.Error(), "run the cell again that makes it") {
			t.Errorf("%s: %v, %v", want, got, err)
		}
	}
}

// A value whose map says that it has far more entries than there are bytes is refused, and takes no memory for them.
func TestForgedValueTakesNoMemory(t *testing.T) {
	peaktest.Skip(t)
	const variable = "PUCL_TEST_FORGED_VALUE"
	if os.Getenv(variable) == "" {
		if took := peaktest.OfChild(t, variable, "a map"); took > 8<<20 {
			t.Errorf("%d bytes of memory for a value of less than 300", took)
		}
		return
	}
	b := bench(t)
	scores := map[string][]float64{"PUCL": {0.5, 0.25}}
	if err := Save(b, "scores", scores); err != nil {
		t.Fatal(err)
	}
	path := b.Path("scores.value")
	sections, err := valueKind.Read(path, "type", "value")
	if err != nil {
		t.Fatal(err)
	}
	if sections[1], err = damagetest.GobOfManyEntries(scores, "PUCL", 1<<24); err != nil {
		t.Fatal(err)
	}
	file, err := valueKind.Encode(container.Section{Name: "type", Parts: sections[:1]}, container.Section{Name: "value", Parts: sections[1:]})
	if err != nil {
		t.Fatal(err)
	}
	if err := container.Write(path, file); err != nil {
		t.Fatal(err)
	}
	before := peaktest.Forget(t)
	if got, err := Load[map[string][]float64](b, "scores"); err == nil || !strings.Contains(err.Error(), `"scores" does not read as map`) {
		t.Errorf("%v, %v", got, err)
	}
	peaktest.Tell(peaktest.Must(t) - before)
}

// A value is loaded as what it was saved as, though gob would make something else of it.
func TestOtherTypes(t *testing.T) {
	b := bench(t)
	type saved struct{ Train, Test float64 }
	if err := Save(b, "scores", saved{0.9, 0.5}); err != nil {
		t.Fatal(err)
	}
	if got, err := Load[*saved](b, "scores"); err != nil || *got != (saved{0.9, 0.5}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Load[struct{ Test, Other float64 }](b, "scores"); err == nil || !strings.Contains(err.Error(), "Train float64") {
		t.Errorf("%v, %v", got, err)
	}
	if err := Save(b, "row", []float64{1e-300}); err != nil {
		t.Fatal(err)
	}
	if got, err := Load[[]float32](b, "row"); err == nil || !strings.Contains(err.Error(), "saved as ([]float64), not as ([]float32)") {
		t.Errorf("%v, %v", got, err)
	}
}

type noise struct{}

func (noise) ImageShape() (height, width, channels int) { return 8, 8, 1 }
func (noise) Batch(step int) ([]uint8, []bool, error) {
	rng := rand.New(rand.NewPCG(1, uint64(step)))
	pixels := make([]uint8, 4*64)
	for i := range pixels {
		pixels[i] = uint8(rng.IntN(256))
	}
	return pixels, []bool{true, true, false, false}, nil
}

func TestModelsComeBack(t *testing.T) {
	eng := enginetest.Open(t)
	b := bench(t)
	m, err := train.Pretrain(context.Background(), eng, noise{}, train.Config{Steps: 1, Encoder: encoder.SmallCNN{Width: 1, Dim: 2}, Projection: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.SaveModel("m", m); err != nil {
		t.Fatal(err)
	}
	if err := b.SaveClassifier("c", &classify.Classifier{Model: m, Probe: &probe.Probe{Weights: mat.NewDense(1, 2, []float64{1, -1}), Bias: []float64{0.5}}}); err != nil {
		t.Fatal(err)
	}
	again, err := b.Model("m")
	if err != nil {
		t.Fatal(err)
	}
	if again.History.Losses[0] != m.History.Losses[0] {
		t.Error("the model came back with other losses")
	}
	c, err := b.Classifier("c")
	if err != nil {
		t.Fatal(err)
	}
	if p, err := c.Probabilities(eng, make([]uint8, 64)); err != nil || len(p) != 1 || p[0] <= 0 || p[0] >= 1 {
		t.Errorf("probabilities %v, %v", p, err)
	}
}

func TestMissingNamesTellWhatIsThere(t *testing.T) {
	b := bench(t)
	if _, err := Load[int](b, "a"); err == nil || !strings.Contains(err.Error(), "nothing of its kind") {
		t.Errorf("an empty bench said %v", err)
	}
	if err := Save(b, "b", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := Load[int](b, "a"); err == nil || !strings.Contains(err.Error(), `no "a" on the bench, which holds b`) {
		t.Errorf("a missing name said %v", err)
	}
	if _, err := Load[[]string](b, "b"); err == nil || !strings.Contains(err.Error(), "[]string") {
		t.Errorf("the wrong type said %v", err)
	}
	for _, name := range []string{"", "../b", "a/b", ".hidden"} {
		if err := Save(b, name, 1); err == nil {
			t.Errorf("the name %q was taken", name)
		}
	}
	if _, err := b.Model("x"); err == nil {
		t.Error("a missing model came back")
	}
}

func TestOutsideTheModuleTheCacheIsUsed(t *testing.T) {
	t.Setenv("PUCL_HOME", "")
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Chdir(t.TempDir())
	b, err := Open("x")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(filepath.Dir(filepath.Dir(b.Path("f")))) != filepath.Join(want, "pucl") {
		t.Errorf("the bench lies at %s", b.Path(""))
	}
}

func TestSetting(t *testing.T) {
	t.Setenv("PUCL_EPOCHS", "2.5")
	if v, err := Setting("epochs", 1.0); err != nil || v != 2.5 {
		t.Errorf("%v, %v", v, err)
	}
	t.Setenv("PUCL_LEARNING_RATE", "0.5") // as -set learning-rate=0.5 has it
	if v, err := Setting("learning-rate", 1.0); err != nil || v != 0.5 {
		t.Errorf("%v, %v, want 0.5", v, err)
	}
	if v, err := Setting("seed", 7); err != nil || v != 7 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := Setting("epochs", 1); err == nil || !strings.Contains(err.Error(), "PUCL_EPOCHS") {
		t.Errorf("2.5 read as a whole number: %v", err)
	}
}

func ExampleSetting() {
	epochs, err := Setting("example_epochs", 3.0)
	fmt.Println(epochs, err)
	// Output: 3 <nil>
}

func TestSaveHeadline(t *testing.T) {
	b := bench(t)
	table := viz.Table{Title: "Result", Columns: []string{"accuracy"}}
	table.Add("PUCL", 86.9)
	if err := b.SaveHeadline(table); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(b.Path("headline.txt")); err != nil || !strings.Contains(string(text), "86.9") {
		t.Errorf("the headline is %q, %v", text, err)
	}
	for _, figure := range []string{"headline.svg", "headline.png"} {
		if info, err := os.Stat(b.Path(figure)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", figure, err)
		}
	}
	if err := b.SaveHeadline(viz.Table{}); err == nil {
		t.Error("an empty table is a headline")
	}
}
