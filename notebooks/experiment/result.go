package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/puclab/puclab/pucl/train"
)

// resultFormat is raised by what makes older programs read a result wrongly.
const resultFormat = 2

// Result is what is kept of a run: a line of a pack, or a loose file.
type Result struct {
	Format  int
	Setting string
	Method  string
	Seed    uint64

	Identity Identity

	Started   time.Time // the first sitting
	Seconds   float64   // of all sittings together
	Sittings  int       // how often it was begun or gone on with
	PeakBytes int       // the most memory that the process of a sitting has held, in a notebook that of earlier runs too; 0 where the system does not tell

	Failure string // why nothing was measured: a sentence; "" for a run that went well
	Record  train.Record
	Points  []Point
}

// LastPoint returns the last point of a head, the zero Point where there is none.
func LastPoint(points []Point, head string) Point {
	for _, p := range slices.Backward(points) {
		if p.Head == head {
			return p
		}
	}
	return Point{}
}

// String tells what came of the run in a few words: "2 min 23 s, accuracy 0.9340 (last)", with the name of the first head, where it has one, in
// place of "accuracy", or why it failed.
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

// Failure is the error of a run that another try would end in as well, as where an embedding has collapsed so that nothing can be
// learned from it: the run is one that [Failed].
type Failure struct{ Err error }

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns why.
func (f *Failure) Unwrap() error { return f.Err }
