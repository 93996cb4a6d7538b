package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/peaktest"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/safetensors"
)

// smallModel returns an untrained model with a history that has every kind of number.
func smallModel(t testing.TB) *Model {
	t.Helper()
	m := newModel(encoder.MLP{Hidden: []int{}, Dim: 2}, 2, augment.Shape{}, 3)
	for path, value := range map[string]*tensors.Tensor{
		"/encoder/dense/weights": tensors.FromFlatDataAndDimensions([]float32{1, 2, 3, 4, 5, math.MaxFloat32}, 3, 2),
		"/projector/bias":        tensors.FromFlatDataAndDimensions([]float32{-1, math.SmallestNonzeroFloat32}, 2),
	} {
		expect.NoError(t, expect.Err(m.store.CreateVariable(path, value)))
	}
	m.History.add(metrics{1.0 / 3, 2, 3}, 0.1, 8)
	m.History.Readings = []Reading{{Step: 1, Projections: evaluate.Collapse{Alignment: math.NaN()}, Monitor: &evaluate.PUReading{Bank: "b"}}}
	m.Record.Environment = engine.Environment{Engine: "none", Threads: 2, Versions: map[string]string{"go": "1"}}
	return m
}

// fileOf returns the bytes of a model's file.
func fileOf(t testing.TB, m *Model) []byte {
	t.Helper()
	var file bytes.Buffer
	expect.NoError(t, m.Write(&file))
	return file.Bytes()
}

// Every bit flip and every truncation of a model's file must cause an error.
func TestEveryChangeOfAModelIsFound(t *testing.T) {
	m := smallModel(t)
	good := fileOf(t, m)
	back := expect.Must(DecodeModel(good, nil))(t)
	again := fileOf(t, back)
	expect.That(t, bytes.Equal(again, good), "a model that was read writes another file")
	if h := back.History; !math.IsNaN(h.Readings[0].Projections.Alignment) || h.Losses[0] != 1.0/3 || h.Readings[0].Monitor.Bank != "b" ||
		!reflect.DeepEqual(back.Record, m.Record) {
		t.Errorf("history %+v, record %+v", back.History, back.Record)
	}
	refuse := func(what string, data []byte) {
		t.Helper()
		_, err := DecodeModel(data, nil)
		expect.That(t, err != nil && strings.Contains(err.Error(), "train the model again"), "%s: %v", what, err)
	}
	for what, data := range damagetest.Of(good, 8*len(good)) {
		refuse(what, data)
	}
	for cut := range good {
		if zeros := append(bytes.Clone(good[:cut]), make([]byte, len(good)-cut)...); !bytes.Equal(zeros, good) {
			refuse(fmt.Sprintf("zeros from %d of %d", cut, len(good)), zeros)
		}
	}
}

// tensor is a tensor of a forged file.
type tensor = safetensors.Tensor

// forgedVariables returns the section of variables with these tensors.
func forgedVariables(t testing.TB, all map[string]tensor) []byte {
	t.Helper()
	var out bytes.Buffer
	expect.NoError(t, (&safetensors.File{Tensors: all}).Write(&out))
	return out.Bytes()
}

