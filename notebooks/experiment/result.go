package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/puclab/puclab/pucl/train"
)

// resultFormat increases when older programs would misread a result.
const resultFormat = 2

// Result is the stored record of a run: a line of a pack, or a loose file.
type Result struct {
	Format  int
	Setting string
	Method  string
	Seed    uint64

	Identity Identity

	Started   time.Time // the first sitting
	Seconds   float64   // of all sittings together
	Sittings  int       // number of attempts: starts and resumptions
	PeakBytes int       // the peak memory of a sitting's process, in a notebook including earlier runs; 0 if unknown

	Failure string // why nothing was measured: a sentence; "" for a successful run
	Record  train.Record
	Points  []Point
}

// LastPoint returns the last point of a head, the zero Point if there is none.
func LastPoint(points []Point, head string) Point {
	for _, p := range slices.Backward(points) {
		if p.Head == head {
			return p
		}
	}
	return Point{}
}

// String summarizes the result: "2 min 23 s, accuracy 0.9340 (last)", with the name of the first head, if it has one,
// in place of "accuracy", or the reason of its failure.
func (r *Result) String() string {
	if r.Failure != "" {
		first, _, _ := strings.Cut(r.Failure, "\n")
		return "failed: " + first
	}
	text := duration(r.Seconds)
	if names := heads(r.Points); len(names) > 0 {
		if j, ok := judge(r.Points, names[0], Last); ok {
			text += fmt.Sprintf(", %s %.4f (%s)", cmp.Or(j.Head, "accuracy"), j.Accuracy, j.Rule)
		}
	}
	return text
}

// Failure is the error of a run that would fail again on every retry, such as a collapsed embedding on which no
// classifier can be trained: the state of the run is [Failed].
type Failure struct{ Err error }

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }
