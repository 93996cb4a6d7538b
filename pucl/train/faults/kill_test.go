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
	"syscall"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

// undisturbed returns the result of an undisturbed run of the given kind without checkpoints; each kind runs once.
func undisturbed(t *testing.T, kind string) string {
	t.Helper()
	kept.Lock()
	defer kept.Unlock()
	if kept.results[kind] == "" {
		r := faultRun{kind: kind, folder: noFolder, result: filepath.Join(t.TempDir(), "whole")}
		kept.results[kind] = r.must(t)
	}
	return kept.results[kind]
}

var kept = struct {
	sync.Mutex
	results map[string]string
}{results: map[string]string{}}

// tally counts events, for the table that a test prints.
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

// Runs killed repeatedly at random moments end bit-identically to an undisturbed run, and no kill costs more than the
// steps since the last checkpoint.
func TestFaultKill(t *testing.T) {
	t.Parallel()
	var moments, left tally
	var group sync.WaitGroup
	for worker, run := range []struct {
		kind         string
		every, kills int
		first        int // index of the first kill in killed.kill
	}{{"", 1, 2, 2}, {"", 3, 1, 0}, {"task", 1, 1, 1}, {"fine-tuning", 1, 1, 3}} {
		k := &killed{t: t, rng: rand.New(rand.NewPCG(31, uint64(worker))), every: run.every, moment: run.first,
			kind: run.kind, whole: undisturbed(t, run.kind), moments: &moments}
		k.kills = faults(t, run.kills)
		group.Go(func() {
			for k.kills > 0 {
				left.add(k.untilItsEnd())
			}
		})
	}
	group.Wait()
	moments.row(t, "kill -9, where it came")
	left.row(t, "kill -9, what became of the runs")
}

// killed is a run that is killed as long as kills remain.
type killed struct {
	t                    *testing.T
	rng                  *rand.Rand
	kind, whole          string // its kind, and its undisturbed result
	every, kills, moment int    // steps between checkpoints, kills left, index of the next one
	moments              *tally
}

// untilItsEnd restarts a run after every kill until it ends, and returns its result.
func (k *killed) untilItsEnd() string {
	t, every, whole := k.t, k.every, k.whole
	folder := filepath.Join(t.TempDir(), "run")
	r := faultRun{kind: k.kind, folder: folder, result: filepath.Join(t.TempDir(), "result"), every: every}
	for reached := 0; ; {
		p := r.start(t)
		if k.kills > 0 {
			k.kill(p, folder, reached)
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
			k.kills--
			k.moment++
			k.moments.add(p.moment(t, folder))
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

// kill kills a run that resumes after the given number of steps, cycling through the kinds of moments.
func (k *killed) kill(p *program, folder string, after int) {
	step := "step " + strconv.Itoa(after+1+k.rng.IntN(max(1, faultSteps-after-1)))
	pause := time.Duration(k.rng.IntN(2000)) * time.Microsecond
	switch k.moment % 4 {
	case 0: // anywhere in start and compilation
		time.Sleep(time.Duration(k.rng.IntN(500)) * time.Millisecond)
	case 1: // between steps
		p.until(step)
		time.Sleep(pause)
	case 2: // while a checkpoint is written
		p.until(step)
		wait(func() bool { return len(parts(k.t, folder)) > 0 })
		time.Sleep(pause / 16)
	case 3: // while a checkpoint is renamed
		p.until(step)
		old, _ := os.Stat(filepath.Join(folder, newest))
		wait(func() bool {
			now, err := os.Stat(filepath.Join(folder, newest))
			return err != nil || !os.SameFile(old, now)
		})
		time.Sleep(pause / 64)
	}
	if err := p.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		k.t.Error(err)
	}
}

// wait waits for a condition that may have passed before it is observed.
func wait(seen func() bool) {
	for deadline := time.Now().Add(50 * time.Millisecond); !seen() && time.Now().Before(deadline); {
		time.Sleep(20 * time.Microsecond)
	}
}

// moment returns the phase in which a kill hit the run.
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

// Interrupt (Ctrl-C) and terminate signals, at any moment, leave a state from which the run resumes bit-identically.
func TestFaultSignals(t *testing.T) {
	t.Parallel()
	whole := undisturbed(t, "")
	var seen tally
	for signal, holds := range map[syscall.Signal][]int{syscall.SIGINT: {1, 5}, syscall.SIGTERM: {2, 7}} {
		r := faultRun{folder: filepath.Join(t.TempDir(), "run"), result: filepath.Join(t.TempDir(), "result"), every: 100}
		for _, hold := range holds {
			moment := fmt.Sprint("step ", hold)
			if hold == 1 {
				moment = "start" // the signal arrives while the first step is compiled or taken
			}
			r.env = []string{fmt.Sprint(faultHold, "=", hold)}
			p := r.start(t)
			expect.Require(t, p.until(moment), "%v ended before %q", p.said, moment)
			expect.NoError(t, p.Process.Signal(signal))
			failure, _ := p.end(t)
			expect.That(t, strings.Contains(failure, "pretraining stopped after") &&
				strings.Contains(failure, "signal received"), "%v after %q: %q", signal, moment, failure)
			done := p.last("step")
			expect.That(t, done <= 0 || strings.Contains(failure, fmt.Sprintf("after %d of %d steps", done, faultSteps)),
				"%v after %q and %d steps: %q", signal, moment, done, failure)
			seen.add(fmt.Sprintf("%v, state saved", signal))
		}
		r.env = nil
		p := r.start(t)
		failure, _ := p.end(t)
		expect.Require(t, failure == "", "%v", failure)
		at, least := p.last("start"), holds[len(holds)-1]
		expect.That(t, at >= least, "%v: goes on from %d, want at least %d: CheckpointEvery saves nothing here", signal, at,
			least)
		expect.Equal(t, r.read(t), whole, "%v: the end of the run", signal)
	}
	seen.row(t, "signals from a shell")
}

// When two runs, equal or not, use one folder at the same time or in sequence, the second returns an error with the
// holder's name, and the first ends as if alone.
func TestFaultTwoRuns(t *testing.T) {
	t.Parallel()
	whole := undisturbed(t, "")
	other := faultRun{folder: noFolder, result: filepath.Join(t.TempDir(), "other"), seed: 1}.must(t)
	wants := map[uint64]string{0: whole, 1: other}
	var seen tally
	defer func() { seen.row(t, "two runs in one folder") }()
	for _, seed := range []uint64{0, 1} {
		for _, when := range append(slices.Repeat([]string{"at one moment"}, faults(t, 1)), "one after the other") {
			folder, gate := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "gate")
			var runs [2]faultRun
			var programs [2]*program
			for i := range runs {
				runs[i] = faultRun{folder: folder, result: filepath.Join(t.TempDir(), "result"), seed: uint64(i) * seed,
					env: []string{faultGate + "=" + gate}}
			}
			what := fmt.Sprintf("seeds 0 and %d, %s", seed, when)
			programs[0] = runs[0].start(t)
			expect.Require(t, when != "one after the other" || programs[0].until("step 3"), "%s: %q", what, programs[0].said)
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
			select { // the first waits until the second has failed
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