// A forged file with a correct checksum but inconsistent content must cause an error that names the inconsistency.
func TestForgedModels(t *testing.T) {
	one := tensor{DType: safetensors.F32, Shape: []int{1}, Data: make([]byte, 4)}
	two := []variable{{"/a", true}, {"/b", false}}
	good := map[string]tensor{"/a": one, "/b": one}
	with := func(b tensor) map[string]tensor { return map[string]tensor{"/a": one, "/b": b} }
	for _, tt := range []struct {
		name, want string
		head       func(h *modelHead)
		variables  map[string]tensor
	}{
		{"a missing value", "variable /b has no value", nil, map[string]tensor{"/a": one}},
		{"a surplus value", `values of ["/c" "/d"], which are no variables`, nil, map[string]tensor{"/a": one, "/b": one, "/c": one, "/d": one}},
		{"twice", "/a has no value, two places", func(h *modelHead) { h.Variables[1].Path = "/a" }, good},
		{"no path", "variable a has no value, two places or no path", func(h *modelHead) { h.Variables[0].Path = "a" },
			map[string]tensor{"a": one, "/b": one}},
		{"no truth", "neither true nor false", nil, with(tensor{DType: safetensors.Bool, Shape: []int{2}, Data: []byte{1, 2}})},
		{"nothing", "which holds nothing", nil, with(tensor{DType: safetensors.U8, Shape: []int{math.MaxInt, 0, math.MaxInt}})},
		{"NaN", "embeds nothing (variable /b: the entry at [1 0] is NaN", nil,
			with(tensor{DType: safetensors.BF16, Shape: []int{2, 1}, Data: []byte{0, 0, 0xc0, 0x7f}})},
		{"lengths", "does not hold together", func(h *modelHead) { h.History.Losses = []float64{1} }, good},
		{"size", "does not hold together", func(h *modelHead) { h.Projection = -1 }, good},
		{"no height", "does not hold together", func(h *modelHead) { h.Width, h.Channels, h.Features = 1, 1, 0 }, good},
		{"sides that overflow", "does not hold together", func(h *modelHead) { h.Height, h.Width, h.Channels, h.Features = 1<<32, 1<<32, 1, 0 }, good},
		{"encoder", "trained with the encoder other.Net {}; pass one", func(h *modelHead) { h.EncoderType = "other.Net" }, good},
		{"fields", "encoder encoder.MLP that cannot be read", func(h *modelHead) { h.Encoder = "{" }, good},
		{"an unknown field", "encoder encoder.MLP that cannot be read", func(h *modelHead) { h.Encoder = `{"NewOption":true}` }, good},
	} {
		h := modelHead{EncoderType: "encoder.MLP", Encoder: "{}", Projection: 1, Features: 1, Variables: slices.Clone(two)}
		if tt.head != nil {
			tt.head(&h)
		}
		head := expect.Must(strictjson.Marshal(h))(t)
		file := resealed(t, modelKind, modelSections, [][]byte{head, forgedVariables(t, tt.variables)})
		names(t, tt.name, expect.Err(DecodeModel(file, nil)), tt.want)
	}
}

// A model with a variable that is not finite cannot be saved, for any kind of variable.
func TestNoModelOfNaNIsSaved(t *testing.T) {
	m := smallModel(t)
	average := variable{"/encoder/norm/mean", false}
	expect.NoError(t, setVariable(m.store, average, tensors.FromFlatDataAndDimensions([]float64{0, math.Inf(-1)}, 2)))
	names(t, "an infinite average", m.Save(filepath.Join(t.TempDir(), "model")),
		"variable /encoder/norm/mean: the entry at [1] is -Inf", "train again with a lower learning rate")
}

