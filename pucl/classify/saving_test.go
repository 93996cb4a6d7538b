package classify

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/container"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/train"
	"gonum.org/v1/gonum/mat"
)

// A classifier of classes and one of positives against negatives are read back as they were: predictions, how they were tuned
// and recorded.
func TestClassifiersComeBack(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	data := patterns(14, 9)
	labeled, _ := pu(14, 9)
	held := &HeldOut{Images: labeled} // without test images, whose readings are NaN
	for name, c := range map[string]*Classifier{
		"three classes": expect.Must(FineTune(ctx, eng, m, data, 3, FineTuneConfig{Epochs: 2}))(t),
		"PU": expect.Must(FineTunePU(ctx, eng, m, labeled, risk.CrossEntropy,
			FineTuneConfig{Epochs: 2, HeldOut: held}))(t),
	} {
		path := filepath.Join(t.TempDir(), "new", "folder", "classifier")
		expect.NoError(t, c.Save(path))
		back := expect.Must(Load(path, nil))(t)
		want, got := expect.Must(c.Logits(eng, data.Pixels))(t), expect.Must(back.Logits(eng, data.Pixels))(t)
		if !mat.Equal(got, want) || back.Tuning.String() != c.Tuning.String() || !reflect.DeepEqual(back.Tuning.Record, c.Tuning.Record) ||
			!reflect.DeepEqual(back.Tuning.History, c.Tuning.History) || len(back.Tuning.Epochs) != len(c.Tuning.Epochs) {
			t.Errorf("%s: the classifier that was read is another one", name)
		}
	}
	refusal.Check(t, (&Classifier{Model: m}).Save(filepath.Join(t.TempDir(), "c")),
		"needs both a Model and a Probe … FineTune returns one with both, train.Pretrain")
}

// Of a clustering the centers come back, and the caller's own keeps the label of every row.
func TestClustersComeBack(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	labeled, _ := pu(14, 12)
	clusters := expect.Must(cluster.PUPL(unitEmbedding(t, eng, m, labeled.Pixels), labeled.Labels,
		cluster.Config{Seed: 1}))(t)
	c := &Classifier{Model: m, Probe: constant(1, 8, 0.5), Clusters: clusters}
	path := filepath.Join(t.TempDir(), "c")
	expect.NoError(t, c.Save(path))
	expect.That(t, len(clusters.Positive) == 12 && len(clusters.NearPositive) == 12,
		"saving took the labels from the clustering")
	want := *clusters
	want.Positive, want.NearPositive = nil, nil
	if back := expect.Must(Load(path, nil))(t); !reflect.DeepEqual(*back.Clusters, want) || back.Tuning != nil {
		t.Errorf("came back as %+v, want %+v", *back.Clusters, want)
	}
}

// Files of earlier programs, which had no checksum, are refused in a sentence that says why and what to do.
func TestEarlierClassifiersAreRefused(t *testing.T) {
	for _, name := range []string{"before-binary.classifier", "before-classes.classifier"} {
		c, err := Load(filepath.Join("testdata", name), nil)
		if err == nil {
			t.Errorf("%s: read as %v with %v, %+v", name, c.Probe.Weights, c.Probe.Bias, c.Tuning)
			continue
		}
		expect.Contains(t, err.Error(),
			"classify: testdata", name, "was written by an earlier version of this program", "fit the probe anew")
	}
}

// asked is a run of fine-tuning.
type asked struct {
	model  *train.Model
	data   LabeledImages[bool]
	risk   risk.Risk
	config FineTuneConfig
}

