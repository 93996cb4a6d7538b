package experiment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/sealed"
	"github.com/puclab/puclab/pucl/train"
)

// resultFormat is raised by what makes older programs read a result wrongly.
const resultFormat = 1

// Result is what is kept of a run: one file.
type Result struct {
	Format  int
	Setting string
	Method  string
	Seed    uint64

	Identity Identity

	Started   time.Time // the first sitting
	Seconds   float64   // of all sittings together
	Sittings  int       // how often it was begun or gone on with
	PeakBytes int       // the most memory that one of the sittings held; 0 where the system does not tell

	Failure    string `json:",omitempty"` // why there are no judgements: a sentence; "" for a run that went well
	Record     train.Record
	Judgements []Judgement
}

// String tells what came of the run in a few words: "143 s, accuracy 0.934", or why it failed.
func (r *Result) String() string {
	if r.Failure != "" {
		first, _, _ := strings.Cut(r.Failure, "\n")
		return "failed: " + first
	}
	text := duration(r.Seconds)
	if len(r.Judgements) > 0 {
		j := r.Judgements[0]
		text += fmt.Sprintf(", %s %.4f (%s)", cmp.Or(j.Head, "accuracy"), j.Accuracy, j.Rule)
	}
	return text
}

// check returns an error if the outcome cannot stand in a table.
func (o *Outcome) check() error {
	if o == nil || len(o.Judgements) == 0 {
		return fmt.Errorf("it left no judgement")
	}
	type key struct {
		head string
		rule Rule
	}
	seen := map[key]bool{}
	for _, j := range o.Judgements {
		for _, share := range []float64{j.Accuracy, j.BalancedAccuracy, j.AUC} {
			if share < 0 || share > 1 {
				return fmt.Errorf("a judgement of the head %q is %g; it must be a share between 0 and 1, or NaN where there is none",
					j.Head, share)
			}
		}
		switch j.Rule {
		case Last, ProxyAccuracy, ProxyAUC, Oracle:
		default:
			return fmt.Errorf("a judgement has the rule %q; there are %q, %q, %q and %q",
				j.Rule, Last, ProxyAccuracy, ProxyAUC, Oracle)
		}
		if k := (key{j.Head, j.Rule}); seen[k] {
			return fmt.Errorf("the head %q is judged twice by the rule %q", j.Head, j.Rule)
		} else {
			seen[k] = true
		}
	}
	return nil
}

// readResult reads the file of a result, which holds data. An error says what is wrong with it, and how to mend it.
func readResult(path string, data []byte) (*Result, error) {
	var format struct{ Format int }
	if json.Unmarshal(data, &format) == nil && format.Format != resultFormat && format.Format != 0 {
		return nil, fmt.Errorf("%s is of format %d, and this program knows format %d: take the program that wrote it",
			path, format.Format, resultFormat)
	}
	r := &Result{}
	return r, sealed.Read(path, r)
}