// The same holds for a forged checkpoint; one that does not match the network names the variable.
func TestForgedCheckpoints(t *testing.T) {
	one := tensor{DType: safetensors.F32, Shape: []int{3, 1}, Data: make([]byte, 12)}
	for _, tt := range []struct {
		name, want string
		change     func(h *checkpointHead, values map[string]tensor, sections [][]byte)
	}{
		{"step 0", "after step 0 of 6", func(h *checkpointHead, _ map[string]tensor, _ [][]byte) { h.Step = 0 }},
		{"beyond the end", "after step 7 of 6", func(h *checkpointHead, _ map[string]tensor, _ [][]byte) { h.Step = 7 }},
		{"short history", "after step 2 of 6, and its history may be of others", func(h *checkpointHead, _ map[string]tensor, _ [][]byte) {
			h.History.Losses = h.History.Losses[:1]
		}},
		{"no state", "EOF", func(_ *checkpointHead, _ map[string]tensor, sections [][]byte) { sections[1] = nil }},
		{"another state", "gob", func(_ *checkpointHead, _ map[string]tensor, sections [][]byte) {
			var out bytes.Buffer
			expect.NoError(t, gob.NewEncoder(&out).Encode("text"))
			sections[1] = out.Bytes()
		}},
		{"missing", "variable /net/weights of the network is not in the file", func(h *checkpointHead, values map[string]tensor, _ [][]byte) {
			h.Variables = h.Variables[:1]
			delete(values, "/net/weights")
		}},
		{"shape", "variable /net/weights: its shape is (Float32)[3, 1] in the file and (Float32)[3, 2] in the network",
			func(*checkpointHead, map[string]tensor, [][]byte) {}},
	} {
		task, _ := tallied()
		r := &run{Task: task, Settings: regressionRun(t.TempDir()).WithDefaults(), history: &History{}}
		r.checkpoint = &checkpoint{identity: r.identity()}
		expect.NoError(t, expect.Err(task.Store.CreateVariable("/net/weights",
			tensors.FromShape(shapes.Make(dtypes.Float32, 3, 2)))))
		h := checkpointHead{Identity: r.checkpoint.identity, Step: 2, Variables: []variable{{"/#rngstate", false}, {"/net/weights", true}}}
		h.History.add(metrics{}, 0, 1)
		h.History.add(metrics{}, 0, 1)
		values := map[string]tensor{"/net/weights": one, "/#rngstate": {DType: safetensors.U64, Shape: []int{3}, Data: make([]byte, 24)}}
		var state bytes.Buffer
		expect.NoError(t, gob.NewEncoder(&state).Encode(tally{}))
		sections := [][]byte{nil, state.Bytes(), nil}
		tt.change(&h, values, sections)
		sections[0] = expect.Must(strictjson.Marshal(h))(t)
		sections[2] = forgedVariables(t, values)
		path := filepath.Join(t.TempDir(), "checkpoint")
		write(t, path, string(resealed(t, checkpointKind, checkpointSections, sections)))
		names(t, tt.name, r.take(path), path+" does not hold together", tt.want, "delete the folder")
	}
}

// Every number type of the file format loads bit-identically, and any other type is an error at the save.
func TestVariablesOfEveryType(t *testing.T) {
	store := model.NewStore()
	for name, dtype := range numberTypes {
		value := tensors.FromShape(shapes.Make(dtype, 2, 3))
		if err := value.MutableBytes(func(data []byte) {
			for i := range data {
				data[i] = byte(i % 2) // any bits are valid, except for bool
			}
		}); err != nil {
			t.Fatal(err)
		}
		v := expect.Must(store.CreateVariable("/"+string(name), value))(t)
		v.SetTrainable(dtype.IsFloat())
	}
	expect.NoError(t, expect.Err(store.CreateVariable("/scalar", tensors.FromScalar(float32(0.1)))))
	list, values := expect.Must2(encodeVariables(store))(t)
	back := model.NewStore()
	expect.NoError(t, decodeVariables(back, list, slices.Concat(values...)))
	again, bytesAgain, err := encodeVariables(back)
	expect.That(t, err == nil && slices.Equal(again, list) && len(list) == len(numberTypes)+1 &&
		bytes.Equal(slices.Concat(bytesAgain...), slices.Concat(values...)), "%v came back as %v, %v", list, again, err)
	expect.NoError(t, expect.Err(store.CreateVariable("/complex", tensors.FromScalar(complex64(1i)))))
	_, _, err = encodeVariables(store)
	names(t, "complex numbers", err, "variable /complex", "Complex64")
}

// A file that declares far more data than it has bytes must not cause that allocation.
func TestForgedSizesTakeNoMemory(t *testing.T) {
	peaktest.Skip(t)
	const size, variable = 3000, "PUCL_TEST_FORGED"
	if what := os.Getenv(variable); what != "" {
		path := filepath.Join(t.TempDir(), "model")
		forgedSizes(t, what, path, size)
		before := peaktest.Must(t)
		_, err := LoadModel(path, nil)
		expect.That(t, err != nil, "%s: it was read", what)
		peaktest.Tell(peaktest.Must(t) - before)
		return
	}
	for _, what := range []string{"length", "header", "section", "tensor", "list"} {
		took := peaktest.OfChild(t, variable, what)
		expect.That(t, took <= 8<<20, "%s: %d bytes of memory for a file of %d", what, took, size)
	}
}

