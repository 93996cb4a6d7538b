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
	if err := b.coordinate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAGridIsDone(t *testing.T) {
	b := whole(t, "counting")
	for _, s := range b.standings(t) {
		r := s.Result
		if s.State != Done || r.Sittings != 1 || r.Seconds <= 0 || r.Started.IsZero() || r.Identity.Threads != 1 {
			t.Errorf("%s: %s, %+v", s.Run, s.State, r)
		}
		if _, err := os.Stat("/proc/self/status"); err == nil && r.PeakBytes < 1<<20 {
			t.Errorf("%s held %d bytes", s.Run, r.PeakBytes)
		}
		desk := deskOf(b.work(), Smoke, s.Run)
		for _, left := range []string{desk.run(), desk.sittings(), filepath.Join(desk.folder, "lock")} {
			if _, err := os.Stat(left); err == nil {
				t.Errorf("%s is left", left)
			}
		}
		if info, err := os.Stat(b.store().file(Smoke, s.Run)); err != nil || info.Size() > 4096 {
			t.Errorf("%v, %v", info, err)
		}
	}
	if locks, err := os.ReadDir(filepath.Join(b.store().Folder, ".locks")); err != nil || len(locks) != 1 || locks[0].Name() != ".gitignore" {
		t.Errorf("left: %v, %v", locks, err)
	}
	if lists, err := filepath.Glob(filepath.Join(b.work(), "*", "list-*")); err != nil || len(lists) > 0 {
		t.Errorf("left: %v, %v", lists, err)
	}
	if said := b.said.String(); !strings.Contains(said, "[6/6] Counting / fake  / seed ") {
		t.Errorf("%s", said)
	}
	before := b.said.Len()
	if err := b.coordinate(t.Context()); err != nil || b.said.Len() > before {
		t.Errorf("with nothing to do: %v, %s", err, b.said.String()[before:])
	}
}

// workersOf returns the processes that are workers on this bench.
func (b *bench) workersOf(t *testing.T) (all []int) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range processes {
		if env, err := os.ReadFile(path); err == nil && strings.Contains(string(env), asWorker+"="+b.folder) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, pid)
		}
	}
	return all
}

// saved tells whether any of the runs saved something: it changes when one does.
func (b *bench) saved(t *testing.T) (all string) {
	t.Helper()
	for _, s := range b.standings(t) {
		now, err := fingerprint(deskOf(b.work(), Smoke, s.Run).run())
		if err != nil {
			t.Fatal(err)
		}
		all += now
	}
	return all
}

// waitForNews waits until a run has saved something, or the coordinator has ended.
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

// TestKilledAtAnyMoment kills coordinators or one of their workers, again and again, and looks whether the same comes out.
func TestKilledAtAnyMoment(t *testing.T) {
	expect.Slow(t)
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("workers are found in /proc, which this system lacks")
	}
	rng := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	for grid, most := range map[string]int{"counting": 6, "training": 3} {
		t.Run(grid, func(t *testing.T) {
			want := whole(t, grid).points(t)
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
			if err := b.coordinate(t.Context()); err != nil {
				t.Error(err)
			}
			if got := b.points(t); !reflect.DeepEqual(got, want) {
				t.Errorf("after kills\n%v\nand without\n%v", got, want)
			}
			for range 100 {
				if len(b.workersOf(t)) == 0 {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			if left := b.workersOf(t); len(left) > 0 {
				t.Errorf("workers %v outlive their coordinators", left)
			}
			sittings := 0
			for _, s := range b.standings(t) {
				sittings = max(sittings, s.Result.Sittings)
			}
			if sittings < 2 {
				t.Errorf("no run was gone on with")
			}
		})
	}
}

// TestTwoCoordinators share a grid, and no run is done twice, be their work folders one or two.
func TestTwoCoordinators(t *testing.T) {
	expect.Slow(t)
	for _, desks := range [][]string{{"work", "work"}, {"work", "other-work"}} {
		b := newBench(t, "counting")
		var others []*exec.Cmd
		for _, b.desks = range desks {
			others = append(others, b.child(t))
		}
		for _, other := range others {
			if err := other.Wait(); err != nil {
				t.Error(err)
			}
		}
		for _, s := range b.standings(t) {
			trained := map[string]bool{} // where
			for _, b.desks = range desks {
				kept := Kept(b.work(), Smoke, s.Run) // which is made when the training begins, and stays
				if _, err := os.Stat(kept); err == nil {
					trained[kept] = true
				}
			}
			if s.State != Done || s.Result.Sittings != 1 || len(trained) != 1 {
				t.Errorf("%s in %q: %s, %+v, trained in %v", s.Run, desks, s.State, s.Result, trained)
			}
		}
	}
}

// TestInterrupted stops a grid as Ctrl-C does; it goes on from there.
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
	if err := b.coordinate(ctx); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	if done := len(b.points(t)); done == 2 {
		t.Fatal("all was done before the interrupt")
	}
	if err := b.coordinate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := b.points(t), whole(t, "training").points(t); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestFailures are results that say so, and are tried again only when asked.
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
			if err := b.coordinate(t.Context()); err != nil {
				t.Fatal(err)
			}
			standings := b.standings(t)
			for i, s := range standings {
				if want := map[bool]State{true: Failed, false: Done}[i == c.failed]; s.State != want {
					t.Errorf("%s: %s, want %s", s.Run, s.State, want)
				}
			}
			bad := standings[c.failed]
			if r := bad.Result; !strings.Contains(r.Failure, c.want) || strings.Contains(r.Failure, b.folder) || r.Sittings != c.sittings ||
				r.Record.Environment.Engine == "" {
				t.Errorf("%+v, want %q", r, c.want)
			}
			first := b.sittingsOf(t, bad.Run)
			if err := b.coordinate(t.Context()); err != nil || b.sittingsOf(t, bad.Run) != first {
				t.Errorf("it was tried again unasked: %v", err)
			}
			b.failed = true
			if err := b.coordinate(t.Context()); err != nil || b.sittingsOf(t, bad.Run) == first {
				t.Errorf("it was not tried again: %v", err)
			}
		})
	}
}

