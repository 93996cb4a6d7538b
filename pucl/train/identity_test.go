package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/safetensors"
)

// startingWeights returns initial weights for tiny; the weights of two seeds have the same names and shapes.
func startingWeights(t *testing.T, seed uint64) map[string]safetensors.Tensor {
	t.Helper()
	config := identified(nil)
	config.Steps, config.Seed, config.LeaveOut = 1, seed, nil
	m := expect.Must(Pretrain(context.Background(), enginetest.Open(t), stripesOf(8, 2), config))(t)
	return expect.Must(m.Weights())(t)
}

// identified returns the run of which the test below changes one setting after the other.
func identified(weights map[string]safetensors.Tensor) Config {
	c := light(3)
	c.LearningRate, c.Weights, c.LeaveOut = 0.01, weights, []string{"fc."}
	return c
}

// A run resumes from a checkpoint only if everything that determines its numbers is unchanged. There is a case for
// every field of the identity.
func TestIdentity(t *testing.T) {
	eng := enginetest.Open(t)
	weights, others := startingWeights(t, 1), startingWeights(t, 2)
	expect.Require(t, len(weights) != 0 && len(weights) == len(others),
		"%d and %d tensors to start from", len(weights), len(others))
	type change struct {
		batches Batches // nil for the same
		bend    func(*Config)
		there   string
		asked   string
	}
	sameName := pucl.Objective{Name: pucl.PUCL().Name, Attract: pucl.Scale(0.5, pucl.PUCL().Attract), Repel: pucl.LogPartition}
	cases := map[string]change{
		"Data": {stripesOfAnotherName{stripesOf(8, 2)}, nil, "images 12×12×1, stripes",
			"images 12×12×1, other stripes"},
		"Objective":     {nil, func(c *Config) { c.Objective = pucl.SSCL() }, "PUCL", "ssCL"},
		"ObjectiveLoss": {nil, func(c *Config) { c.Objective = sameName }, "", ""},
		"Tau":           {nil, func(c *Config) { c.Tau = 0.25 }, "0.5", "0.25"},
		"Views":         {nil, func(c *Config) { c.Recipe = augment.Recipe{augment.Flip{Probability: 0.25}} }, "", ""},
		"Encoder": {nil, func(c *Config) {
			c.Encoder = encoder.SmallCNN{Width: 2, Dim: 8, Mean: 0.25}
		}, tiny.String(), "0.25"},
		"Projection":   {nil, func(c *Config) { c.Projection = 5 }, "4", "5"},
		"Weights":      {nil, func(c *Config) { c.Weights = others }, weightsDigest(weights), weightsDigest(others)},
		"LeaveOut":     {nil, func(c *Config) { c.LeaveOut = []string{"fc.", "head."} }, `["fc."]`, `["fc." "head."]`},
		"Seed":         {nil, func(c *Config) { c.Seed = 6 }, "5", "6"},
		"Steps":        {nil, func(c *Config) { c.Steps = 4 }, "3", "4"},
		"LearningRate": {nil, func(c *Config) { c.LearningRate = 0.02 }, "0.01", "0.02"},
		"Optimizer":    {nil, func(c *Config) { c.Optimizer = optim.SGD{} }, "Adam", optim.SGD{}.String()},
		"Schedule":     {nil, func(c *Config) { c.Schedule = optim.Constant{} }, optim.Cosine{}.String(), optim.Constant{}.String()},
		"BFloat16":     {nil, func(c *Config) { c.Compute.BFloat16 = true }, "false", "true"},
		"MicroBatches": {nil, func(c *Config) { c.Compute.MicroBatches = 2 }, "1", "2"},
	}
	fields := append(reflect.VisibleFields(reflect.TypeFor[identity]()), reflect.VisibleFields(reflect.TypeFor[settingsIdentity]())...)
	for _, f := range fields {
		_, ok := cases[f.Name]
		expect.That(t, ok, "there is no case for the field %s of what identifies a run", f.Name)
		expect.That(t, f.IsExported(), "the field %s is not exported, and so not compared", f.Name)
	}
	expect.That(t, len(cases) == len(fields), "%d cases for %d fields", len(cases), len(fields))

	config := identified(weights)
	config.Checkpoint = t.TempDir()
	var ctx context.Context
	ctx, config.Observer = stopAfter(2)
	_, err := Pretrain(ctx, eng, stripesOf(8, 2), config)
	expect.Require(t, errors.Is(err, context.Canceled), "%v", err)
	config.Observer = nil
	for name, c := range cases {
		other, batches := config, Batches(stripesOf(8, 2))
		if c.bend != nil {
			c.bend(&other)
		}
		if c.batches != nil {
			batches = c.batches
		}
		_, err := Pretrain(context.Background(), eng, batches, other)
		names(t, name, err, "is the checkpoint of another run", fmt.Sprintf("\n  %s: there %s", name, c.there), ", asked for ", c.asked)
	}
	// An unchanged run resumes. So does a run whose Compute changes the numbers by rounding alone.
	if here := eng.Backend.NumDevices(); here >= 2 {
		config.Compute.Devices = 2
	}
	config.Compute.Recompute = eng.Kind != "go"
	steps := 0
	config.Observer = OnStep(func(Progress) { steps++ })
	if _, err := Pretrain(context.Background(), eng, stripesOf(8, 2), config); err != nil || steps != 1 {
		t.Errorf("going on took %d steps, want the one that is left: %v", steps, err)
	}
}

