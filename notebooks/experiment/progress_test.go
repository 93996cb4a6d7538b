package experiment

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/sealed"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

func TestProgressText(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	run := Run{Setting: "FMNIST-I", Method: "nnPU", Seed: 2}
	at := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	started := AtWork{Run: run, Since: start, Expected: 200}
	again := AtWork{Run: run, Since: start, Expected: 200, Before: 150}
	own := AtWork{Run: run, Since: start}
	own.update(90, 1000, at(0))   // resumed from a checkpoint
	own.update(100, 1000, at(10)) // after some preparation
	own.update(200, 1000, at(30))
	over := AtWork{Run: run, Since: start, Expected: 20}
	over.update(0, 10, at(0))
	over.update(1, 10, at(3))
	over.update(9, 10, at(27))
	slow := own // slower than similar runs, perhaps those of a faster machine or setting
	slow.Expected = 100
	second := own
	second.update(0, 300, at(30)) // another training of the same run
	for _, c := range []struct {
		p    Progress
		want string
	}{
		{Progress{Done: 12, Failed: 1, Total: 40, Left: []float64{100, 0}}, "g: 12 of 40 runs, 1 failed"},
		{Progress{Workers: 2, Done: 2, Total: 40, Left: []float64{3000, 3000, 60}}, "g: 2 of 40 runs, 50 min 30 s left"},
		{Progress{Workers: 2, Total: 2, Left: []float64{7200, 1}}, "g: 0 of 2 runs, 2 h 0 min left"},
		{Progress{Workers: 2, Total: 3, Left: []float64{200}, AtWork: []AtWork{started}},
			"g: 0 of 3 runs, 3 min 20 s left; FMNIST-I / nnPU / seed 2: preparing"},
		{Progress{Total: 1, AtWork: []AtWork{again}}, "g: 0 of 1 runs, 20 s left; FMNIST-I / nnPU / seed 2: preparing"},
		{Progress{Total: 3, AtWork: []AtWork{own}},
			"g: 0 of 3 runs, 2 min 40 s left; FMNIST-I / nnPU / seed 2: step 200 of 1000, 2 min 40 s left"},
		{Progress{Total: 3, AtWork: []AtWork{slow}},
			"g: 0 of 3 runs, 2 min 40 s left; FMNIST-I / nnPU / seed 2: step 200 of 1000, 2 min 40 s left"},
		{Progress{Total: 3, AtWork: []AtWork{over}}, "g: 0 of 3 runs, 3.4 s left; FMNIST-I / nnPU / seed 2: step 9 of 10, 3.4 s left"},
		{Progress{Total: 3, AtWork: []AtWork{second}}, "g: 0 of 3 runs; FMNIST-I / nnPU / seed 2: step 0 of 300"},
		{Progress{Done: 3, Total: 3}, "g: 3 of 3 runs"},
	} {
		c.p.Name = "g"
		expect.Equal(t, c.p.Text(at(30)), c.want)
	}
}

func TestExpected(t *testing.T) {
	of := func(setting, method string) Run { return Run{Setting: setting, Method: method} }
	done := func(run Run, seconds float64) Standing { return Standing{run, Done, &Result{Seconds: seconds}, "", ""} }
	standings := []Standing{done(of("a", "x"), 10), done(of("a", "x"), 20), done(of("b", "x"), 60), done(of("b", "y"), 200),
		{Run: of("c", "z"), State: Missing}, {of("a", "x"), Failed, &Result{Seconds: 1}, "", ""}}
	for want, run := range map[float64]Run{15: of("a", "x"), 30: of("c", "x"), 130: of("b", "z"), 72.5: of("c", "z")} {
		expect.Equal(t, expected(run, standings), want, "seconds of %s", run)
	}
	got := expected(of("a", "x"), nil)
	expect.That(t, got == 0, "%g s from nothing", got)
}

