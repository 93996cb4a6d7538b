package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/runlog"
	"github.com/puclab/puclab/pucl/engine"
)

// newWorker returns a worker with its own folders, and a run whose training is train.
func newWorker(t *testing.T, train func() (*Outcome, error)) (Worker, Run) {
	t.Helper()
	run := newRun(settings{Steps: 1})
	run.Train = func(context.Context, *engine.Engine, Place) (*Outcome, error) { return train() }
	return Worker{Store: &Store{t.TempDir()}, Work: t.TempDir(), Engine: enginetest.Open(t)}, run
}

// A run that was done after it was planned is not done again, nor is a run in progress in another program.
func TestAWorkerLooksFirst(t *testing.T) {
	trained := 0
	w, run := newWorker(t, func() (*Outcome, error) {
		trained++
		return &Outcome{Points: []Point{scored("", 1, 0.5)}}, nil
	})
	planned := Standing{Run: run, State: Missing}
	release, locked, err := w.Store.lock(Laptop, run, deskOf(w.Work, Laptop, run))
	expect.Require(t, err == nil && locked, "%v %v", locked, err)
	var busy *Busy
	_, err = w.Do(t.Context(), Laptop, planned)
	expect.That(t, errors.As(err, &busy) && trained == 0 && strings.Contains(err.Error(), run.String()),
		"%v, trained %d times", err, trained)
	release()
	for range 2 {
		now := expect.Must(w.Do(t.Context(), Laptop, planned))(t)
		expect.That(t, now.State == Done && trained == 1, "%s, trained %d times", now.State, trained)
	}
	// A stale run is done again only if the file is unchanged since it was planned.
	run.Version++
	planned, err = w.Store.Look(Laptop, run)
	expect.Require(t, err == nil && planned.State == Stale, "%v %v", planned, err)
	for range 2 {
		now := expect.Must(w.Do(t.Context(), Laptop, planned))(t)
		expect.That(t, now.State == Done && trained == 2, "%s, trained %d times", now.State, trained)
	}
}

// Files in the shared folder are available to other runs of the size, and not to another size.
func TestSharedFolder(t *testing.T) {
	w, run := newWorker(t, nil)
	var found []bool
	run.Train = func(_ context.Context, _ *engine.Engine, place Place) (*Outcome, error) {
		path := filepath.Join(place.Shared, "encoder")
		_, err := os.Stat(path)
		found = append(found, err == nil)
		return &Outcome{Points: []Point{scored("", 1, 0.5)}}, os.WriteFile(path, nil, 0o644)
	}
	other := run
	other.Method = "another one"
	for _, size := range []Size{Laptop, Smoke} {
		for _, r := range []Run{run, other} {
			expect.Equal(t, expect.Must(w.Do(t.Context(), size, Standing{Run: r, State: Missing}))(t).State, Done)
		}
	}
	expect.Equal(t, found, []bool{false, true, false, true}, "found")
}

// The log of a training stays when the run is done, and does not count as saved state.
func TestLogsStay(t *testing.T) {
	w, run := newWorker(t, nil)
	run.Train = func(_ context.Context, _ *engine.Engine, place Place) (*Outcome, error) {
		folder := filepath.Join(place.Folder, "pretraining")
		before := expect.Must(fingerprint(place.Folder))(t)
		for _, name := range []string{runlog.RunFile, runlog.MetricsFile, runlog.EventsFile} {
			expect.File(t, filepath.Join(folder, name), []byte(name))
		}
		expect.Equal(t, expect.Must(fingerprint(place.Folder))(t), before)
		expect.File(t, filepath.Join(folder, "training.checkpoint"), []byte("state"))
		expect.That(t, expect.Must(fingerprint(place.Folder))(t) != before, "a checkpoint does not count")
		return &Outcome{Points: []Point{scored("", 1, 0.5)}}, nil
	}
	expect.Equal(t, expect.Must(w.Do(t.Context(), Smoke, Standing{Run: run, State: Missing}))(t).State, Done)
	desk := deskOf(w.Work, Smoke, run)
	expect.That(t, expect.Err(os.Stat(desk.run())) != nil, "the checkpoints are left")
	left := expect.Must(os.ReadDir(filepath.Join(desk.logs(), "pretraining")))(t)
	expect.Equal(t, len(left), 3, "%v", left)
}

// Lack of memory and failures that every retry would repeat are results; other errors of runs are not.
func TestErrorsOfRuns(t *testing.T) {
	collapsed := &Failure{errors.New("the embedding has collapsed")}
	for cause, failure := range map[error]string{
		errors.New("RESOURCE_EXHAUSTED: 3 GB"): "out of memory: RESOURCE_EXHAUSTED: 3 GB; take smaller batches",
		errors.New("the images are not here"):  "",
		collapsed:                              "training: the embedding has collapsed",
	} {
		w, run := newWorker(t, func() (*Outcome, error) { return nil, fmt.Errorf("training: %w", cause) })
		now, err := w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing})
		if failed := failure != ""; failed != (err == nil && now.State == Failed) {
			t.Errorf("%s: %v, %v", cause, now, err)
		} else if failed && !strings.HasPrefix(now.Result.Failure, failure) {
			t.Error(now.Result.Failure)
		} else if !failed && !strings.Contains(err.Error(), fmt.Sprintf("%s: training: %v", run, cause)) {
			t.Error(err)
		}
	}
}

func TestSetThreads(t *testing.T) {
	t.Setenv("NPROC", "")
	t.Setenv("OMP_NUM_THREADS", "")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	err := SetThreads(3)
	expect.That(t, err == nil && runtime.GOMAXPROCS(0) == 3 && os.Getenv("NPROC") == "3" &&
		os.Getenv("OMP_NUM_THREADS") == "3",
		"%v: %d, %s, %s", err, runtime.GOMAXPROCS(0), os.Getenv("NPROC"), os.Getenv("OMP_NUM_THREADS"))
}

