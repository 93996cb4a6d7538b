package classify

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/container"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/train"
)

// sections are those of a classifier's file.
var sections = []string{"head", "model"}

// resealed returns a file with these sections and a checksum that is right.
func resealed(t testing.TB, head, model []byte) []byte {
	t.Helper()
	file, err := kind.Encode(container.Section{Name: "head", Parts: container.Parts{head}}, container.Section{Name: "model", Parts: container.Parts{model}})
	expect.NoError(t, err)
	return slices.Concat(file...)
}

// fileOf returns the bytes of a classifier's file.
func fileOf(t testing.TB, c *Classifier) []byte {
	t.Helper()
	file := expect.Must(c.encode())(t)
	return slices.Concat(file...)
}

// smallClassifier returns a classifier that has all its parts.
func smallClassifier(t testing.TB) *Classifier {
	t.Helper()
	return &Classifier{
		Model: quickModel(t), Probe: &probe.Probe{Weights: mat.NewDense(3, 8, nil), Bias: []float64{1, math.NaN(), 3}},
		Clusters: &cluster.Clustering{PositiveCenter: []float64{1}, Potential: math.Inf(1)},
		Tuning:   &Tuning{Epochs: []evaluate.Epoch{{Epoch: 1, Test: math.NaN()}}, Predicted: []int{1, 2, 3}},
	}
}

// No bit of a classifier can change and no end be missing without an error; a file of another kind says what reads it.
func TestEveryChangeOfAClassifierIsFound(t *testing.T) {
	enginetest.Open(t)
	c := smallClassifier(t)
	good := fileOf(t, c)
	back := expect.Must(kind.Decode(good, sections...))(t)
	again := fileOf(t, expect.Must(decode(back, nil))(t))
	expect.That(t, bytes.Equal(again, good), "a classifier that was read writes another file")
	for i := range good { // one bit of every byte; package container has all of them
		data := bytes.Clone(good)
		data[i] ^= 1 << (i % 8)
		_, err := kind.Decode(data, sections...)
		expect.That(t, err != nil, "byte %d of %d: it was read", i, len(good))
	}
	path := filepath.Join(t.TempDir(), "file")
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{good[:len(good)-1], "is cut short … copy it again from where it was made"},
		{append(bytes.Clone(good[:len(good)/2]), make([]byte, len(good)-len(good)/2)...),
			"is damaged … copy it again from where it was made"},
		{back[1], "is of the kind model, not classifier; … train.LoadModel reads it"},
	} {
		expect.NoError(t, os.WriteFile(path, tt.data, 0o644))
		refusal.Check(t, refusal.Err(Load(path, nil)), "classify: "+path+" "+tt.want)
	}
	expect.NoError(t, os.WriteFile(path, good, 0o644))
	refusal.Check(t, refusal.Err(train.LoadModel(path, nil)), "is of the kind classifier, not model; … classify.Load reads it")
}

// A forged classifier, its checksum right, that does not hold together is an error.
func TestForgedClassifiers(t *testing.T) {
	enginetest.Open(t)
	back := expect.Must(kind.Decode(fileOf(t, smallClassifier(t)), sections...))(t)
	for _, tt := range []struct {
		h    head
		want string
	}{
		{head{}, "no weights"},
		{head{Weights: [][]float64{{}, {}}, Bias: []float64{1, 2}}, "no weights"},
		{head{Weights: [][]float64{{1, 2}, {3}}, Bias: []float64{1, 2}}, "rows of 2 and 1 weights"},
		{head{Weights: [][]float64{{}, {3}}, Bias: []float64{1, 2}}, "rows of 0 and 1 weights"},
		{head{Weights: [][]float64{{1}, {3}}, Bias: []float64{1}}, "1 biases"},
	} {
		text := expect.Must(strictjson.Marshal(tt.h))(t)
		if _, err := decode([][]byte{text, back[1]}, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.h, err, tt.want)
		}
	}
	if _, err := decode([][]byte{back[0], back[1][:100]}, nil); err == nil || !strings.Contains(err.Error(), "holds a model that is cut short") {
		t.Errorf("half a model: %v", err)
	}
}

// FuzzClassifier decodes any head of a classifier's file and any model, or a good one where that is empty, without a panic; the
// checksum is right. What it reads it can write.
func FuzzClassifier(f *testing.F) {
	good := expect.Must(kind.Decode(fileOf(f, smallClassifier(f)), sections...))(f)
	f.Add(good[0], []byte(nil))
	f.Add([]byte(`{"Weights":[[]],"Bias":[0],"Clusters":{"StartRow":-1}}`), []byte("no model"))
	f.Fuzz(func(t *testing.T, head, model []byte) {
		if len(model) == 0 {
			model = good[1]
		}
		back, err := kind.Decode(resealed(t, head, model), sections...)
		expect.Require(t, err == nil && bytes.Equal(back[0], head) && bytes.Equal(back[1], model), "%q, %v", back, err)
		if c, err := decode(back, nil); err == nil {
			fileOf(t, c)
		}
	})
}
