package train

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

func TestLoadingErrors(t *testing.T) {
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

// waves returns two images of 6×6, the first of those that testdata/model-before.model was trained on in another phase.
func waves() (pixels []uint8) {
	for i := range 2 {
		for j := range 36 {
			pixels = append(pixels, uint8((37*i+11*j+45)%256))
		}
	}
	return pixels
}

// A model that an earlier program saved, whose losses stand beside the history, comes back with all of it and embeds the same.
func TestModelOfAnEarlierProgram(t *testing.T) {
	m, err := LoadModel(filepath.Join("testdata", "model-before.model"), nil)
	if err != nil {
		t.Fatal(err)
	}
	h := m.History
	for i, want := range []float64{2.7846579551696777, 2.6496448516845703, 3.096466302871704, 2.7692062854766846} {
		near(t, "loss", h.Losses[i], want, 0)
	}
	if !slices.Equal(h.Rates, []float64{0.01, 0.01, 0.0075, 0.0025000000000000014}) || !slices.Equal(h.Examples, []int{8, 8, 8, 8}) ||
		len(h.GradientNorms) != 4 || h.GradientNorms[3] != 18.94403839111328 || len(h.ProjectionNorms) != 4 ||
		h.ProjectionNorms[0] != 3.213529109954834 || h.Chance != 2.7080502011022105 {
		t.Errorf("history %+v", h)
	}
	if r := h.Readings; len(r) != 2 || r[0].Step != 2 || r[1].Step != 4 || !strings.Contains(r[1].String(), "proxy AUC 66.7%") {
		t.Errorf("readings %v", r)
	}
	if m.Record.Data != "images 6×6×1, waves" || !strings.HasPrefix(m.Record.Settings, "PUCL, τ 0.5, 4 steps, Adam at 0.01") {
		t.Errorf("record %v", m.Record)
	}
	e, err := m.Embed(enginetest.Open(t), waves())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0, 0, 1.00577796, 0.0880198106, 0, 0} {
		near(t, "embedding", e.H.RawMatrix().Data[i], want, 1e-5)
	}
	for i, want := range []float64{1.35638082, -0.611855924, 0.0094556883, -0.0550540835} {
		near(t, "projection", e.Z.RawMatrix().Data[i], want, 1e-5)
	}
}

// What a file does not know of its steps is NaN.
func TestHistoryOfOldFiles(t *testing.T) {
	h := History{Losses: []float64{2, 1}}
	h.pad()
	if len(h.Rates) != 2 || !math.IsNaN(h.Rates[1]) || len(h.GradientNorms) != 2 || len(h.ProjectionNorms) != 2 || len(h.Examples) != 2 {
		t.Errorf("two steps without a history gave %+v", h)
	}
}
