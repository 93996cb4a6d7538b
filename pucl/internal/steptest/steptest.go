// Package steptest holds helpers for benchmarks of whole training steps that peers/step.py compares with other
// libraries.
package steptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/safetensors"
)

// StartEnv names the file into which a benchmark writes the data that other libraries need to compute the same. It then
// times nothing, so that the memory for this does not count as the memory of a step.
const StartEnv = "PUCL_PEERS_START"

// Checked is the number of reported losses; the steps after them are timed.
const Checked = 3

// timer times steps until the benchmark ends.
type timer struct {
	b             *testing.B
	cancel        context.CancelFunc
	losses, times []float64
	last          time.Time
}

// newTimer returns a timer and the context of a training that it ends.
func newTimer(b *testing.B) (*timer, context.Context) {
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	return &timer{b: b, cancel: cancel, last: time.Now()}, ctx
}

// step records a finished step, counted from 1, and its loss.
func (t *timer) step(step int, loss float64) {
	now := time.Now()
	if step <= Checked {
		t.losses = append(t.losses, loss)
	} else {
		t.times = append(t.times, now.Sub(t.last).Seconds()*1e3)
	}
	if step >= Checked && !t.b.Loop() {
		t.cancel()
	}
	t.last = time.Now()
}

// report reports the first losses and the median time.
func (t *timer) report() {
	for i, loss := range t.losses {
		t.b.ReportMetric(1e6*loss, fmt.Sprintf("loss-%d-micronats", i+1)) // so that the digits are printed
	}
	slices.Sort(t.times)
	t.b.ReportMetric(t.times[len(t.times)/2], "median-ms")
}

// Run times steps of a training that calls step after each of them, or writes the data for other libraries to the file
// that [StartEnv] names.
func Run(b *testing.B, write func(path string) error,
	train func(ctx context.Context, step func(step int, loss float64)) error) {
	if path := os.Getenv(StartEnv); path != "" {
		if err := write(path); err != nil {
			b.Fatal(err)
		}
		return
	}
	clock, ctx := newTimer(b)
	if err := train(ctx, clock.step); !errors.Is(err, context.Canceled) {
		b.Fatal(err)
	}
	clock.report()
}

// AddBatches adds the inputs of the first batches to out, input 0 of the first one as "1-0", and returns the inputs of
// the first one.
func AddBatches(out map[string]safetensors.Tensor,
	batch func(step int) ([]*tensors.Tensor, error)) (first []*tensors.Tensor, err error) {
	for step := range Checked {
		inputs, err := batch(step)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = inputs
		}
		for i, part := range inputs {
			if out[fmt.Sprintf("%d-%d", step+1, i)], err = fileTensor(part); err != nil {
				return nil, err
			}
		}
	}
	return first, nil
}

// AddWeights adds the weights of scopes to out, each with its scope and a dot before its name.
func AddWeights(out map[string]safetensors.Tensor, store *model.Store, scopes ...string) error {
	for _, scope := range scopes {
		weights, err := encoder.StateDict(store, "/"+scope)
		if err != nil {
			return err
		}
		for name, t := range weights {
			out[scope+"."+name] = t
		}
	}
	return nil
}

// fileTensor returns a tensor of a batch in the format of files.
func fileTensor(t *tensors.Tensor) (out safetensors.Tensor, err error) {
	out.DType = map[dtypes.DType]safetensors.DType{
		dtypes.Uint8: safetensors.U8, dtypes.Int32: safetensors.I32, dtypes.Float32: safetensors.F32,
	}[t.DType()]
	out.Shape = t.Shape().Dimensions
	err = t.ConstBytes(func(data []byte) { out.Data = bytes.Clone(data) })
	return out, err
}