// forgedSizes writes a file of about size bytes in which one length declares a hundred MiB.
func forgedSizes(t *testing.T, what, path string, size int) {
	t.Helper()
	const huge = 100 << 20
	head, err := strictjson.Marshal(modelHead{EncoderType: "encoder.MLP", Encoder: "{}", Variables: []variable{{"/a", true}}})
	expect.NoError(t, err)
	if what == "list" { // of elements that take more memory than bytes
		head = []byte(`{"Variables":[` + strings.Repeat("{},", size/3) + `{}]}`)
	}
	text := fmt.Sprintf(`{"/a":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}`, huge/4, huge)
	values := append([]byte{byte(len(text)), 0, 0, 0, 0, 0, 0, 0}, text...)
	if what != "tensor" {
		values = forgedVariables(t, map[string]tensor{"/a": {DType: safetensors.F32, Shape: []int{size / 4}, Data: make([]byte, size)}})
	}
	file := resealed(t, modelKind, modelSections, [][]byte{head, values})
	switch what {
	case "length": // of the file
		copy(file[8:], []byte{0, 0, 0, 6})
	case "header":
		copy(file[16:], []byte{0, 0, 0, 6})
	case "section":
		file = bytes.Replace(file, []byte(`"Bytes":`+fmt.Sprint(len(values))), []byte(`"Bytes":9999`), 1)
	}
	if what == "header" || what == "section" {
		sum := sha256.Sum256(file[:len(file)-sha256.Size])
		copy(file[len(file)-sha256.Size:], sum[:])
	}
	write(t, path, string(file))
}

// A state with a map that declares far more entries than it has bytes must not cause that allocation.
func TestForgedStateTakesNoMemory(t *testing.T) {
	peaktest.Skip(t)
	const variable = "PUCL_TEST_FORGED_STATE"
	if os.Getenv(variable) == "" {
		took := peaktest.OfChild(t, variable, "a map")
		expect.That(t, took <= 8<<20, "%d bytes of memory for a state of less than 300", took)
		return
	}
	eng := enginetest.Open(t)
	task, state := tallied()
	sections := expect.Must(checkpointKind.Decode(smallCheckpoint(t, eng, task), checkpointSections...))(t)
	sections[1] = expect.Must(damagetest.GobOfManyEntries(tally{Names: state.Names}, "last", 1<<24))(t)
	path := filepath.Join(t.TempDir(), "checkpoint")
	write(t, path, string(resealed(t, checkpointKind, checkpointSections, sections)))
	before := peaktest.Forget(t)
	task, _ = tallied()
	_, err := loadCheckpoint(eng, path, task)
	names(t, "a map of many entries", err, path+" does not hold together", "delete the folder")
	peaktest.Tell(peaktest.Must(t) - before)
}

// Embeddings load unchanged, including NaN and missing matrices, by file and by gob.
func TestEmbeddingsComeBack(t *testing.T) {
	for name, e := range map[string]*Embedding{
		"both": {H: mat.NewDense(2, 3, []float64{1, 2, math.NaN(), math.Inf(-1), 0.5, -4}), Z: mat.NewDense(2, 1, []float64{5, 6})},
		"none": {},
		"one":  {H: mat.NewDense(4, 4, nil).Slice(1, 3, 2, 4).(*mat.Dense)},
	} {
		path := filepath.Join(t.TempDir(), "new", "e")
		expect.NoError(t, e.Save(path))
		back := expect.Must(LoadEmbedding(path))(t)
		var file bytes.Buffer
		again := &Embedding{H: mat.NewDense(1, 1, nil)}
		expect.NoError(t, gob.NewEncoder(&file).Encode(e))
		expect.NoError(t, gob.NewDecoder(&file).Decode(again))
		for _, got := range []*Embedding{back, again} {
			expect.That(t, same(got.H, e.H) && same(got.Z, e.Z), "%s: %v came back as %v", name, e, got)
		}
		data := read(t, path)
		write(t, path, data[:len(data)-1])
		names(t, "a cut file", expect.Err(LoadEmbedding(path)), "train: "+path+" is cut short", "embed again")
	}
	path := filepath.Join(t.TempDir(), "model")
	expect.NoError(t, smallModel(t).Save(path))
	_, err := LoadEmbedding(path)
	names(t, "a model", err, path+" is of the kind model, not embedding; train.LoadModel reads it")
}

