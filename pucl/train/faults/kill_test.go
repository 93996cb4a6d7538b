//go:build unix

package faults_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

// undisturbed returns the result of a run that nobody disturbs and that saves nothing; it runs once.
var undisturbed = func() func(t *testing.T) string {
	result := ""
	return func(t *testing.T) string {
		t.Helper()
		if result == "" {
			result = faultRun{folder: noFolder, result: filepath.Join(t.TempDir(), "whole")}.must(t)
		}
		return result
	}
}()

// tally counts what happened, for the table that a test prints.
type tally struct {
	sync.Mutex
	counts map[string]int
}

func (c *tally) add(what string) {
	c.Lock()
	defer c.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[what]++
}

// row prints a row of the table of faults.
func (c *tally) row(t *testing.T, fault string) {
	t.Helper()
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", what, c.counts[what]))
	}
	t.Logf("| %s | %s |", fault, strings.Join(parts, ", "))
}

// parts returns the unfinished files in folder.
func parts(t *testing.T, folder string) []string {
	t.Helper()
	return expect.Must(filepath.Glob(filepath.Join(folder, "*.part")))(t)
}

// Runs that are killed again and again, at moments drawn at random, end in the very bits of one that nobody disturbed, and no
// kill costs more than the steps since the last checkpoint.
func TestFaultKill(t *testing.T) {
	whole := undisturbed(t)
	var moments, left tally
	var kills atomic.Int64
	kills.Store(int64(faults(t, 5)))
	var group sync.WaitGroup
	for worker, every := range []int{1, 3} {
		rng := rand.New(rand.NewPCG(31, uint64(worker)))
		group.Go(func() {
			for kills.Load() > 0 {
				left.add(killedUntilItsEnd(t, rng, every, whole, &kills, &moments))
			}
		})
	}
	group.Wait()
	moments.row(t, "kill -9, where it came")
	left.row(t, "kill -9, what became of the runs")
}

// killedUntilItsEnd has a run, taken up after every kill, come to its end, as long as there are kills left, and says what
// became of it.
func killedUntilItsEnd(t *testing.T, rng *rand.Rand, every int, whole string, kills *atomic.Int64, moments *tally) string {
	folder := filepath.Join(t.TempDir(), "run")
	r := faultRun{folder: folder, result: filepath.Join(t.TempDir(), "result"), every: every}
	for reached := 0; ; {
		p := r.start(t)
		if kills.Load() > 0 {
			p.kill(t, rng, folder, reached)
		}
		failure, killed := p.end(t)
		saved := reached / every * every
		if at := p.last("start"); at >= 0 && at < saved {
			t.Errorf("a run that had saved %d steps goes on from %d", saved, at)
			return "checkpoint lost"
		}
		reached = max(reached, p.last("step"))
		switch {
		case killed:
			kills.Add(-1)
			moments.add(p.moment(t, folder))
			continue
		case failure != "":
			t.Errorf("after %q: %s", p.said, failure)
			return "run lost"
		case r.read(t) != whole:
			t.Errorf("killed, it ends in\n%s\nwant\n%s", r.read(t), whole)
			return "other bits"
		}
		unfinished := parts(t, folder)
		expect.That(t, len(unfinished) == 0, "a run that ended well leaves %v", unfinished)
		return "the same bits"
	}
}

// kill kills a run that goes on after so many steps, at some moment.
func (p *program) kill(t *testing.T, rng *rand.Rand, folder string, after int) {
	step := "step " + strconv.Itoa(after+1+rng.IntN(max(1, faultSteps-after-1)))
	pause := time.Duration(rng.IntN(2000)) * time.Microsecond
	switch rng.IntN(6) {
	case 0: // anywhere in start and compilation
		time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond)
	case 1, 2: // between steps
		p.until(step)
		time.Sleep(pause)
	case 3, 4: // while a checkpoint is written
		p.until("start")
		wait(func() bool { return len(parts(t, folder)) > 0 })
		time.Sleep(pause / 16)
	case 5: // when one takes its name
		p.until(step)
		old, _ := os.Stat(filepath.Join(folder, newest))
		wait(func() bool {
			now, err := os.Stat(filepath.Join(folder, newest))
			return err != nil || !os.SameFile(old, now)
		})
		time.Sleep(pause / 64)
	}
	err := p.Process.Kill()
	expect.That(t, err == nil || errors.Is(err, os.ErrProcessDone), "%v", err)
}

// wait waits for something that may be over before it is seen.
func wait(seen func() bool) {
	for deadline := time.Now().Add(50 * time.Millisecond); !seen() && time.Now().Before(deadline); {
		time.Sleep(20 * time.Microsecond)
	}
}

