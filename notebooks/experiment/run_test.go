//go:build unix

package experiment

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/internal/sealed"
	"github.com/puclab/puclab/pucl/train"
)

// whole does a grid without any disturbance.
func whole(t *testing.T, grid string) *bench {
	t.Helper()
	b := newBench(t, grid)
	expect.NoError(t, b.coordinate(t.Context()))
	return b
}

// undisturbed caches the points of grids done without disturbance, by name.
var undisturbed = map[string]map[string][]Point{}

// wholePoints returns the measurements of a grid done without disturbance.
func wholePoints(t *testing.T, grid string) map[string][]Point {
	t.Helper()
	if undisturbed[grid] == nil {
		undisturbed[grid] = whole(t, grid).points(t)
	}
	return undisturbed[grid]
}

func TestAGridIsDone(t *testing.T) {
	b := whole(t, "counting")
	for _, s := range b.standings(t) {
		r := s.Result
		expect.That(t, s.State == Done && r.Sittings == 1 && r.Seconds > 0 && !r.Started.IsZero() &&
			r.Identity.Threads == 1, "%s: %s, %+v", s.Run, s.State, r)
		if _, err := os.Stat("/proc/self/status"); err == nil && r.PeakBytes < 1<<20 {
			t.Errorf("%s held %d bytes", s.Run, r.PeakBytes)
		}
		desk := deskOf(b.work(), Smoke, s.Run)
		for _, left := range []string{desk.run(), desk.sittings(), filepath.Join(desk.folder, "lock")} {
			expect.That(t, expect.Err(os.Stat(left)) != nil, "%s is left", left)
		}
		info := expect.Must(os.Stat(b.store().file(Smoke, s.Run)))(t)
		expect.That(t, info.Size() <= 4096, "%v", info)
	}
	locks := expect.Must(os.ReadDir(filepath.Join(b.store().Folder, ".locks")))(t)
	expect.That(t, len(locks) == 1 && locks[0].Name() == ".gitignore", "left: %v", locks)
	expect.Equal(t, expect.Must(filepath.Glob(filepath.Join(b.work(), "*", "list-*")))(t), nil, "left")
	said := b.said.String()
	expect.That(t, strings.Contains(said, "[6/6] Counting / fake  / seed "), "%s", said)
	before := b.said.Len()
	err := b.coordinate(t.Context())
	expect.That(t, err == nil && b.said.Len() <= before, "with nothing to do: %v, %s", err, b.said.String()[before:])
}

// workersOf returns the worker processes of this bench.
func (b *bench) workersOf(t *testing.T) (all []int) {
	t.Helper()
	processes := expect.Must(filepath.Glob("/proc/[0-9]*/environ"))(t)
	for _, path := range processes {
		if env, err := os.ReadFile(path); err == nil && strings.Contains(string(env), asWorker+"="+b.folder) {
			pid := expect.Must(strconv.Atoi(filepath.Base(filepath.Dir(path))))(t)
			all = append(all, pid)
		}
	}
	return all
}

// saved returns a text that changes when any run saves state.
func (b *bench) saved(t *testing.T) (all string) {
	t.Helper()
	for _, s := range b.standings(t) {
		now := expect.Must(fingerprint(deskOf(b.work(), Smoke, s.Run).run()))(t)
		all += now
	}
	return all
}

// waitForNews waits until a run has saved state, or the coordinator has ended.
func (b *bench) waitForNews(t *testing.T, ended chan error) {
	t.Helper()
	before := b.saved(t)
	for range 2000 {
		select {
		case err := <-ended:
			ended <- err
			return
		case <-time.After(5 * time.Millisecond):
		}
		if b.saved(t) != before {
			return
		}
	}
	t.Fatal("nothing was saved in a long time")
}