// same reports whether two matrices hold the same numbers; NaN equals NaN.
func same(a, b *mat.Dense) bool {
	if a == nil || b == nil {
		return a == b
	}
	return fmt.Sprint(mat.Formatted(a)) == fmt.Sprint(mat.Formatted(b))
}

// FuzzModel decodes random sections of a model's file with a correct checksum. It must not panic, and must be able to
// write every decoded model.
func FuzzModel(f *testing.F) {
	sections := expect.Must(modelKind.Decode(fileOf(f, smallModel(f)), modelSections...))(f)
	f.Add(sections[0], sections[1])
	f.Fuzz(func(t *testing.T, head, variables []byte) {
		m, err := DecodeModel(resealed(t, modelKind, modelSections, [][]byte{head, variables}), nil)
		if err != nil {
			return
		}
		again := expect.Must(DecodeModel(fileOf(t, m), nil))(t)
		expect.That(t, bytes.Equal(fileOf(t, again), fileOf(t, m)), "a model that was read and written is another one")
	})
}

// listed returns a regression whose state has lists and a map of them.
func listed() Task {
	task := regression()
	state := &struct {
		Seen  []int
		Names []string
		Rows  [][]float64
		Last  *float64
		Steps map[string][]int
	}{}
	task.State = state
	task.AfterStep = func(done int) (*Reading, error) {
		state.Seen, state.Names = append(state.Seen, done), append(state.Names, "step")
		state.Rows, state.Last = append(state.Rows, []float64{1.0 / 3, 0}), new(float64)
		state.Steps = map[string][]int{"last": {done}, "all": state.Seen}
		return nil, nil
	}
	return task
}

// FuzzCheckpoint loads random sections of a checkpoint with a correct checksum. It must not panic.
func FuzzCheckpoint(f *testing.F) {
	eng := enginetest.Open(f)
	sections := expect.Must(checkpointKind.Decode(smallCheckpoint(f, eng, listed()), checkpointSections...))(f)
	f.Add(sections[0], sections[1], sections[2])
	f.Fuzz(func(t *testing.T, head, state, variables []byte) {
		path := filepath.Join(t.TempDir(), "checkpoint")
		expect.NoError(t, os.WriteFile(path, resealed(t, checkpointKind, checkpointSections,
			[][]byte{head, state, variables}), 0o644))
		if r, err := loadCheckpoint(eng, path, listed()); err == nil && (r.checkpoint.step < 1 || len(r.history.Losses) != r.checkpoint.step) {
			t.Errorf("a run of step %d with %d losses", r.checkpoint.step, len(r.history.Losses))
		}
	})
}

// FuzzEmbedding decodes random matrices of an embedding with a correct checksum. It must not panic, and must be able to
// write every decoded embedding.
func FuzzEmbedding(f *testing.F) {
	data, err := (&Embedding{H: mat.NewDense(2, 1, []float64{1, 2}), Z: mat.NewDense(1, 1, []float64{3})}).MarshalBinary()
	expect.NoError(f, err)
	sections := expect.Must(embeddingKind.Decode(data, "matrices"))(f)
	f.Add(sections[0])
	f.Fuzz(func(t *testing.T, matrices []byte) {
		var e, again Embedding
		if e.UnmarshalBinary(resealed(t, embeddingKind, []string{"matrices"}, [][]byte{matrices})) != nil {
			return
		}
		data := expect.Must(e.MarshalBinary())(t)
		err := again.UnmarshalBinary(data)
		expect.That(t, err == nil && same(e.H, again.H) && same(e.Z, again.Z), "%v became %v, %v", e, again, err)
	})
}
