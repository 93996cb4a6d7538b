package train

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/safetensors"
)

func TestLoadingErrors(t *testing.T) {
	eng := enginetest.Open(t)
	m := expect.Must(Pretrain(context.Background(), eng, stripes{8, 2}, light(1)))(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	expect.NoError(t, m.Save(path))
	refusal.Check(t, refusal.Err(LoadModel(path, &tiny2{})), "trained with the encoder encoder.SmallCNN … pass that one")
	wider := tiny
	wider.Dim++
	refusal.Check(t, refusal.Err(LoadModel(path, wider)), "trained with the encoder encoder.SmallCNN … pass that one")
	refusal.Check(t, refusal.Err(LoadModel(path, &wider)), "encoder.SmallCNN, not a pointer to one; … pass the encoder itself")
	_, err := LoadModel(path, tiny)
	expect.That(t, err == nil, "the encoder it was trained with is refused: %v", err)
	data := expect.Must(os.ReadFile(path))(t)
	expect.NoError(t, os.WriteFile(path, data[:len(data)/2], 0o644))
	refusal.Check(t, refusal.Err(LoadModel(path, nil)), path+" is cut short … copy it again from where it was made")
	refusal.Check(t, refusal.Err(m.Embed(eng, make([]uint8, 100))),
		"100 bytes are no whole number of images … each takes 144 bytes")
	expect.NoError(t, os.WriteFile(path, []byte("scrap"), 0o644))
	refusal.Check(t, refusal.Err(LoadModel(path, nil)), "is no file of it at all … copy it again from where it was made, or train")
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

// grown is an encoder that has more variables where it is asked to, under the same name and fields.
type grown struct{ more *bool }

func (grown) String() string { return "grown" }

func (g grown) Embed(scope *model.Scope, images *Node, training bool) *Node {
	x := encoder.Dense(scope.In("first"), Reshape(images, images.Shape().Dim(0), -1), 4, true)
	if *g.more {
		x = encoder.Dense(scope.In("second"), x, 4, true)
	}
	return x
}

// A model whose encoder was changed since is not filled up with variables that nobody has trained.
func TestVariablesThatAModelLacks(t *testing.T) {
	eng := enginetest.Open(t)
	var more bool
	config := quick(1)
	config.Encoder = grown{&more}
	m, err := Pretrain(context.Background(), eng, stripes{8, 2}, config)
	expect.NoError(t, err)
	path := filepath.Join(t.TempDir(), "m")
	expect.NoError(t, m.Save(path))
	more = true
	m = expect.Must(LoadModel(path, grown{&more}))(t)
	for range 2 {
		_, err = m.Embed(eng, make([]uint8, 144))
		names(t, "another encoder", err, "train: the encoder grown has variables", `"/encoder/second/weights"`, "which this model lacks")
	}
	more = false
	expect.NoError(t, expect.Err(m.Embed(eng, make([]uint8, 144))))
}

// The weights of an encoder are exported by one call, for others to read and for another run to start from.
func TestExport(t *testing.T) {
	m := expect.Must(Pretrain(context.Background(), enginetest.Open(t), stripes{8, 2}, light(1)))(t)
	want := expect.Must(m.Weights())(t)
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	expect.NoError(t, m.Export(path))
	file, err := safetensors.ReadFile(path)
	expect.That(t, err == nil && len(want) != 0 && reflect.DeepEqual(file.Tensors, want),
		"%d tensors, want %d: %v", len(file.Tensors), len(want), err)
	expect.That(t, file.Metadata["format"] == "pt" && file.Metadata["encoder"] == tiny.String() &&
		strings.Contains(file.Metadata["record"], "stripes"), "notes %q", file.Metadata)
	names(t, "no folder", m.Export(filepath.Join(path, "x")), "train: ", "not a directory")
}
