//go:build unix

package train_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/train"
)

// slope returns a task that takes no time: it learns a number that it is told.
func slope() train.Task {
	store := model.NewStore()
	encoder.SetSeed(store, 1)
	return train.Task{
		Store: store, Name: "slope", Data: "one row", State: &struct{ Steps []int }{},
		Batch: func(step int) (train.Batch, error) {
			x := []float32{1, 2, float32(step), -1}
			return train.Batch{Examples: 2, Inputs: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, 2, 2)}}, nil
		},
		Outputs: func(scope *model.Scope, inputs []*Node) *Node { return encoder.Dense(scope.In("net"), inputs[0], 3, true) },
		Loss:    func(outputs *Node, _ []*Node) *Node { return ReduceAllMean(Square(AddScalar(outputs, -1))) },
	}
}

// contentOf describes all that a run holds, to the last bit.
func contentOf(task train.Task, h *train.History) string {
	text := fmt.Sprintf("%x %x %x %+v", h.Losses, h.Rates, h.GradientNorms, task.State)
	for v := range task.Store.IterVariables() {
		value, err := v.Value()
		if err != nil {
			return err.Error()
		}
		value.MustConstFlatData(func(flat any) { text += fmt.Sprintf("\n%s %s %t %x", v.Path(), value.Shape(), v.Trainable, flat) })
	}
	return text
}

// No damage makes a checkpoint another one that a run goes on from.
func TestFaultDamagedCheckpoint(t *testing.T) {
	eng := enginetest.Open(t)
	folder := t.TempDir()
	settings := train.Settings{Steps: 3, Checkpoint: folder}
	if _, err := train.Run(context.Background(), eng, slope(), settings); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, newest)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	alone := t.TempDir()
	settings.Checkpoint = alone
	result, err := damagetest.Try(data, faults(t, 3000), func(data []byte) (string, error) {
		if err := os.WriteFile(filepath.Join(alone, newest), data, 0o644); err != nil {
			t.Fatal(err)
		}
		task := slope()
		h, err := train.Run(stopped, eng, task, settings)
		if err != nil && !errors.As(err, new(*train.Stopped)) {
			return "", err
		}
		return contentOf(task, h), nil
	})
	if err != nil || result.Other > 0 || result.Panicked > 0 || result.Refused == 0 {
		t.Errorf("%v, %v", result, err)
	}
	t.Logf("| damaged checkpoint of %d bytes | %v |", len(data), result)
}

// No damage makes a model another one.
func TestFaultDamagedModel(t *testing.T) {
	eng := enginetest.Open(t)
	batches, err := faultBatches()
	if err != nil {
		t.Fatal(err)
	}
	config := faultConfig("", 1, 0)
	config.Steps, config.Encoder = 2, encoder.MLP{Hidden: []int{}, Dim: 2}
	m, err := train.Pretrain(context.Background(), eng, batches, config)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	result, err := damagetest.Try(data, faults(t, 3000), func(data []byte) (string, error) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := train.LoadModel(path, nil)
		if err != nil {
			return "", err
		}
		text, err := resultOf(m)
		return text + fmt.Sprint(m.Record), err
	})
	if err != nil || result.Other > 0 || result.Panicked > 0 || result.Refused == 0 {
		t.Errorf("%v, %v", result, err)
	}
	t.Logf("| damaged model of %d bytes | %v |", len(data), result)
}