// TestKilledAtAnyMoment kills coordinators or one of their workers repeatedly and checks that the results are equal.
func TestKilledAtAnyMoment(t *testing.T) {
	expect.Slow(t)
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("workers are found in /proc, which this system lacks")
	}
	rng := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	for grid, most := range map[string]int{"counting": 6, "training": 3} {
		t.Run(grid, func(t *testing.T) {
			want := wholePoints(t, grid)
			b := newBench(t, grid)
			for kills := range most {
				coordinator := b.child(t)
				ended := make(chan error, 1)
				go func() { ended <- coordinator.Wait() }()
				b.waitForNews(t, ended)
				time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
				if workers := b.workersOf(t); len(workers) > 0 && kills%2 == 0 {
					syscall.Kill(workers[rng.IntN(len(workers))], syscall.SIGKILL) // it may have ended
					b.waitForNews(t, ended)
				}
				coordinator.Process.Kill() // likewise
				<-ended
			}
			expect.NoError(t, b.coordinate(t.Context()))
			got := b.points(t)
			expect.That(t, reflect.DeepEqual(got, want), "after kills\n%v\nand without\n%v", got, want)
			for range 100 {
				if len(b.workersOf(t)) == 0 {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			left := b.workersOf(t)
			expect.That(t, len(left) == 0, "workers %v outlive their coordinators", left)
			sittings := 0
			for _, s := range b.standings(t) {
				sittings = max(sittings, s.Result.Sittings)
			}
			expect.That(t, sittings >= 2, "no run was gone on with")
		})
	}
}

// TestTwoCoordinators checks that two coordinators of a grid do no run twice, with one work folder or two.
func TestTwoCoordinators(t *testing.T) {
	expect.Slow(t)
	for _, desks := range [][]string{{"work", "work"}, {"work", "other-work"}} {
		b := newBench(t, "counting")
		var others []*exec.Cmd
		for _, b.desks = range desks {
			others = append(others, b.child(t))
		}
		for _, other := range others {
			expect.NoError(t, other.Wait())
		}
		for _, s := range b.standings(t) {
			trained := map[string]bool{} // the folder
			for _, b.desks = range desks {
				kept := Kept(b.work(), Smoke, s.Run) // it is created when the training begins, and stays
				if _, err := os.Stat(kept); err == nil {
					trained[kept] = true
				}
			}
			expect.That(t, s.State == Done && s.Result.Sittings == 1 && len(trained) == 1,
				"%s in %q: %s, %+v, trained in %v", s.Run, desks, s.State, s.Result, trained)
		}
	}
}

// TestInterrupted stops a grid as Ctrl-C does and checks that it resumes.
func TestInterrupted(t *testing.T) {
	b := newBench(t, "training")
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	first := deskOf(b.work(), Smoke, b.standings(t)[0].Run).run()
	go func() {
		defer cancel(enough)
		for ctx.Err() == nil {
			if saved, err := fingerprint(first); err == nil && saved != train.Digest() {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	err := b.coordinate(ctx)
	expect.Require(t, errors.Is(err, enough), "%v", err)
	done := len(b.points(t))
	expect.Require(t, done != 2, "all was done before the interrupt")
	expect.NoError(t, b.coordinate(t.Context()))
	expect.Equal(t, b.points(t), wholePoints(t, "training"))
}

// TestFailures checks that failures are stored as results and retried only on request.
func TestFailures(t *testing.T) {
	killed := 0
	defer func(real func() int) { oomKills = real }(oomKills)
	for _, c := range []struct {
		grid, want string
		failed     int
		sittings   int
		oom        bool
	}{
		{"diverging", "saved: run/good holds the good state", 1, 1, false},
		{"hungry", "out of memory: signal: killed; take smaller batches", 1, 2, true},
		{"hungry", "its worker died 2 times, the last ones without getting on (signal: killed)", 1, 2, false},
		{"mortal", "its worker died 10 times, and it got on in between (the last time: signal: killed)", 0, mostDeaths, false},
	} {
		t.Run(c.grid+" "+c.want, func(t *testing.T) {
			oomKills = func() int {
				if c.oom {
					killed++
				}
				return killed
			}
			b := newBench(t, c.grid)
			expect.NoError(t, b.coordinate(t.Context()))
			standings := b.standings(t)
			for i, s := range standings {
				expect.Equal(t, s.State, map[bool]State{true: Failed, false: Done}[i == c.failed], "%s", s.Run)
			}
			bad := standings[c.failed]
			if r := bad.Result; !strings.Contains(r.Failure, c.want) || strings.Contains(r.Failure, b.folder) || r.Sittings != c.sittings ||
				r.Record.Environment.Engine == "" {
				t.Errorf("%+v, want %q", r, c.want)
			}
			first := b.sittingsOf(t, bad.Run)
			err := b.coordinate(t.Context())
			expect.That(t, err == nil && b.sittingsOf(t, bad.Run) == first, "it was tried again unasked: %v", err)
			b.failed = true
			err = b.coordinate(t.Context())
			expect.That(t, err == nil && b.sittingsOf(t, bad.Run) != first, "it was not tried again: %v", err)
		})
	}
}

// A run is given up for lack of memory, for lack of progress, or after too many deaths; the reason is stated.
func TestGivenUp(t *testing.T) {
	for _, tt := range []struct {
		deaths, stalls int
		why, want      string
	}{
		{2, 2, "out of memory: signal: killed", "out of memory: signal: killed"},
		{3, 2, "signal: killed", "its worker died 3 times, the last ones without getting on (signal: killed)"},
		{mostDeaths, 1, "signal: killed", "its worker died 10 times, and it got on in between (the last time: signal: killed)"},
		{mostDeaths, 0, "signal: killed", "its worker died 10 times, and it got on in between (the last time: signal: killed)"},
	} {
		expect.Equal(t, givenUp(tt.deaths, tt.stalls, tt.why), tt.want)
	}
}

// The error for a folder that cannot be written to states the remedy.
func TestNoPlaceForRuns(t *testing.T) {
	for file, says := range map[string]string{
		"work/smoke":          "list of runs cannot be written … work/smoke a folder that you can write to",
		"work/smoke/counting": "Counting / fake  / seed 0 cannot be given a place … work/smoke/counting/fake/seed-0 a folder that you can write to",
		"results/.locks":      "seed 0 cannot be kept from being done twice … results/.locks a folder that you can write to, or name another folder of results",
	} {
		b := newBench(t, "counting")
		path := filepath.Join(b.folder, file)
		expect.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)))
		refusal.Check(t, b.coordinate(t.Context()), says)
	}
}

// If the list can be created but not written, the error says so, and no file remains.
func TestNoRoomForTheList(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("how long a path may be is known for Linux")
	}
	b := newBench(t, "counting")
	const longest = 4095 // of a path
	// The list can be created in the folder of the size, but not its partial file, whose name is longer.
	for len(b.work()) < longest-250 {
		b.folder = filepath.Join(b.folder, strings.Repeat("a", 200))
	}
	b.desks = strings.Repeat("b", longest-len("/smoke/list-1234567890.json")-len(b.folder)-1)
	const mend = "/smoke a folder that you can write to, with space left"
	if err := b.coordinate(t.Context()); !errors.Is(err, syscall.ENAMETOOLONG) || !strings.HasSuffix(err.Error(), mend) {
		t.Errorf("of a name that is too long it is not said %q", mend)
	}
	expect.Equal(t, expect.Must(os.ReadDir(filepath.Join(b.work(), "smoke")))(t), nil, "left")
}