// stripesOfAnotherName are stripes with another String.
type stripesOfAnotherName struct{ stripes }

func (stripesOfAnotherName) String() string { return "other stripes" }

// Tasks with other names or fields are distinguished too, and lists by their entries.
func TestIdentityOfTasks(t *testing.T) {
	type one struct{ Words []string }
	type two struct {
		Words []string
		More  int
	}
	eng := enginetest.Open(t)
	settings := Settings{Steps: 1, Checkpoint: t.TempDir()}
	task := regression()
	task.Identity = one{[]string{"a b"}}
	runTask(t, eng, task, settings)
	for _, tt := range []struct {
		name     string
		identity any
		want     string
	}{
		{"regression", one{[]string{"a", "b"}}, `Words: there ["a b"], asked for ["a" "b"]`},
		{"regression", two{[]string{"a b"}, 3}, "More: there not recorded, asked for 3"},
		{"regression", nil, `Words: there ["a b"], asked for not recorded`},
		{"another", one{[]string{"a b"}}, "Task: there regression, asked for another"},
	} {
		task := regression()
		task.Name, task.Identity = tt.name, tt.identity
		names(t, tt.want, expect.Err(Run(context.Background(), eng, task, settings)), "another run", "\n  "+tt.want)
	}
	again := regression()
	again.Identity = one{[]string{"a b"}}
	runTask(t, eng, again, settings)
	// Names that are not UTF-8, which files cannot store unchanged, are recognized when read again.
	settings.Checkpoint = t.TempDir()
	for range 2 {
		latin := regression()
		latin.Identity = struct{ File string }{"caf\xe9"}
		runTask(t, eng, latin, settings)
	}
}

// A checkpoint of the earlier program, which identified runs by a sentence, must not be ignored.
func TestCheckpointOfAnEarlierProgram(t *testing.T) {
	data := expect.Must(os.ReadFile(filepath.Join("testdata", earlierFile)))(t)
	config := quick(2)
	config.Checkpoint = t.TempDir()
	path := filepath.Join(config.Checkpoint, earlierFile)
	expect.NoError(t, os.WriteFile(path, data, 0o644))
	_, err := Pretrain(context.Background(), enginetest.Open(t), stripesOf(8, 2), config)
	names(t, "an earlier checkpoint", err, "train: "+path+" was written by an earlier version of this program", "name another folder")
	if after, err := os.ReadFile(path); err != nil || !slices.Equal(after, data) {
		t.Errorf("the earlier checkpoint was changed (%v)", err)
	}
	// Under the new name it is not a valid checkpoint.
	expect.NoError(t, os.Rename(path, filepath.Join(config.Checkpoint, checkpointFile)))
	_, err = Pretrain(context.Background(), enginetest.Open(t), stripesOf(8, 2), config)
	expect.That(t, err != nil, "the checkpoint of an earlier program was taken under the new name")
}
