//go:build unix

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// goEngine opens the pure-Go engine, which compiles nothing, for tests in which the engine plays no part.
func goEngine(t *testing.T) *engine.Engine {
	t.Helper()
	t.Setenv("GOMLX_BACKEND", "go:ops_sequential")
	return expect.Must(engine.Open())(t)
}

// No damage makes a checkpoint another one that a run goes on from.
func TestFaultDamagedCheckpoint(t *testing.T) {
	eng := goEngine(t)
	folder := t.TempDir()
	settings := train.Settings{Steps: 3, Checkpoint: folder}
	expect.NoError(t, expect.Err(train.Run(context.Background(), eng, slope(), settings)))
	path := filepath.Join(folder, newest)
	data := expect.Must(os.ReadFile(path))(t)
	stopped, stop := context.WithCancel(context.Background())
	stop()
	alone := t.TempDir()
	settings.Checkpoint = alone
	result, err := damagetest.Try(data, faults(t, 250), func(data []byte) (string, error) {
		expect.NoError(t, os.WriteFile(filepath.Join(alone, newest), data, 0o644))
		task := slope()
		h, err := train.Run(stopped, eng, task, settings)
		if err != nil && !errors.As(err, new(*train.Stopped)) {
			return "", err
		}
		return contentOf(task, h), nil
	})
	expect.That(t, err == nil && result.Other <= 0 && result.Panicked <= 0 && result.Refused != 0,
		"%v, %v", result, err)
	t.Logf("| damaged checkpoint of %d bytes | %v |", len(data), result)
}

// Where the newest checkpoint is damaged or missing, the run goes on from the one before, says so, and ends in the same bits.
func TestFaultCheckpointBefore(t *testing.T) {
	eng := goEngine(t)
	settings := train.Settings{Steps: 6, CheckpointEvery: 1}
	whole := slope()
	h := expect.Must(train.Run(context.Background(), eng, whole, settings))(t)
	want := contentOf(whole, h)
	settings.Checkpoint = t.TempDir()
	stopping, stop := context.WithCancel(context.Background())
	settings.Observer = train.OnStep(func(p train.Progress) {
		if p.Step == 4 {
			stop()
		}
	})
	if _, err := train.Run(stopping, eng, slope(), settings); !errors.As(err, new(*train.Stopped)) {
		t.Fatal(err)
	}
	kept := map[string][]byte{}
	for _, name := range []string{newest, before} {
		kept[name] = expect.Must(os.ReadFile(filepath.Join(settings.Checkpoint, name)))(t)
	}
	run := func(folder string) (content string, from int, notes []string, err error) {
		settings.Checkpoint = folder
		task := slope()
		settings.Observer = steps{func(p train.Progress) { from, notes = p.Step, p.Notes }, func(train.Progress) {}}
		h, err := train.Run(context.Background(), eng, task, settings)
		if err != nil {
			return "", 0, nil, err
		}
		return contentOf(task, h), from, notes, nil
	}
	var seen tally
	try := func(what string, damaged []byte) {
		folder := t.TempDir()
		expect.NoError(t, os.WriteFile(filepath.Join(folder, before), kept[before], 0o644))
		if damaged != nil {
			expect.NoError(t, os.WriteFile(filepath.Join(folder, newest), damaged, 0o644))
		}
		content, from, notes, err := run(folder)
		expect.Require(t, err == nil && from == 3 && content == want, "%s: goes on from %d, %v", what, from, err)
		expect.Require(t, len(notes) == 1 && strings.Contains(notes[0], filepath.Join(folder, newest)) &&
			strings.Contains(notes[0], before), "%s: it says %q", what, notes)
		seen.add("went on from the one before, and said so")
	}
	try("missing", nil)
	for what, damaged := range damagetest.Of(kept[newest], faults(t, 20)) {
		try(what, damaged)
	}
	// Nothing is left to go on from where both are damaged, and nothing is made of it.
	folder := t.TempDir()
	for name, data := range kept {
		data[len(data)/2] ^= 1
		expect.NoError(t, os.WriteFile(filepath.Join(folder, name), data, 0o644))
	}
	_, _, _, err := run(folder)
	for _, word := range []string{filepath.Join(folder, newest), filepath.Join(folder, before), "delete the folder to start anew"} {
		expect.That(t, err != nil && strings.Contains(err.Error(), word), "both damaged: %v lacks %q", err, word)
	}
	seen.add("both damaged and refused")
	seen.row(t, "newest checkpoint damaged")
}

