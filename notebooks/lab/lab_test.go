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
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/peaktest"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/viz"
)

func bench(t *testing.T) *Bench {
	t.Helper()
	t.Setenv("PUCL_HOME", t.TempDir())
	return expect.Must(Open("test"))(t)
}

func TestValuesComeBack(t *testing.T) {
	b := bench(t)
	e := &train.Embedding{H: mat.NewDense(2, 2, []float64{1, 2, 3, 4}), Z: mat.NewDense(2, 1, []float64{5, 6})}
	expect.NoError(t, Save(b, "embedding", e))
	got := expect.Must(Load[*train.Embedding](b, "embedding"))(t)
	expect.That(t, mat.Equal(got.H, e.H) && mat.Equal(got.Z, e.Z), "saved %v, loaded %v", e, got)
	expect.NoError(t, Save(b, "scores", map[string]evaluate.Confusion{"PUCL": {TruePositive: 9, FalseNegative: 1}}))
	scores, err := Load[map[string]evaluate.Confusion](b, "scores")
	expect.That(t, err == nil && scores["PUCL"].Accuracy() == 0.9, "scores %v, %v", scores, err)
	left := expect.Must(filepath.Glob(b.Path("*.part")))(t)
	expect.That(t, len(left) == 0, "temporary files left: %v", left)
}

// A damaged file, and a file that an earlier program wrote under the name, are rejected with a remedy.
func TestDamagedValues(t *testing.T) {
	b := bench(t)
	expect.NoError(t, Save(b, "scores", []float64{0.5, 0.25}))
	path := b.Path("scores.value")
	good := expect.Must(os.ReadFile(path))(t)
	var plain bytes.Buffer
	expect.NoError(t, gob.NewEncoder(&plain).Encode([]float64{1}))
	flipped := bytes.Clone(good)
	flipped[len(good)-40] ^= 1
	for want, data := range map[string][]byte{
		"is damaged": flipped, "is cut short": good[:len(good)-1], "was written by an earlier version of this program": plain.Bytes(),
	} {
		expect.NoError(t, os.WriteFile(path, data, 0o644))
		if got, err := Load[[]float64](b, "scores"); err == nil || !strings.Contains(err.Error(), "lab: "+path+" "+want) ||
			!strings.Contains(err.Error(), "run the cell again that makes it") {
			t.Errorf("%s: %v, %v", want, got, err)
		}
	}
}

// A map that claims far more entries than its file has bytes is rejected without allocating memory for them.
func TestForgedValueTakesNoMemory(t *testing.T) {
	peaktest.Skip(t)
	const variable = "PUCL_TEST_FORGED_VALUE"
	if os.Getenv(variable) == "" {
		took := peaktest.OfChild(t, variable, "a map")
		expect.That(t, took <= 8<<20, "%d bytes of memory for a value of less than 300", took)
		return
	}
	b := bench(t)
	scores := map[string][]float64{"PUCL": {0.5, 0.25}}
	expect.NoError(t, Save(b, "scores", scores))
	path := b.Path("scores.value")
	sections := expect.Must(valueKind.Read(path, "type", "value"))(t)
	sections[1] = expect.Must(damagetest.GobOfManyEntries(scores, "PUCL", 1<<24))(t)
	file, err := valueKind.Encode(container.Section{Name: "type", Parts: sections[:1]}, container.Section{Name: "value", Parts: sections[1:]})
	expect.NoError(t, err)
	expect.NoError(t, container.Write(path, file))
	before := peaktest.Forget(t)
	if got, err := Load[map[string][]float64](b, "scores"); err == nil || !strings.Contains(err.Error(), `"scores" does not read as map`) {
		t.Errorf("%v, %v", got, err)
	}
	peaktest.Tell(peaktest.Must(t) - before)
}