// Time that earlier sittings spent on a run does not count as left, on this machine or on a cluster.
func TestTimeLeftOfARunThatWasBegun(t *testing.T) {
	b := newBench(t, "counting")
	grid, plan := expect.Must2(b.plan())(t)
	tell := func(n int, want string) {
		t.Helper()
		expect.Equal(t, expect.Must(plan.TimeLeft(b.store(), b.work(), n))(t), want)
	}
	tell(2, "") // no estimate for any run
	identity := expect.Must(grid.Runs[0].Identity())(t)
	result := sittings{Identity: identity, Seconds: 600}.result(grid.Runs[0])
	result.Points = []Point{scored("", 1, 0.5)}
	expect.NoError(t, b.store().write(Smoke, grid.Runs[0], result))
	tell(0, "")
	tell(1, "50 min 0 s")
	tell(2, "25 min 0 s")
	for i, run := range grid.Runs[1:3] {
		identity.Version += i // a run of another version starts again
		expect.NoError(t, sealed.Write(deskOf(b.work(), Smoke, run).sittings(), sittings{Identity: identity, Seconds: 300}))
	}
	tell(1, "45 min 0 s")
	for _, run := range grid.Runs[1:] {
		result := sittings{Identity: result.Identity}.result(run)
		result.Failure = "it diverged"
		expect.NoError(t, b.store().write(Smoke, run, result))
	}
	tell(1, "")
}

// The observer reports the first and the last step at once, and those in between at intervals.
func TestOnProgress(t *testing.T) {
	var told []int
	o := &onProgress{every: time.Hour, tell: func(p train.Progress) { told = append(told, p.Step) }}
	o.Start(train.Progress{Steps: 9})
	for step := 1; step <= 9; step++ {
		o.Step(train.Progress{Step: step, Steps: 9})
	}
	o.End(train.Progress{}, nil)
	expect.That(t, len(told) == 2 && told[0] == 0 && told[1] == 9, "%v", told)
}

// The runs of Here compute with the threads of their identity, independent of the given engine.
func TestHereComputesWithTheThreadsOfTheRuns(t *testing.T) {
	t.Setenv("NPROC", "7")
	t.Setenv("GOMLX_BACKEND", "") // so that XLA, whose thread count matters, is used if installed
	eng := expect.Must(engine.Open())(t)
	grid := Grid{Name: "g", Size: Smoke}
	got, want := []int{}, []int{4, 6, 7} // XLA has at least four
	for _, threads := range []int{0, 6, 7} {
		run := newRun(nil)
		run.Seed, run.Threads = uint64(threads), threads
		run.Train = func(_ context.Context, eng *engine.Engine, _ Place) (*Outcome, error) {
			got = append(got, eng.Environment().Threads)
			return &Outcome{Points: []Point{scored("", 1, 0.5)}}, nil
		}
		grid.Runs = append(grid.Runs, run)
	}
	if eng.Environment().Threads == 0 { // pure Go: results do not depend on threads
		want = []int{0, 0, 0}
	}
	_, err := (&Store{t.TempDir()}).Here(t.Context(), eng, grid, t.TempDir(), t.Output())
	expect.That(t, err == nil && slices.Equal(got, want), "computed with %d threads, want %d; %v", got, want, err)
	asked := os.Getenv("NPROC")
	expect.That(t, asked == "7", "NPROC is %q after it", asked)
}

// Here does a grid in this process and shows its progress.
func TestHere(t *testing.T) {
	b := newBench(t, "diverging")
	grid := expect.Must(fakeGrid(b.grid, Smoke))(t)
	var said strings.Builder
	cells, err := b.store().Here(t.Context(), enginetest.Open(t), grid, b.work(), &said)
	expect.Require(t, err == nil && cells.String() == "2 of 3 runs done, 1 failed", "%v, %v", cells, err)
	expect.Contains(t, said.String(),
		"diverging: 0 of 3 runs; Counting / fake  / seed 0: preparing", "diverging: 2 of 3 runs done, 1 failed")
	b.grid = "poor"
	grid = expect.Must(fakeGrid(b.grid, Smoke))(t)
	_, err = b.store().Here(t.Context(), enginetest.Open(t), grid, b.work(), &said)
	expect.Error(t, err, "fetch them with setup")
}