// moment says where a kill hit the run.
func (p *program) moment(t *testing.T, folder string) string {
	_, err := os.Stat(filepath.Join(folder, newest))
	_, earlier := os.Stat(filepath.Join(folder, before))
	switch {
	case p.last("start") < 0:
		return "at the start"
	case p.last("step") < 0 && p.last("start") < faultSteps:
		return "before the first step"
	case earlier == nil && err != nil:
		return "between two renames"
	case len(parts(t, folder)) > 0:
		return "while a checkpoint was written"
	}
	return "between steps"
}

// Ctrl-C and a polite request to end, at any moment, leave a state that the same run goes on from to the same bits.
func TestFaultSignals(t *testing.T) {
	whole := undisturbed(t)
	var seen tally
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		r := faultRun{folder: filepath.Join(t.TempDir(), "run"), result: filepath.Join(t.TempDir(), "result"), every: 100}
		for _, hold := range []string{"1", "2", "5", "7"} {
			moment := "step " + hold
			if hold == "1" {
				moment = "start" // the signal comes while the first step is compiled or taken
			}
			r.env = []string{faultHold + "=" + hold}
			p := r.start(t)
			expect.Require(t, p.until(moment), "%v ended before %q", p.said, moment)
			expect.NoError(t, p.Process.Signal(signal))
			failure, _ := p.end(t)
			expect.That(t, strings.Contains(failure, "pretraining stopped after") &&
				strings.Contains(failure, "signal received"), "%v after %q: %q", signal, moment, failure)
			done := p.last("step")
			if done > 0 && !strings.Contains(failure, fmt.Sprintf("after %d of %d steps", done, faultSteps)) {
				t.Errorf("%v after %q and %d steps: %q", signal, moment, done, failure)
			}
			seen.add(fmt.Sprintf("%v, state saved", signal))
		}
		r.env = nil
		p := r.start(t)
		failure, _ := p.end(t)
		expect.Require(t, failure == "", "%v", failure)
		at := p.last("start")
		expect.That(t, at >= 7, "%v: goes on from %d, want at least 7: CheckpointEvery saves nothing here", signal, at)
		if got := r.read(t); got != whole {
			t.Errorf("%v: it ends in\n%s\nwant\n%s", signal, got, whole)
			seen.add(fmt.Sprintf("%v, other bits", signal))
		}
	}
	seen.row(t, "signals from a shell")
}

// Of two runs in one folder, equal ones or not, at one moment or one after the other, the second refuses and says who holds it,
// and the first ends as if it had been alone.
func TestFaultTwoRuns(t *testing.T) {
	whole := undisturbed(t)
	other := faultRun{folder: noFolder, result: filepath.Join(t.TempDir(), "other"), seed: 1}.must(t)
	wants := map[uint64]string{0: whole, 1: other}
	var seen tally
	defer func() { seen.row(t, "two runs in one folder") }()
	for _, seed := range []uint64{0, 1} {
		for _, when := range []string{"at one moment", "at one moment", "one after the other"} {
			folder, gate := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "gate")
			var runs [2]faultRun
			var programs [2]*program
			for i := range runs {
				runs[i] = faultRun{folder: folder, result: filepath.Join(t.TempDir(), "result"), seed: uint64(i) * seed,
					env: []string{faultGate + "=" + gate}}
			}
			what := fmt.Sprintf("seeds 0 and %d, %s", seed, when)
			programs[0] = runs[0].start(t)
			expect.Require(t, when != "one after the other" || programs[0].until("step 3"),
				"%s: %q", what, programs[0].said)
			programs[1] = runs[1].start(t)
			var failures [2]string
			var group sync.WaitGroup
			ended := make(chan int, 2)
			for i, p := range programs {
				group.Go(func() {
					failures[i], _ = p.end(t)
					ended <- i
				})
			}
			select { // the first waits until the second has been refused
			case <-ended:
			case <-time.After(30 * time.Second):
			}
			expect.NoError(t, os.WriteFile(gate, nil, 0o644))
			group.Wait()
			first := slices.Index(failures[:], "")
			if first < 0 || failures[1-first] == "" || when == "one after the other" && first != 0 {
				t.Errorf("%s: they end with %q", what, failures)
				seen.add("both go on, or none")
				continue
			}
			if got := runs[first].read(t); got != wants[runs[first].seed] {
				t.Errorf("%s: the first ends in\n%s\nwant\n%s", what, got, wants[runs[first].seed])
				seen.add("results harmed")
			}
			if holder := fmt.Sprint(programs[first].Process.Pid); !strings.Contains(failures[1-first], holder) ||
				!strings.Contains(failures[1-first], folder) {
				t.Errorf("%s: %q does not say that process %s holds %s", what, failures[1-first], holder, folder)
				seen.add("refused for another reason")
			} else {
				seen.add("refused, naming the holder")
			}
		}
	}
}
