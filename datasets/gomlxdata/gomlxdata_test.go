package gomlxdata

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
)

var (
	_ train.Dataset      = (*Batches)(nil)
	_ train.Dataset      = (*Images)(nil)
	_ train.HasShortName = (*Batches)(nil)
)

// seven returns seven images of 1×2×3, value 6·image + place, of two classes in turn.
func seven() *datasets.Images {
	m := &datasets.Images{Height: 1, Width: 2, Channels: 3, Classes: []string{"cat", "dog"}}
	for i := range 7 {
		for p := range 6 {
			m.Pixels = append(m.Pixels, uint8(6*i+p))
		}
		m.Labels = append(m.Labels, i%2)
	}
	return m
}

func puBatches(t *testing.T) *datasets.Batches {
	t.Helper()
	pu := expect.Must(datasets.NewPU(seven(), datasets.SplitConfig{Positive: []int{1}, Labeled: 2, Seed: 1}))(t)
	return expect.Must(datasets.NewBatches(pu, datasets.BatchConfig{Size: 4, Share: 0.25, Seed: 2}))(t)
}

func TestFromBatches(t *testing.T) {
	b := puBatches(t)
	ds := FromBatches(b, BatchesConfig{First: 3, Steps: 5})
	expect.That(t, strings.Contains(ds.Name(), "2 labeled positives"), "name %q", ds.Name())
	for range 2 { // every Iter is the same
		step := 3
		for batch, err := range ds.Iter() {
			expect.NoError(t, err)
			pixels, labeled := expect.Must2(b.Batch(step))(t)
			got := fmt.Sprint(batch.Inputs[0].Shape(), batch.Labels[0].Shape())
			expect.Require(t, got == "(Uint8)[4, 1, 2, 3] (Bool)[4]", "shapes %s", got)
			expect.Equal(t, tensors.MustCopyFlatData[uint8](batch.Inputs[0]), pixels, "step %d: pixels", step)
			expect.Equal(t, tensors.MustCopyFlatData[bool](batch.Labels[0]), labeled, "step %d: labeled", step)
			expect.NoError(t, batch.Finalize())
			step++
		}
		expect.That(t, step == 8, "the last step is %d, want 7", step-1)
	}
}

func TestFromBatchesLeavesNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	next, stop := iter.Pull2(FromBatches(puBatches(t), BatchesConfig{Ahead: 8}).Iter())
	for range 20 {
		_, err, ok := next()
		expect.Require(t, err == nil && ok, "%v %v", err, ok)
	}
	stop()
	for begin := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		expect.Require(t, time.Since(begin) <= 5*time.Second,
			"%d goroutines, %d before", runtime.NumGoroutine(), before)
	}
}

// broken is a source whose image 4 cannot be read.
type broken struct{ *datasets.Images }

func (b broken) ReadImage(i int, dst []uint8) error {
	if i == 4 {
		return errors.New("four.png is broken")
	}
	return b.Images.ReadImage(i, dst)
}

// Batches of a source are returned up to the first unreadable one.
func TestFromSourceBatches(t *testing.T) {
	pu := expect.Must(datasets.NewPU(seven(), datasets.SplitConfig{Positive: []int{1}, Labeled: 2, Seed: 1}))(t)
	cfg := datasets.BatchConfig{Size: 4, Share: 0.25, Seed: 2}
	b := expect.Must(datasets.NewSourceBatches(broken{pu.Images}, pu.Split, cfg))(t)
	failed := 0
	for _, err := range FromBatches(b, BatchesConfig{First: 2, Steps: 6}).Iter() {
		if err != nil {
			failed++
			expect.Error(t, err, "four.png")
		}
	}
	expect.Equal(t, failed, 1, "errors")
}

func TestImagesThereAndBack(t *testing.T) {
	want := seven()
	for _, size := range []int{1, 3, 7, 100} {
		ds := expect.Must(FromImages(want, size))(t)
		got := expect.Must(ToImages(ds, want.Classes))(t)
		expect.That(t, got.String() == want.String() && slices.Equal(got.Pixels, want.Pixels) &&
			slices.Equal(got.Labels, want.Labels), "size %d: %v came back as %v", size, want, got)
	}
	expect.That(t, expect.Err(FromImages(want, 0)) != nil, "a batch of 0 images is accepted")
}

// fixed is a data set of given batches.
type fixed []train.Batch

func (fixed) Name() string { return "fixed" }

func (f fixed) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		for _, b := range f {
			if !yield(b, nil) {
				return
			}
		}
	}
}

func pair(input, label *tensors.Tensor) train.Batch {
	return train.Batch{Inputs: []*tensors.Tensor{input}, Labels: []*tensors.Tensor{label}}
}

func TestToImagesFromFloats(t *testing.T) {
	values := make([]float32, 256)
	for i := range values {
		values[i] = float32(i) / 255
	}
	got := expect.Must(ToImages(fixed{pair(tensors.FromFlatDataAndDimensions(values, 2, 8, 16, 1),
		tensors.FromFlatDataAndDimensions([]int64{1, 0}, 2, 1))}, []string{"a", "b"}))(t)
	for i, p := range got.Pixels {
		expect.Require(t, int(p) == i, "pixel %d is %d", i, p)
	}
	expect.That(t, slices.Equal(got.Labels, []int{1, 0}), "labels %v", got.Labels)
}

func TestToImagesErrors(t *testing.T) {
	pixels := func() *tensors.Tensor { return tensors.FromFlatDataAndDimensions([]uint8{1, 2}, 2, 1, 1, 1) }
	classes := func(c ...int32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(c, len(c)) }
	for _, tt := range []struct {
		name string
		ds   fixed
		want string
	}{
		{"nothing", nil, "no batches"},
		{"no label", fixed{{Inputs: []*tensors.Tensor{pixels()}}}, "0 labels"},
		{"flat", fixed{pair(tensors.FromFlatDataAndDimensions([]uint8{1, 2}, 2), classes(0, 0))}, "[2]"},
		{"too few classes", fixed{pair(pixels(), classes(0))}, "for 2 images"},
		{"unknown class", fixed{pair(pixels(), classes(0, 2))}, "class 2"},
		{"negative class", fixed{pair(pixels(), classes(0, -1))}, "class -1"},
		{"float class", fixed{pair(pixels(), tensors.FromFlatDataAndDimensions([]float32{0, 1}, 2))}, "Float32"},
		{"normalized", fixed{pair(tensors.FromFlatDataAndDimensions([]float32{-0.5, 0.5}, 2, 1, 1, 1), classes(0, 0))}, "-0.5"},
		{"bool", fixed{pair(tensors.FromFlatDataAndDimensions([]bool{true, false}, 2, 1, 1, 1), classes(0, 0))}, "Bool"},
		{"two sizes", fixed{pair(pixels(), classes(0, 0)),
			pair(tensors.FromFlatDataAndDimensions([]uint8{1, 2}, 1, 1, 2, 1), classes(0))}, "1×2×1 after"},
	} {
		expect.Error(t, expect.Err(ToImages(tt.ds, []string{"a", "b"})), tt.want)
	}
}
