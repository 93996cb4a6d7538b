package classify

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
)

// A network or a head that is not a number gives an error or NaN, never a number that looks well, and can still be saved and
// looked at.
func TestNaNIsNeverANumber(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	broken := expect.Must(m.Clone())(t)
	for v := range broken.Store().IterVariables() {
		if strings.HasPrefix(v.Path(), "/encoder/") && v.Trainable {
			value := tensors.MustCopyFlatData[float32](v.MustValue())
			for i := range value {
				value[i] = float32(math.NaN())
			}
			expect.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(value, v.Shape().Dimensions...)))
		}
	}
	one, three := constant(1, 8, 1), constant(3, 8, 1)
	one.Weights.Set(0, 3, math.NaN())
	three.Weights.Set(1, 3, math.NaN())
	data := patterns(16, 6)
	labeled, truth := pu(16, 6)
	for name, c := range map[string]*Classifier{
		"a head of one output":  {Model: m, Probe: one},
		"a head of three":       {Model: m, Probe: three},
		"a bias":                {Model: m, Probe: constant(1, 8, math.NaN())},
		"an encoder":            {Model: broken, Probe: constant(1, 8, 1)},
		"an encoder of classes": {Model: broken, Probe: constant(3, 8, 1)},
	} {
		outputs, _ := c.Probe.Weights.Dims()
		logits := expect.Must(c.Logits(eng, data.Pixels))(t)
		for i := range 6 {
			if !slices.ContainsFunc(logits.RawRowView(i), math.IsNaN) {
				t.Errorf("%s: image %d has the logits %g", name, i, logits.RawRowView(i))
			}
		}
		classes, err := c.Predict(eng, data.Pixels)
		expect.That(t, err != nil, "%s: predicts %v", name, classes)
		if s, err := c.ScoreClasses(eng, data); err == nil {
			t.Errorf("%s: scores %v", name, s)
		}
		if s, err := c.Score(eng, truth); err == nil {
			t.Errorf("%s: scores %v", name, s)
		}
		if s, err := c.ScorePU(eng, labeled, evaluate.ScoreConfig{Prior: 0.3}); err == nil {
			t.Errorf("%s: scores %v", name, s)
		}
		if p, err := c.Probabilities(eng, data.Pixels); outputs == 1 && err != nil || slices.ContainsFunc(p, func(p float64) bool { return !math.IsNaN(p) }) {
			t.Errorf("%s: probabilities %v, %v", name, p, err)
		}
		path := filepath.Join(t.TempDir(), "c")
		if err := c.Save(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		back := expect.Must(Load(path, nil))(t)
		if _, err := back.Predict(eng, data.Pixels); err == nil {
			t.Errorf("%s: was read as another one", name)
		}
	}
}
