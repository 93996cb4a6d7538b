package learn

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/container"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// fixed has the same batch in each step.
type fixed struct{}

func (fixed) Features() int { return 2 }
func (fixed) Batch(int) (views []float32, labeled []bool) {
	return []float32{1, 2, 3, 4, -1, 0, 2, 2, 1, 2, 3, 5, -1, 1, 2, 3}, []bool{true, true, false, false}
}

// twoMembers returns a classifier of two members, a network and a linear classifier of the encoded rows, and rows.
func twoMembers(t testing.TB) (*Classifier, *Dataset) {
	t.Helper()
	eng := enginetest.Open(t)
	x := mat.NewDense(5, 2, []float64{1, 2, -1, 0.5, 3, 3, 0, -2, 4, 1})
	frame := expect.Must(tabular.NewFrame(x, nil))(t)
	d := &Dataset{Table: frame, Labeled: []bool{true, false, false, true, false}}
	_, encoding, err := d.Encode()
	expect.NoError(t, err)
	network := expect.Must(train.PretrainFeatures(context.Background(), eng, fixed{}, train.Config{
		Encoder: encoder.MLP{Hidden: []int{4}, Dim: 3}, Projection: 2, Steps: 1}))(t)
	c := expect.Must(NewClassifier(eng, d, encoding, &Trained{Members: []Member{
		{Network: network, Unit: true, Head: &probe.Probe{Weights: mat.NewDense(1, 3, []float64{1, -2, 3}), Bias: []float64{0.5}}},
		{Head: &probe.Probe{Weights: mat.NewDense(1, 2, []float64{-1, 0.25}), Bias: []float64{-0.5}}},
	}}, Info{Method: "by hand", Labeled: 2, Unlabeled: 3}))(t)
	return c, d
}

// Members decide by the mean of their logits, and each of them is a separate classifier.
func TestMembersDecideByTheMeanLogit(t *testing.T) {
	c, d := twoMembers(t)
	data, _, err := d.Encode()
	expect.NoError(t, err)
	h := rows.Unit(expect.Must(c.members[0].Network.EmbedFeatures(c.eng, data.X))(t).H)
	got, p := expect.Must(c.Scores(d))(t), expect.Must(c.Predict(d))(t)
	first, second := expect.Must(c.Members()[0].Scores(d))(t), expect.Must(c.Members()[1].Scores(d))(t)
	expect.Equal(t, len(c.Members()), 2)
	for i := range 5 {
		network := h.At(i, 0) - 2*h.At(i, 1) + 3*h.At(i, 2) + 0.5
		linear := -data.X.At(i, 0) + 0.25*data.X.At(i, 1) - 0.5
		expect.Near(t, first[i], network, 1e-12)
		expect.Near(t, second[i], linear, 1e-12)
		expect.Near(t, got[i], (network+linear)/2, 1e-12)
		expect.Near(t, p[i], 1/(1+math.Exp(-got[i])), 1e-12)
	}
}

// sections are the sections of a classifier's file.
var sections = []string{"head", "networks"}

func fileOf(t testing.TB, c *Classifier) []byte {
	t.Helper()
	return slices.Concat(expect.Must(c.encode())(t)...)
}

// Every bit flip and every truncation of a classifier's file must cause an error; a file of another kind names its
// reader.
func TestEveryChangeOfAClassifierIsFound(t *testing.T) {
	c, d := twoMembers(t)
	good := fileOf(t, c)
	back := expect.Must(kind.Decode(good, sections...))(t)
	expect.That(t, bytes.Equal(fileOf(t, withEngine(expect.Must(decode(back, nil))(t), c)), good), "it writes another file")
	for i := range good { // one bit of every byte; package container has all of them
		data := bytes.Clone(good)
		data[i] ^= 1 << (i % 8)
		_, err := kind.Decode(data, sections...)
		expect.That(t, err != nil, "byte %d of %d: it was read", i, len(good))
	}
	path := filepath.Join(t.TempDir(), "deep", "file")
	expect.NoError(t, c.Save(path))
	expect.Equal(t, expect.Must(expect.Must(Load(path, c.eng, nil))(t).Scores(d))(t), expect.Must(c.Scores(d))(t))
	for want, data := range map[string][]byte{
		"is cut short … copy it again from where it was made": good[:len(good)-1],
		"is damaged … copy it again from where it was made":   append(bytes.Clone(good[:len(good)/2]), make([]byte, len(good)-len(good)/2)...),
		"is of the kind model … train.LoadModel reads it":     back[1],
	} {
		expect.NoError(t, os.WriteFile(path, data, 0o644))
		refusal.Check(t, refusal.Err(Load(path, c.eng, nil)), "learn: "+path+" "+want)
	}
	expect.NoError(t, os.WriteFile(path, good, 0o644))
	refusal.Check(t, refusal.Err(train.LoadModel(path, nil)), "is of the kind PU classifier … pu.Load reads it")
	refusal.Check(t, (&Classifier{}).Save(path), "the classifier is empty … pu.Fit trains one")
}

func withEngine(c, like *Classifier) *Classifier {
	c.eng = like.eng
	return c
}

// A forged classifier file with a correct checksum but inconsistent content is an error.
func TestForgedClassifiers(t *testing.T) {
	c, _ := twoMembers(t)
	back := expect.Must(kind.Decode(fileOf(t, c), sections...))(t)
	var good fileHead
	expect.NoError(t, strictjson.Unmarshal(back[0], &good))
	for name, forge := range map[string]func(h *fileHead){
		"no members":          func(h *fileHead) { h.Members = nil },
		"no weights":          func(h *fileHead) { h.Members[1].Weights = nil },
		"bytes of no network": func(h *fileHead) { h.Members[0].Bytes-- },
		"too many bytes":      func(h *fileHead) { h.Members[0].Bytes += 1 << 40 },
		"fewer than no bytes": func(h *fileHead) { h.Members[0].Bytes = -1 },
		"a member too much":   func(h *fileHead) { h.Members = append(h.Members, h.Members[0]) },
		"images of a linear":  func(h *fileHead) { h.Encoding = nil },
		"a weight of NaN":     func(h *fileHead) { h.Members[1].Weights = []float64{1, math.NaN()} },
		"an infinite bias":    func(h *fileHead) { h.Members[0].Bias = math.Inf(1) },
	} {
		h := good
		h.Members = slices.Clone(good.Members)
		forge(&h)
		text := expect.Must(strictjson.Marshal(h))(t)
		_, err := decode([][]byte{text, back[1]}, nil)
		expect.That(t, err != nil, "%s: it was read", name)
	}
}

// FuzzClassifier decodes any head of a classifier's file and any networks, or valid ones if these are empty, with a
// correct checksum. It must not panic, and must be able to write any classifier that it reads.
func FuzzClassifier(f *testing.F) {
	c, _ := twoMembers(f)
	good := expect.Must(kind.Decode(fileOf(f, c), sections...))(f)
	f.Add(good[0], []byte(nil))
	f.Add([]byte(`{"Members":[{"Bytes":-1,"Weights":[1]}]}`), []byte("no network"))
	f.Fuzz(func(t *testing.T, head, networks []byte) {
		if len(networks) == 0 {
			networks = good[1]
		}
		file := expect.Must(kind.Encode(container.Section{Name: "head", Parts: container.Parts{head}},
			container.Section{Name: "networks", Parts: container.Parts{networks}}))(t)
		back := expect.Must(kind.Decode(slices.Concat(file...), sections...))(t)
		if c, err := decode(back, nil); err == nil {
			fileOf(t, c)
		}
	})
}