// answered returns answers with as many correct ones as on the test examples of a point.
func answered(p Point) Answers {
	answers := make(Answers, p.Test.N())
	for i := range p.Test.TruePositive + p.Test.TrueNegative {
		answers[i*7%len(answers)] = true
	}
	return answers
}

// Answers are stored at the points that a rule chooses, loose and packed, and are read only on request.
func TestAnswers(t *testing.T) {
	w, run := newWorker(t, func() (*Outcome, error) {
		points := []Point{scored("", 1, 0.6), scored("", 2, 0.9), scored("", 3, 0.7), scored("", 4, 0.8)}
		for i := range points {
			points[i].Answers = answered(points[i])
		}
		return &Outcome{Points: append(points, Point{Values: map[string]float64{"a": 1}})}, nil
	})
	now := expect.Must(w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing}))(t)
	check := func(what string, want ...int) {
		t.Helper()
		now, err := w.Store.Look(Laptop, run)
		points, answersErr := w.Store.Answers(Laptop, now)
		expect.Require(t, err == nil && answersErr == nil, "%v %v %v", what, err, answersErr)
		for i, p := range points {
			expect.That(t, now.Result.Points[i].Answers == nil, "%s: a look reads answers", what)
			kept := slices.Contains(want, i)
			expect.That(t, kept == (p.Answers != nil) && (!kept || slices.Equal(p.Answers, answered(p))),
				"%s: answers at point %d: %t, want %t", what, i, p.Answers != nil, kept)
		}
	}
	check("loose", 1, 3) // chosen by Oracle and Last
	expect.NoError(t, w.Store.Pack(Laptop, []Run{run}))
	check("packed", 1, 3)
	keep(t, w.Store, run, nil)
	check("of a result without")
	expect.NoError(t, w.Store.Pack(Laptop, []Run{run}))
	if _, err := os.Stat(w.Store.packFile(Laptop, run, answersEnding)); !os.IsNotExist(err) {
		t.Errorf("answers of no result are left: %v", err)
	}
	points := expect.Must(w.Store.Answers(Laptop, now))(t)
	expect.That(t, points[1].Answers == nil, "of a result that is gone:")
	wrong := scored("CE", 1, 0.9)
	wrong.Answers = answered(wrong)[1:]
	err := (&Outcome{Points: []Point{wrong}}).check()
	expect.That(t, strings.Contains(fmt.Sprint(err), "999 answers, 899 of them right"), "%v", err)
	for _, text := range []string{"", "3", "x:", "-1:", "3:AAA=", "9:AA==", "3:CA==", "1:A"} {
		err := new(Answers).UnmarshalText([]byte(text))
		expect.That(t, err != nil, "%q was read as answers", text)
	}
}

// The ends of the bootstrap interval are quantiles of the mean over all equally likely resamples: 3³ of three tables,
// times 2² of two settings for each of them. A setting of two runs counts once.
func TestPairedBootstrap(t *testing.T) {
	differences := [3][2][]float64{{{0, 0.2}, {0.3}}, {{-0.4}, {0.7}}, {{1, 1.2}, {0.5}}}
	cells := &Cells{}
	for table, settings := range differences {
		for setting, runs := range settings {
			for seed, difference := range runs {
				for method, value := range map[string]float64{"a": 2 + difference, "b": 2} {
					cells.Standings = append(cells.Standings, Standing{
						Run:   Run{Setting: fmt.Sprintf("%d, %d", table, setting), Method: method, Seed: uint64(seed)},
						State: Done, Result: &Result{Points: []Point{{Values: map[string]float64{"x": value}}}},
					})
				}
			}
		}
	}
	interval := func(tables int) (low, high float64) {
		some := &Cells{slices.DeleteFunc(slices.Clone(cells.Standings), func(s Standing) bool {
			return int(s.Run.Setting[0]-'0') >= tables
		})}
		return some.PairedBootstrap(func(r Run) string { return r.Setting[:1] }, func(r Run) string { return r.Setting },
			Series{"", "a", ""}, Series{"", "b", ""}, func(a, b []Point) (float64, bool) { return a[0].Values["x"] - b[0].Values["x"], true })
	}
	means := [3][2]float64{{0.1, 0.3}, {-0.4, 0.7}, {1.1, 0.5}}
	for _, tables := range []int{2, 3} {
		sums := []float64{0}
		for range tables { // every table drawn, and two settings of it
			var longer []float64
			for _, sum := range sums {
				for _, of := range means[:tables] {
					for pair := range 4 {
						longer = append(longer, sum+(of[pair%2]+of[pair/2])/2/float64(tables))
					}
				}
			}
			sums = longer
		}
		slices.Sort(sums)
		at := func(p float64) float64 { return sums[int(math.Ceil(p*float64(len(sums))))-1] }
		low, high := interval(tables)
		// The resampled quantile is one of the exact values at levels within four standard errors.
		const error = 4 * 0.00156
		expect.That(t, at(0.025-error) <= low+1e-12 && low-1e-12 <= at(0.025+error) &&
			at(0.975-error) <= high+1e-12 && high-1e-12 <= at(0.975+error),
			"%d tables: %g to %g, want %g to %g", tables, low, high, at(0.025), at(0.975))
		again, _ := interval(tables)
		expect.That(t, cmp.Compare(again, low) == 0, "another call returns %g, the first %g", again, low)
	}
	low, high := interval(1)
	expect.That(t, math.IsNaN(low) && math.IsNaN(high), "one table: %g to %g", low, high)
}
