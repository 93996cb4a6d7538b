//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/puclab/puclab/internal/enginetest" // workers open its engine
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/interrupts"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// This test program is also the worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-worker" {
		os.Exit(run(interrupts.Context(), os.Args[1:], os.Stdout, os.Stderr, fakeTables))
	}
	os.Exit(m.Run())
}

// The current configuration of the runs, which workers inherit.
const (
	learningRate = "PUCL_TEST_LEARNING_RATE"
	misbehavior  = "PUCL_TEST_MISBEHAVIOR" // of nnPU's second seed
)

// fakeTables are two tables that share runs.
var fakeTables = catalog{
	names: func() []string { return []string{"table-1", "table-2"} },
	find: func(name string, size experiment.Size) (experiment.Grid, error) {
		grid := experiment.Grid{Name: name, Size: size}
		for _, method := range []string{"PUCL", "nnPU"} {
			if name == "table-1" && method == "nnPU" {
				continue
			}
			for seed := range uint64(3) {
				grid.Runs = append(grid.Runs, experiment.Run{
					Setting: "FMNIST-I, 1000 labeled", Method: method, Seed: seed, Version: 1,
					Config: struct{ LearningRate string }{os.Getenv(learningRate)},
					Train: func(ctx context.Context, _ *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
						place.Observer.Start(train.Progress{Steps: 3})
						time.Sleep(20 * time.Millisecond) // enough to be reported
						if method == "nnPU" && seed == 1 {
							switch os.Getenv(misbehavior) {
							case "diverges":
								return nil, &train.Diverged{Step: 7}
							case "lacks its data":
								return nil, errors.New("the images are not here; fetch them with setup")
							case "is killed":
								self, err := os.FindProcess(os.Getpid())
								return nil, errors.Join(err, self.Kill())
							case "hangs":
								<-ctx.Done()
								return nil, ctx.Err()
							}
						}
						return &experiment.Outcome{Points: []experiment.Point{{Values: map[string]float64{"prior": 0.5}}}}, nil
					},
				})
			}
		}
		return grid, nil
	},
}

// shop is a test environment for the program.
type shop struct {
	t       *testing.T
	results string
	folders []string
}

func newShop(t *testing.T) *shop {
	folder := t.TempDir()
	results := filepath.Join(folder, "results")
	return &shop{t, results, []string{"-results", results, "-work", filepath.Join(folder, "work")}}
}

// grid runs the program and checks that its complete output contains texts.
func (s *shop) grid(args string, status int, want ...string) string {
	s.t.Helper()
	return s.gridIn(s.t.Context(), args, status, want...)
}

func (s *shop) gridIn(ctx context.Context, args string, status int, want ...string) string {
	s.t.Helper()
	var out, messages bytes.Buffer
	got := run(ctx, append(s.folders, strings.Fields(args)...), &out, &messages, fakeTables)
	expect.That(s.t, got == status, "grid %s: status %d, want %d\n%s", args, got, status, messages.String())
	said := "grid " + args + "\n" + out.String() + messages.String()
	contains(s.t, said, want...)
	return said
}

// loose returns the results that are not packed.
func (s *shop) loose() []string {
	paths, _ := filepath.Glob(filepath.Join(s.results, "smoke/*/*/*.json")) // the pattern is valid
	return paths
}

func TestUsage(t *testing.T) {
	s := newShop(t)
	for args, want := range map[string]string{
		"":                             "which table? There are table-1, table-2",
		"-list":                        "which table? There are table-1, table-2",
		"table-3":                      `there is no table "table-3" (did you mean "table-1"?); there are table-1, table-2`,
		"-size huge table-1":           `there is no size "huge"; choose smoke, laptop or paper`,
		"table-1 -seeds 2-1":           `"2-1" is no seed and no range of seeds; want 1,2 or 1-5`,
		"table-1 -seeds one":           `"one" is no seed`,
		"table-1 -workers -1":          "want a positive number, or 0 for the default",
		"table-1 -on cloud":            "-on cloud: want here or slurm",
		"table-1 -on slurm -workers 2": "the cluster decides how many runs",
		"table-1 -slurm --time=1":      "-slurm is for -on slurm",
		"table-1 -on slurm -slurm 'a":  "a quote in -slurm 'a is not closed",
		"table-1 -nosuch":              "flag provided but not defined: -nosuch",
		"-export xml":                  "-export xml: want csv or json",
		"-pack -export csv":            "-list, -pack and -export exclude each other",
		"table-1 -from there":          "-from is for -pack",
		"table-1 -o there":             "-o is for -export",
	} {
		s.grid(args, exitUsage, want)
	}
	s.grid("-h", exitOK, "-size", "-seeds")
	for args, want := range map[string]string{
		"table-2 -only pucl,nnup": `-only nnup: no run of table-2 of size smoke holds that in its path (did you mean "nnpu"?); ` +
			"the methods there are nnpu, pucl, and the settings fmnist-i-1000-labeled\n",
		"table-2 -only elephants":            "-only elephants: no run of table-2 of size smoke holds that in its path; the methods",
		"table-2 -seeds 1,9":                 "-seeds 9: no run of table-2 of size smoke has such a seed; there are 0, 1, 2\n",
		"table-2 -seeds 7-9":                 "-seeds 7-9: no run of table-2",
		"table-2 -only pucl/seed-1 -seeds 0": "table-2 of size smoke has no run that both -only and -seeds ask for",
	} {
		s.grid(args, exitFailed, want)
		s.grid(args+" -list", exitFailed, want)
	}
	s.grid("table-2 -list", exitOK, "0 of 6 runs done")
}

