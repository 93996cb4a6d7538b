//go:build unix

package faults_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/internal/traintest"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/train"
)

// faultKinds are the runs that the tests of faults disturb. Each returns its complete final state.
var faultKinds = map[string]func(context.Context, *engine.Engine, *datasets.Batches, train.Config) (string, error){
	"":            pretraining,
	"task":        ownTask,
	"fine-tuning": fineTuning,
}

func pretraining(ctx context.Context, eng *engine.Engine, batches *datasets.Batches, c train.Config) (string, error) {
	m, err := train.Pretrain(ctx, eng, batches, c)
	if err != nil {
		return "", err
	}
	return resultOf(m)
}

// ownTask trains slope.
func ownTask(ctx context.Context, eng *engine.Engine, _ *datasets.Batches, c train.Config) (string, error) {
	task := slope()
	h, err := train.Run(ctx, eng, task, train.Settings{Steps: c.Steps, LearningRate: 0.05,
		Checkpoint: c.Checkpoint, CheckpointEvery: c.CheckpointEvery, Observer: c.Observer})
	if err != nil {
		return "", err
	}
	return contentOf(task, h), nil
}

// fineTuning fine-tunes on PU data so that an epoch in the middle is kept.
func fineTuning(ctx context.Context, eng *engine.Engine, batches *datasets.Batches, c train.Config) (string, error) {
	start := c
	start.Steps, start.Encoder = 2, encoder.MLP{Hidden: []int{16}, Dim: 8}
	start.Checkpoint, start.Observer, start.Monitor = "", nil, train.Monitor{}
	m, err := train.Pretrain(ctx, eng, batches, start)
	if err != nil {
		return "", err
	}
	var data [4]classify.LabeledImages[bool]
	for i := range data {
		if data[i].Pixels, data[i].Labels, err = batches.Batch(100 + i); err != nil {
			return "", err
		}
	}
	held := joined(data[2:])
	tuned, err := classify.FineTunePU(ctx, eng, m, joined(data[:2]), risk.NNPU(0.4, risk.SigmoidLoss),
		classify.FineTuneConfig{
			Epochs: faultSteps / 2, BatchSize: 8, LearningRate: 0.02, Seed: 2, BatchStatistics: true, Schedule: traintest.Cliff{},
			Keep: evaluate.WithoutNegatives, HeldOut: &classify.HeldOut{Images: held, Test: held, Proxy: evaluate.ByProxyAUC},
			Checkpoint: c.Checkpoint, CheckpointEvery: c.CheckpointEvery, Observer: c.Observer,
		})
	if err != nil {
		return "", err
	}
	chosen, err := tuned.Tuning.Selection()
	if err == nil && chosen.WithoutNegatives.Epoch == chosen.Last.Epoch {
		err = errors.New("the last epoch is kept, which does not show whether the best weights survive")
	}
	if err != nil {
		return "", err
	}
	text, err := stateOf(tuned.Tuning.History, tuned.Model.Store())
	return fmt.Sprintf("%s%x %x %+v", text, tuned.Probe.Weights.RawMatrix().Data, tuned.Probe.Bias,
		tuned.Tuning.Epochs), err
}

// joined puts several sets of images together.
func joined(all []classify.LabeledImages[bool]) (one classify.LabeledImages[bool]) {
	for _, images := range all {
		one.Pixels, one.Labels = append(one.Pixels, images.Pixels...), append(one.Labels, images.Labels...)
	}
	return one
}

// slope returns a very fast task: a network learns a number and the outputs of a teacher, its own moving average.
func slope() train.Task {
	store, state := model.NewStore(), &struct{ Steps []int }{}
	encoder.SetSeed(store, 1)
	return train.Task{
		Store: store, Name: "slope", Data: "one row", State: state,
		Trained: "student", Networks: []string{"student", "teacher"}, AfterUpdate: train.MovingAverage("teacher", "student",
			0.9),
		Batch: func(step int) (train.Batch, error) {
			x := []float32{1, 2, float32(step), -1}
			return train.Batch{Examples: 2, Inputs: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, 2, 2)}}, nil
		},
		Outputs: func(scope *model.Scope, inputs []*Node) *Node {
			student := encoder.Dense(scope.In("student"), inputs[0], 3, true)
			teacher := StopGradient(encoder.Dense(scope.In("teacher"), inputs[0], 3, true))
			return Concatenate([]*Node{student, teacher}, -1)
		},
		Loss: func(outputs *Node, _ []*Node) *Node {
			student, teacher := SliceAxis(outputs, 1, AxisRange(0, 3)), SliceAxis(outputs, 1, AxisRange(3))
			return ReduceAllMean(Add(Square(AddScalar(student, -1)), Square(Sub(student, teacher))))
		},
		AfterStep: func(done int) (*train.Reading, error) {
			state.Steps = append(state.Steps, done)
			return nil, nil
		},
	}
}

// contentOf describes the whole state of a run, to the last bit.
func contentOf(task train.Task, h *train.History) string {
	text, err := stateOf(*h, task.Store)
	return fmt.Sprintf("%+v %v\n%s", task.State, err, text)
}

// resultOf describes a model to the last bit.
func resultOf(m *train.Model) (string, error) { return stateOf(m.History, m.Store()) }

// stateOf describes a history and all variables to the last bit.
func stateOf(h train.History, store *model.Store) (string, error) {
	text := fmt.Sprintf("%x\n%x\n%x\n%x\n%v\n", h.Losses, h.Rates, h.GradientNorms, h.ProjectionNorms, h.Examples)
	for _, r := range h.Readings {
		text += fmt.Sprintf("after %d: %x %x %x\n", r.Step, r.Projections, r.Embeddings, *r.Monitor)
	}
	var lines []string
	for v := range store.IterVariables() {
		value, err := v.Value()
		if err != nil {
			return "", err
		}
		value.MustConstFlatData(func(flat any) {
			sum := sha256.Sum256(fmt.Appendf(nil, "%x", flat))
			lines = append(lines, fmt.Sprintf("%s %s %t %x\n", v.Path(), value.Shape(), v.Trainable, sum))
		})
	}
	slices.Sort(lines)
	return text + strings.Join(lines, ""), nil
}

// classifier trains a head on a model.
func classifier(t *testing.T, eng *engine.Engine, m *train.Model) *learn.Classifier {
	t.Helper()
	head := &probe.Probe{Weights: mat.NewDense(1, 8, nil), Bias: []float64{0.5}}
	trained := &learn.Trained{Members: []learn.Member{{Network: m, Head: head}}}
	return expect.Must(learn.NewClassifier(eng, &learn.Dataset{Shape: m.Shape()}, nil, trained, learn.Info{}))(t)
}
