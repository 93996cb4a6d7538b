package experiment

import (
	"fmt"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/pucl/train"
)

// Progress is how far a grid is.
type Progress struct {
	Name    string // of the grid, or of several
	Workers int    // runs at a time
	Done    int    // runs that are done, failed ones among them
	Total   int
	Failed  int
	Left    []float64 // seconds that each run which is not at work yet will take still; 0 where nobody knows
	AtWork  []AtWork
}

// AtWork is a run that is being done.
type AtWork struct {
	Run      Run
	Step     int       // of the training at hand: a run may be of several
	Steps    int       // 0 before the first one begins
	Since    time.Time // this sitting
	Before   float64   // seconds of earlier sittings, whose state the run goes on from
	Expected float64   // seconds that the run takes in all; 0 where nobody knows

	from     int       // the step from which the speed is measured
	at       time.Time // when that was
	starting bool      // no step was told of since the training began or went on; the first one takes long, since it compiles
}

// update takes a note of how far the training is.
func (a *AtWork) update(step, steps int, now time.Time) {
	began := steps != a.Steps || step < a.Step || a.at.IsZero()
	if began || a.starting && step > a.from {
		a.from, a.at, a.starting = step, now, began
	}
	a.Step, a.Steps = step, steps
}

// left returns how many seconds the run will take still, by how long its like took, and no less than its training will by its own speed.
func (a AtWork) left(now time.Time) (seconds float64, known bool) {
	if left := a.Expected - a.Before - now.Sub(a.Since).Seconds(); left > 0 {
		seconds, known = left, true
	}
	if done := a.Step - a.from; done > 0 {
		seconds, known = max(seconds, now.Sub(a.at).Seconds()/float64(done)*float64(a.Steps-a.Step)), true
	}
	return seconds, known
}

// left returns how many seconds the grid will take still, known only where something is known of each run.
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

// duration writes seconds for people.
func duration(seconds float64) string {
	return liveline.Duration(time.Duration(seconds * float64(time.Second)))
}

// expected returns how many seconds a run will take: the mean over the done runs of its setting and method, else of its method,
// else of its setting, else of all; 0 where none is done.
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

// remaining returns how many seconds a run that takes so many in all will take still, after what earlier sittings spent on it; 0 where
// nobody knows. One that takes longer than was expected is nearly done, for all that is known of it.
func remaining(expected, before float64) float64 {
	if expected == 0 {
		return 0
	}
	return max(expected-before, expected/100)
}

// onProgress is an observer that tells a function of the steps, at most every so often and always of the first and the last.
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