// A checkpoint is refused where one thing is asked for that is not as it was, and the error names that field and no other but
// those that follow from it. Every field of identity has a case.
func TestCheckpointOfAnotherRun(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	nudged := expect.Must(m.Clone())(t)
	for v := range nudged.Store().IterVariables() {
		if strings.HasSuffix(v.Path(), "/weights") && strings.HasPrefix(v.Path(), "/encoder") {
			value := tensors.MustCopyFlatData[float32](v.MustValue())
			value[0] += 1e-3
			expect.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(value, v.Shape().Dimensions...)))
			break
		}
	}
	folder := t.TempDir()
	base := func() asked {
		labeled, _ := pu(15, 12)
		labeled.Pixels = bytes.Clone(labeled.Pixels)
		held, _ := pu(16, 12)
		_, test := pu(17, 9)
		return asked{m, labeled, risk.CrossEntropy, FineTuneConfig{
			Epochs: 1, BatchSize: 6, LearningRate: 0.01, Checkpoint: folder, HeldOut: &HeldOut{Images: held, Test: test},
		}}
	}
	tune := func(a asked) error {
		_, err := FineTunePU(ctx, eng, a.model, a.data, a.risk, a.config)
		return err
	}
	expect.NoError(t, tune(base()))
	unchanged := base()
	unchanged.config.Observer = train.OnStep(func(train.Progress) { t.Error("a finished run was trained on") })
	err := tune(unchanged)
	expect.That(t, err == nil, "the same run is refused: %v", err)
	cases := []struct {
		field  string
		change func(*asked)
		also   []string // fields that follow from it
	}{
		{"Data", func(a *asked) { a.data.Labels[9] = true }, []string{"Images"}},
		{"Images", func(a *asked) { a.data.Pixels[70] ^= 1 }, nil},
		{"Images", func(a *asked) { a.data.Labels[10], a.data.Labels[6] = a.data.Labels[6], a.data.Labels[10] }, []string{"LossOnSample"}},
		{"Model", func(a *asked) { a.model = nudged }, nil},
		{"Model", func(a *asked) { a.config.Head = constant(1, 8, 0.25) }, nil},
		{"LossOnSample", func(a *asked) { a.risk = risk.NNPU(0.3, risk.SigmoidLoss) }, nil},
		{"FreezeEncoder", func(a *asked) { a.config.FreezeEncoder = true }, nil},
		{"BatchStatistics", func(a *asked) { a.config.BatchStatistics = true }, nil},
		{"BatchSize", func(a *asked) { a.config.BatchSize, a.config.Epochs = 12, 2 }, nil},
		{"Views", func(a *asked) { a.config.Recipe = augment.Recipe{augment.Crop{}} }, nil},
		{"HeldOut", func(a *asked) { a.config.HeldOut.PU.Prior = 0.3 }, []string{"ProxyOnSample"}},
		{"ProxyOnSample", func(a *asked) { a.config.HeldOut.Proxy = evaluate.ByProxyAUC }, nil},
		{"HeldOut", func(a *asked) { a.config.HeldOut.Images.Labels[1] = true }, nil},
		{"HeldOut", func(a *asked) { a.config.HeldOut.Test = LabeledImages[bool]{} }, nil},
		{"HeldOut", func(a *asked) { a.config.HeldOut = nil }, []string{"ProxyOnSample"}},
		{"Keep", func(a *asked) { a.config.Keep = evaluate.WithoutNegatives }, nil},
		{"Seed", func(a *asked) { a.config.Seed = 1 }, nil},
		{"LearningRate", func(a *asked) { a.config.LearningRate = 0.02 }, nil},
	}
	named := regexp.MustCompile(`(?m)^  (\w+): there .*, asked for `)
	tested := map[string]bool{}
	for _, tt := range cases {
		tested[tt.field] = true
		run := base()
		tt.change(&run)
		err := tune(run)
		refusal.Check(t, err, "the checkpoint of another run, and is left as it is … name another folder in Checkpoint, ask")
		var names []string
		for _, match := range named.FindAllStringSubmatch(err.Error(), -1) {
			names = append(names, match[1])
		}
		want := append([]string{tt.field}, tt.also...)
		slices.Sort(names)
		slices.Sort(want)
		expect.That(t, slices.Equal(names, want), "%s: the error names %v, want %v: %v", tt.field, names, want, err)
	}
	for fields, i := reflect.TypeFor[identity](), 0; i < fields.NumField(); i++ {
		if !tested[fields.Field(i).Name] {
			t.Errorf("identity.%s has no case", fields.Field(i).Name)
		}
	}
	if err := tune(unchanged); err != nil {
		t.Errorf("after what was refused the same run is refused: %v", err)
	}
}

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
