package train

import (
	"context"
	"os"
	"path/filepath"
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
	if _, err := LoadModel(path, nil); err == nil || !strings.Contains(err.Error(), "is no file of it at all") {
		t.Errorf("scrap gave %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.part")); err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v %v", left, err)
	}
}

type tiny2 struct{ encoder.SmallCNN }

// A model of the program whose files had no checksum is refused in a sentence that says so and what to do.
func TestModelOfAnEarlierProgram(t *testing.T) {
	path := filepath.Join("testdata", "model-before.model")
	_, err := LoadModel(path, nil)
	names(t, "an earlier model", err, "train: "+path+" was written by an earlier version of this program", "; copy it again", "train the model again")
}