// No wrong clock loses anything: a state from the future or from long ago is gone on from, and what a killed run left is tidied.
func TestFaultClock(t *testing.T) {
	eng := goEngine(t)
	for _, when := range []time.Time{time.Unix(0, 0), time.Now().Add(20 * 365 * 24 * time.Hour)} {
		settings := train.Settings{Steps: 4, CheckpointEvery: 1, Checkpoint: t.TempDir()}
		stopping, stop := context.WithCancel(context.Background())
		settings.Observer = train.OnStep(func(p train.Progress) {
			if p.Step == 2 {
				stop()
			}
		})
		_, err := train.Run(stopping, eng, slope(), settings)
		expect.Require(t, errors.As(err, new(*train.Stopped)), "%v", err)
		for _, left := range []string{newest + ".1.part", "training.lock"} {
			expect.NoError(t, os.WriteFile(filepath.Join(settings.Checkpoint, left), []byte("left"), 0o644))
		}
		for _, name := range []string{newest, before, newest + ".1.part", "training.lock", "."} {
			expect.NoError(t, os.Chtimes(filepath.Join(settings.Checkpoint, name), when, when))
		}
		from := -1
		settings.Observer = steps{func(p train.Progress) { from = p.Step }, func(train.Progress) {}}
		if _, err := train.Run(context.Background(), eng, slope(), settings); err != nil || from != 2 {
			t.Errorf("%v: goes on from %d, %v", when, from, err)
		}
		if left, err := os.ReadDir(settings.Checkpoint); err != nil || len(left) != 2 {
			t.Errorf("%v: %v, %v", when, left, err)
		}
	}
}

// damagedFile has load read a file, damaged in many ways, and fails the test if it once makes something else of it.
func damagedFile(t *testing.T, kind, path string, load func() (content string, err error)) {
	t.Helper()
	data := expect.Must(os.ReadFile(path))(t)
	result, err := damagetest.Try(data, faults(t, 250), func(data []byte) (string, error) {
		expect.NoError(t, os.WriteFile(path, data, 0o644))
		return load()
	})
	expect.That(t, err == nil && result.Other <= 0 && result.Panicked <= 0 && result.Refused != 0,
		"%s: %v, %v", kind, result, err)
	t.Logf("| damaged %s of %d bytes | %v |", kind, len(data), result)
}

// No damage makes a model, a classifier or an embedding another one.
func TestFaultDamagedModel(t *testing.T) {
	eng := goEngine(t)
	batches := expect.Must(faultBatches())(t)
	config := faultConfig("", 1, 0)
	config.Steps, config.Encoder = 2, encoder.MLP{Hidden: []int{}, Dim: 2}
	m := expect.Must(train.Pretrain(context.Background(), eng, batches, config))(t)
	path := filepath.Join(t.TempDir(), "model")
	expect.NoError(t, m.Save(path))
	damagedFile(t, "model", path, func() (string, error) {
		m, err := train.LoadModel(path, nil)
		if err != nil {
			return "", err
		}
		text, err := resultOf(m)
		return text + fmt.Sprint(m.Record), err
	})
	path = filepath.Join(t.TempDir(), "classifier")
	expect.NoError(t, classifier(m).Save(path))
	damagedFile(t, "classifier", path, func() (string, error) {
		c, err := classify.Load(path, nil)
		if err != nil {
			return "", err
		}
		text, err := resultOf(c.Model)
		return text + fmt.Sprintf("%v %+v", c.Model.Record, c.Probe), err
	})
	e := &train.Embedding{H: mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), Z: mat.NewDense(3, 1, []float64{7, 8, 9})}
	path = filepath.Join(t.TempDir(), "embedding")
	expect.NoError(t, e.Save(path))
	damagedFile(t, "embedding", path, func() (string, error) {
		e, err := train.LoadEmbedding(path)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(e.H, e.Z), nil
	})
}