// A run is given up for want of memory, because it does not get on, or because it has died too often; it says which.
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
		if got := givenUp(tt.deaths, tt.stalls, tt.why); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// A place that cannot be written to is told with what helps.
func TestNoPlaceForRuns(t *testing.T) {
	for _, tt := range []struct {
		file string // where a folder is needed
		says string
	}{
		{"work/smoke", "list of runs cannot be written … work/smoke a folder that you can write to"},
		{"work/smoke/counting", "Counting / fake  / seed 0 cannot be given a place … work/smoke/counting/fake/seed-0 a folder that you can write to"},
		{"results/.locks", "seed 0 cannot be kept from being done twice … results/.locks a folder that you can write to, or name another folder of results"},
	} {
		b := newBench(t, "counting")
		path := filepath.Join(b.folder, tt.file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		refusal.Check(t, b.coordinate(t.Context()), tt.says)
	}
}

// Where the list can be begun and not be written, that is told too, and nothing is left.
func TestNoRoomForTheList(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("how long a path may be is known for Linux")
	}
	b := newBench(t, "counting")
	const longest = 4095              // of a path
	for len(b.work()) < longest-250 { // the list can be made in the folder of the size, and the longer name of its part cannot
		b.folder = filepath.Join(b.folder, strings.Repeat("a", 200))
	}
	b.desks = strings.Repeat("b", longest-len("/smoke/list-1234567890.json")-len(b.folder)-1)
	const mend = "/smoke a folder that you can write to, with space left"
	if err := b.coordinate(t.Context()); !errors.Is(err, syscall.ENAMETOOLONG) || !strings.HasSuffix(err.Error(), mend) {
		t.Errorf("of a name that is too long it is not said %q", mend)
	}
	if left, err := os.ReadDir(filepath.Join(b.work(), "smoke")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A run that dies gets on as long as it saves something in between.
func TestAWorkerThatDiesIsTriedAgain(t *testing.T) {
	b := whole(t, "dying")
	s := b.standings(t)[0]
	if s.State != Done || s.Result.Sittings != 4 || !strings.Contains(b.said.String(), "goes on from its last checkpoint") {
		t.Errorf("%s, %+v\n%s", s.State, s.Result, b.said.String())
	}
}

// What a run lacks, and a mistake of the program, is no result.
func TestWhatIsNoResult(t *testing.T) {
	for grid, want := range map[string]string{"exploding": "a mistake of the program", "none": "it left no measurement"} {
		b := newBench(t, grid)
		err := b.coordinate(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", grid, err, want)
		}
		for _, s := range b.standings(t) {
			if s.State != Missing {
				t.Errorf("%s: %s", s.Run, s.State)
			}
		}
	}
}

// What one run lacks the others of its setting lack as well: they are left, the rest is done, and the error says what is missing.
func TestWhatLacksItsDataIsLeft(t *testing.T) {
	b := newBench(t, "poor")
	b.workers = 1
	err := b.coordinate(t.Context())
	want := "Counting / fake lacks its data / seed 0: the images are not here; fetch them with setup; 1 more of Counting left undone"
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(b.said.String(), want) {
		t.Errorf("%v and %q, want %q", err, b.said.String(), want)
	}
	for i, s := range b.standings(t) {
		if done := i == 2; done != (s.State == Done) || !done != (s.State == Missing) {
			t.Errorf("%s: %s", s.Run, s.State)
		}
	}
}

// A run that another configuration left half done is begun anew.
func TestTheStateOfAnotherConfigurationIsNotUsed(t *testing.T) {
	b := newBench(t, "counting")
	run := b.standings(t)[0].Run
	desk := deskOf(b.work(), Smoke, run)
	identity, err := run.Identity()
	if err != nil {
		t.Fatal(err)
	}
	identity.Config["Steps"] = "41"
	if err := sealed.Write(desk.sittings(), sittings{Identity: identity, Sittings: 7}); err != nil {
		t.Fatal(err)
	}
	if err := sealed.Write(filepath.Join(desk.run(), "count.json"), tally{39, 100}); err != nil {
		t.Fatal(err)
	}
	if err := b.coordinate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := b.points(t), whole(t, "counting").points(t); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if r := b.standings(t)[0].Result; r.Sittings != 1 {
		t.Errorf("%d sittings", r.Sittings)
	}
}
