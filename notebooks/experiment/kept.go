package experiment

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/puclab/puclab/internal/sealed"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/pucl/train"
)

// kept is a stored result, loose or packed.
type kept struct {
	where  string // the path of a loose file, or the run's name and the path of the pack
	line   []byte // as [sealed.Line] writes it; the raw content if damaged
	intact bool

	once   sync.Once
	result *Result
	err    error
}

// digest identifies the result. It is the same loose and packed.
func (k *kept) digest() string {
	if k.intact {
		return sealed.Sum(k.line)
	}
	return train.Digest(k.line)
}

// read returns the result. An error states the defect and the remedy.
func (k *kept) read() (*Result, error) {
	k.once.Do(func() {
		result := &Result{}
		if k.err = k.decode(resultFormat, result); k.err == nil {
			k.result = result
		}
	})
	return k.result, k.err
}

// decode parses the stored record, which must have the given format, into *value.
func (k *kept) decode(format int, value any) error {
	var there struct{ Format int }
	if json.Unmarshal(k.line, &there) == nil && there.Format != format && there.Format != 0 {
		return fmt.Errorf("%s is of format %d, and this program knows format %d: take the program that wrote it",
			k.where, there.Format, format)
	}
	object, ok := sealed.Open(k.line)
	if !ok {
		return fmt.Errorf("%s is not as it was written: its SHA-256 is missing or that of something else; "+
			"restore it or make it again", k.where)
	}
	if err := strictjson.Unmarshal(object, value); err != nil {
		return fmt.Errorf("%s does not read as %T: %w", k.where, value, err)
	}
	return nil
}

// standing returns the status of a run with the identity here, given its stored result; nil means none.
func (k *kept) standing(run Run, here Identity) Standing {
	if k == nil {
		return Standing{Run: run, State: Missing}
	}
	standing := Standing{Run: run, State: Done, digest: k.digest()}
	result, err := k.read()
	if err != nil {
		standing.State, standing.Why = Stale, err.Error()+redo
		return standing
	}
	differences := result.Identity.Differences(here)
	if result.Setting != run.Setting || result.Method != run.Method || result.Seed != run.Seed {
		differences = []string{fmt.Sprintf("the run is %q here and %q in the file", run,
			Run{Setting: result.Setting, Method: result.Method, Seed: result.Seed})}
	}
	standing.Result = result
	switch {
	case len(differences) > 0:
		standing.State = Stale
		standing.Why = fmt.Sprintf("%s is of another run: %s%s", k.where, someOf(differences, 3), redo)
	case result.Failure != "":
		standing.State = Failed
	}
	return standing
}

// current reports whether the stored result belongs to the run with this identity; nil does not.
func (k *kept) current(run Run, here Identity) bool { return k.standing(run, here).in(Done, Failed) }
