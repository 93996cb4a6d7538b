package experiment

import (
	"fmt"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/pucl/train"
)

// Progress is the progress of a grid.
type Progress struct {
	Name    string // of the grid, or of several
	Workers int    // runs at a time
	Done    int    // finished runs, including failed ones
	Total   int
	Failed  int
	Left    []float64 // estimated seconds of each waiting run; 0 if unknown
	AtWork  []AtWork
}

// AtWork is a run in progress.
type AtWork struct {
	Run      Run
	Step     int       // of the current training: a run may have several
	Steps    int       // 0 before the first one begins
	Since    time.Time // start of this sitting (attempt)
	Before   float64   // seconds of earlier sittings, from whose state the run resumes
	Expected float64   // estimated seconds of the run in total; 0 if unknown

	from     int       // the step from which the speed is measured
	at       time.Time // time of that step
	starting bool      // no step since the training started or resumed; the first one takes long, since it compiles
}

// update records the progress of the training.
func (a *AtWork) update(step, steps int, now time.Time) {
	began := steps != a.Steps || step < a.Step || a.at.IsZero()
	if began || a.starting && step > a.from {
		a.from, a.at, a.starting = step, now, began
	}
	a.Step, a.Steps = step, steps
}

// left estimates the seconds left in the run from the times of similar runs, and at least from the speed of its
// training.
func (a AtWork) left(now time.Time) (seconds float64, known bool) {
	if left := a.Expected - a.Before - now.Sub(a.Since).Seconds(); left > 0 {
		seconds, known = left, true
	}
	if done := a.Step - a.from; done > 0 {
		seconds, known = max(seconds, now.Sub(a.at).Seconds()/float64(done)*float64(a.Steps-a.Step)), true
	}
	return seconds, known
}

// left estimates the seconds left in the grid; known is false if any run has no estimate.
func (p Progress) left(now time.Time) (seconds float64, known bool) {
	longest, sum := 0.0, 0.0
	for _, a := range p.AtWork {
		left, ok := a.left(now)
		if !ok {
			return 0, false
		}
		longest, sum = max(longest, left), sum+left
	}
	for _, left := range p.Left {
		if left == 0 {
			return 0, false
		}
		longest, sum = max(longest, left), sum+left
	}
	return max(longest, sum/float64(max(p.Workers, 1))), true
}

// Text returns the progress in one line, the grid first and then the runs at work:
//
//	table-1: 12 of 40 runs, 1 failed, 1 h 5 min left; FMNIST-I / nnPU / seed 2: step 120 of 1000, 3 min 20 s left
func (p Progress) Text(now time.Time) string {
	text := fmt.Sprintf("%s: %s", p.Name, p.count())
	if left, known := p.left(now); known && p.Done < p.Total {
		text += ", " + duration(left) + " left"
	}
	for _, a := range p.AtWork {
		text += "; " + a.text(now)
	}
	return text
}

func (p Progress) count() string {
	text := fmt.Sprintf("%d of %d runs", p.Done, p.Total)
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	return text
}

func (a AtWork) text(now time.Time) string {
	if a.Steps == 0 {
		return a.Run.String() + ": preparing"
	}
	text := fmt.Sprintf("%s: step %d of %d", a.Run, a.Step, a.Steps)
	if left, known := a.left(now); known {
		text += ", " + duration(left) + " left"
	}
	return text
}

// duration formats seconds in words.
func duration(seconds float64) string {
	return liveline.Duration(time.Duration(seconds * float64(time.Second)))
}

// expected estimates the seconds of a run: the mean over the done runs of its setting and method, else of its method,
// else of its setting, else of all; 0 if none is done.
func expected(run Run, standings []Standing) float64 {
	for _, like := range []func(Run) bool{
		func(r Run) bool { return r.Setting == run.Setting && r.Method == run.Method },
		func(r Run) bool { return r.Method == run.Method },
		func(r Run) bool { return r.Setting == run.Setting },
		func(Run) bool { return true },
	} {
		sum, n := 0.0, 0
		for _, s := range standings {
			if s.State == Done && like(s.Run) {
				sum, n = sum+s.Result.Seconds, n+1
			}
		}
		if n > 0 {
			return sum / float64(n)
		}
	}
	return 0
}

// remaining estimates the seconds left in a run from its total and the time of earlier sittings; 0 if unknown. A run
// that exceeds its estimate counts as nearly done.
func remaining(expected, before float64) float64 {
	if expected == 0 {
		return 0
	}
	return max(expected-before, expected/100)
}

// onProgress is an observer that reports steps to a function, at limited intervals; it always reports the first and the
// last step.
type onProgress struct {
	tell  func(train.Progress)
	every time.Duration
	last  time.Time
}

func (o *onProgress) Start(p train.Progress) { o.now(p) }

func (o *onProgress) Step(p train.Progress) {
	if p.Step == p.Steps || time.Since(o.last) >= o.every {
		o.now(p)
	}
}

func (o *onProgress) End(train.Progress, error) {}

func (o *onProgress) now(p train.Progress) {
	o.last = time.Now()
	o.tell(p)
}

// title joins the names of grids.
func title(grids []Grid) string {
	var names []string
	for _, g := range grids {
		names = append(names, g.Name)
	}
	return strings.Join(names, ", ")
}