// A run whose workers die continues as long as it saves state in between.
func TestAWorkerThatDiesIsTriedAgain(t *testing.T) {
	b := whole(t, "dying")
	s := b.standings(t)[0]
	expect.That(t, s.State == Done && s.Result.Sittings == 4 &&
		strings.Contains(b.said.String(), "goes on from its last checkpoint"),
		"%s, %+v\n%s", s.State, s.Result, b.said.String())
}

// A missing prerequisite and a bug of the program are not results.
func TestWhatIsNoResult(t *testing.T) {
	for grid, want := range map[string]string{"exploding": "a mistake of the program", "none": "it left no measurement"} {
		b := newBench(t, grid)
		expect.Error(t, b.coordinate(t.Context()), want)
		for _, s := range b.standings(t) {
			expect.Equal(t, s.State, Missing, "%s", s.Run)
		}
	}
}

// If a run lacks its data, the other runs of its setting are skipped, the rest is done, and the error names the missing
// data.
func TestWhatLacksItsDataIsLeft(t *testing.T) {
	b := newBench(t, "poor")
	b.workers = 1
	err := b.coordinate(t.Context())
	want := "Counting / fake lacks its data / seed 0: the images are not here; fetch them with setup; 1 more of Counting left undone"
	expect.That(t, err != nil && strings.Contains(err.Error(), want) && strings.Contains(b.said.String(), want),
		"%v and %q, want %q", err, b.said.String(), want)
	for i, s := range b.standings(t) {
		done := i == 2
		expect.That(t, done == (s.State == Done) && !done == (s.State == Missing), "%s: %s", s.Run, s.State)
	}
}

// A run with saved state of another configuration starts again.
func TestTheStateOfAnotherConfigurationIsNotUsed(t *testing.T) {
	b := newBench(t, "counting")
	run := b.standings(t)[0].Run
	desk := deskOf(b.work(), Smoke, run)
	identity := expect.Must(run.Identity())(t)
	identity.Config["Steps"] = "41"
	expect.NoError(t, sealed.Write(desk.sittings(), sittings{Identity: identity, Sittings: 7}))
	expect.NoError(t, sealed.Write(filepath.Join(desk.run(), "count.json"), tally{39, 100}))
	expect.NoError(t, b.coordinate(t.Context()))
	expect.Equal(t, b.points(t), wholePoints(t, "counting"))
	r := b.standings(t)[0].Result
	expect.That(t, r.Sittings == 1, "%d sittings", r.Sittings)
}