// A value loads only as the type it was saved with, although gob would convert it.
func TestOtherTypes(t *testing.T) {
	b := bench(t)
	type saved struct{ Train, Test float64 }
	expect.NoError(t, Save(b, "scores", saved{0.9, 0.5}))
	got := expect.Must(Load[*saved](b, "scores"))(t)
	expect.That(t, *got == (saved{0.9, 0.5}), "%v", got)
	if got, err := Load[struct{ Test, Other float64 }](b, "scores"); err == nil || !strings.Contains(err.Error(), "Train float64") {
		t.Errorf("%v, %v", got, err)
	}
	expect.NoError(t, Save(b, "row", []float64{1e-300}))
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
	expect.NoError(t, err)
	expect.NoError(t, b.SaveModel("m", m))
	head := &probe.Probe{Weights: mat.NewDense(1, 2, []float64{1, -1}), Bias: []float64{0.5}}
	trained := &learn.Trained{Members: []learn.Member{{Network: m, Head: head}}}
	set := &learn.Dataset{Shape: m.Shape(), Pixels: make([]uint8, 64)}
	c := expect.Must(learn.NewClassifier(eng, set, nil, trained, learn.Info{Method: "by hand"}))(t)
	expect.NoError(t, b.SaveClassifier("c", c))
	again := expect.Must(b.Model("m"))(t)
	expect.That(t, again.History.Losses[0] == m.History.Losses[0], "the model came back with other losses")
	p := expect.Must(expect.Must(b.Classifier("c"))(t).Predict(set))(t)
	expect.That(t, len(p) == 1 && p[0] > 0 && p[0] < 1, "probabilities %v", p)
}

func TestMissingNamesTellWhatIsThere(t *testing.T) {
	b := bench(t)
	expect.Error(t, expect.Err(Load[int](b, "a")), "nothing of its kind")
	expect.NoError(t, Save(b, "b", 1))
	expect.Error(t, expect.Err(Load[int](b, "a")), `no "a" on the bench, which holds b`)
	expect.Error(t, expect.Err(Load[[]string](b, "b")), "[]string")
	for _, name := range []string{"", "../b", "a/b", ".hidden"} {
		expect.That(t, Save(b, name, 1) != nil, "the name %q was taken", name)
	}
	expect.That(t, expect.Err(b.Model("x")) != nil, "a missing model came back")
}

func TestOutsideTheModuleTheCacheIsUsed(t *testing.T) {
	t.Setenv("PUCL_HOME", "")
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Chdir(t.TempDir())
	b := expect.Must(Open("x"))(t)
	want := expect.Must(os.UserCacheDir())(t)
	expect.That(t, filepath.Dir(filepath.Dir(filepath.Dir(b.Path("f")))) == filepath.Join(want, "pucl"),
		"the bench lies at %s", b.Path(""))
}

func TestSetting(t *testing.T) {
	t.Setenv("PUCL_EPOCHS", "2.5")
	expect.Equal(t, expect.Must(Setting("epochs", 1.0))(t), 2.5)
	t.Setenv("PUCL_LEARNING_RATE", "0.5") // the effect of -set learning-rate=0.5
	expect.Equal(t, expect.Must(Setting("learning-rate", 1.0))(t), 0.5)
	expect.Equal(t, expect.Must(Setting("seed", 7))(t), 7)
	expect.Error(t, expect.Err(Setting("epochs", 1)), "PUCL_EPOCHS")
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
	expect.NoError(t, b.SaveHeadline(table))
	text := expect.Must(os.ReadFile(b.Path("headline.txt")))(t)
	expect.That(t, strings.Contains(string(text), "86.9"), "the headline is %q", text)
	for _, figure := range []string{"headline.svg", "headline.png"} {
		info := expect.Must(os.Stat(b.Path(figure)))(t)
		expect.That(t, info.Size() != 0, "%s", figure)
	}
	expect.That(t, b.SaveHeadline(viz.Table{}) != nil, "an empty table is a headline")
}