func TestTheRunsOfTablesAreDone(t *testing.T) {
	s := newShop(t)
	s.grid("-list table-1 table-2", exitOK, "missing  fmnist-i-1000-labeled/pucl/seed-0\n", "0 of 6 runs done, 6 missing\n")
	s.grid("table-1 -seeds 0,2 -workers 1", exitOK, "[2/2] FMNIST-I, 1000 labeled / PUCL / seed 2: 0.", "table-1: 2 of 2 runs done.")
	s.grid("table-2 -only PUCL/,/pucl", exitOK, "[1/1] FMNIST-I, 1000 labeled / PUCL / seed 1", "table-2: 3 of 3 runs done.")
	s.grid("table-1 -size laptop -list", exitOK, "0 of 3 runs done, 3 missing")
	s.grid("table-1 table-2", exitOK, "[3/3] ", "table-1, table-2: 6 of 6 runs done.")
	said := s.grid("table-1 table-2", exitOK, "table-1, table-2: 6 of 6 runs done.")
	expect.That(t, !strings.Contains(said, "["), "runs were done again:\n%s", said)
	s.grid("-list table-1", exitOK, "done     fmnist-i-1000-labeled/pucl/seed-0                  0.", "3 of 3 runs done\n")
}

func TestWhatStandsIsNotWrittenOverUnasked(t *testing.T) {
	s := newShop(t)
	s.grid("table-1", exitOK)
	t.Setenv(learningRate, "0.01")
	file := filepath.Join(s.results, "smoke/fmnist-i-1000-labeled.jsonl.gz")
	before := expect.Must(os.ReadFile(file))(t)
	stale := []string{"LearningRate is 0.01 here and zero in the file", "-again does the run anew", "0 of 3 runs done, 3 stale"}
	s.grid("-list table-1", exitOK, stale...)
	s.grid("table-1", exitFailed, append(stale, "3 stale: nothing was written over.")...)
	after := expect.Must(os.ReadFile(file))(t)
	expect.That(t, bytes.Equal(before, after), "the result was changed:")
	s.grid("table-2 -only pucl", exitFailed, "3 stale: nothing was written over.")
	s.grid("-again table-1", exitOK, "table-1: 3 of 3 runs done.")
	said := s.grid("-again table-1", exitOK, "table-1: 3 of 3 runs done.")
	expect.That(t, !strings.Contains(said, "["), "runs were done again:\n%s", said)
}

func TestRunsThatFail(t *testing.T) {
	s := newShop(t)
	t.Setenv(misbehavior, "diverges")
	failed := []string{"failed: FMNIST-I, 1000 labeled / nnPU / seed 1: failed: train: ",
		"1 failed: -failed tries them again.", "5 of 6 runs done, 1 failed"}
	s.grid("table-2", exitFailed, failed...)
	said := s.grid("table-2", exitFailed, failed...)
	expect.That(t, !strings.Contains(said, "["), "it was tried again unasked:\n%s", said)
	t.Setenv(misbehavior, "")
	s.grid("-failed table-2", exitOK, "[1/1]", "6 of 6 runs done.")
}

func TestWhatIsMissingEndsTheGrid(t *testing.T) {
	s := newShop(t)
	t.Setenv(misbehavior, "lacks its data")
	s.grid("table-2 -workers 1", exitFailed, "FMNIST-I, 1000 labeled / nnPU / seed 1: the images are not here; fetch them with setup")
	t.Setenv(misbehavior, "")
	s.grid("table-2", exitOK, "6 of 6 runs done.")
	expect.NoError(t, os.WriteFile(filepath.Join(s.results, "thesis.tex"), nil, 0o644))
	s.grid("table-2", exitFailed, "is no folder of results: it holds thesis.tex")
}

func TestInterrupted(t *testing.T) {
	s := newShop(t)
	t.Setenv(misbehavior, "hangs")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil && len(s.loose()) < 5 { // all others are done
			time.Sleep(10 * time.Millisecond)
		}
	}()
	s.gridIn(ctx, "table-2", exitInterrupted, "interrupted; the same again goes on from here")
	expect.Equal(t, s.loose(), nil, "not packed")
	s.grid("-list table-2", exitOK, "done     fmnist-i-1000-labeled/pucl/seed-0")
	t.Setenv(misbehavior, "")
	s.grid("table-2", exitOK, "6 of 6 runs done.")
}

// Without Slurm the error is a sentence.
func TestNoSlurm(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	newShop(t).grid("table-1 -on slurm", exitFailed, "there is no Slurm on this machine")
}

// The error lists a few runs of each kind with the remedy, and counts the others.
func TestRest(t *testing.T) {
	var standings []experiment.Standing
	for seed := range uint64(9) {
		run := experiment.Run{Setting: "a", Method: "b", Seed: seed}
		standings = append(standings, experiment.Standing{Run: run, State: experiment.Missing})
	}
	err := rest(standings)
	expect.That(t, err != nil && strings.Count(err.Error(), "\n") == shown+1 &&
		strings.Contains(err.Error(), "and 4 more that are missing\n9 missing: the same"), "%v", err)
	for i := range standings {
		standings[i].State = experiment.Done
	}
	if err := rest(standings); err != nil {
		t.Error(fmt.Errorf("all is done, and still: %w", err))
	}
}

// contains checks that an output contains texts.
func contains(t *testing.T, said string, want ...string) {
	t.Helper()
	for _, text := range want {
		expect.That(t, strings.Contains(said, text), "no %q in\n%s", text, said)
	}
}
