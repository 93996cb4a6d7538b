//go:build unix

package faults_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// goEngine opens the pure-Go engine, which compiles nothing, for tests that do not depend on the engine.
func goEngine(t *testing.T) *engine.Engine {
	t.Helper()
	t.Setenv("GOMLX_BACKEND", "go:ops_sequential")
	return expect.Must(engine.Open())(t)
}

// A run must never resume from a damaged checkpoint as from a valid one.
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
	expect.That(t, err == nil && result.Other <= 0 && result.Panicked <= 0 && result.Refused != 0, "%v, %v", result, err)
	t.Logf("| damaged checkpoint of %d bytes | %v |", len(data), result)
}

// A wrong clock must not lose anything: a run resumes from a state dated in the future or long ago, and the partial
// files of a killed run are removed.
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
		for _, left := range []string{newest + ".1.part", "run.json.1.part", "training.lock"} {
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
		if left, err := os.ReadDir(settings.Checkpoint); err != nil || len(left) != 5 { // two checkpoints and the log
			t.Errorf("%v: %v, %v", when, left, err)
		}
	}
}
