package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/internal/sealed"
	"github.com/puclab/puclab/pucl/train"
)

// Store is a folder of results, one file for each run:
//
//	<size>/<setting>/<method>/seed-<seed>.json
//
// A file is JSON that begins with the SHA-256 of the rest. It is written whole or not at all, and never written over unasked.
// While runs are being done, there are their locks as well, in the hidden folder .locks, which git passes over.
type Store struct{ Folder string }

// Open returns the store in a folder, which need not be there yet. "" means notebooks/results of this checkout.
func Open(folder string) (*Store, error) {
	if folder == "" {
		root, ok := home.Dir()
		if !ok {
			return nil, errors.New("experiment: no folder of results is named, and this is no checkout that would have one: " +
				"start in its folder")
		}
		folder = filepath.Join(root, "notebooks", "results")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return &Store{folder}, nil
	} else if err != nil {
		return nil, fmt.Errorf("experiment: the results: %w", err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if _, err := ParseSize(name); err != nil && !strings.HasPrefix(name, ".") && name != "README.md" {
			return nil, fmt.Errorf("experiment: %s is no folder of results: it holds %s, and such a folder holds nothing but those "+
				"of the sizes, %s, %s and %s; name another folder, or an empty one", folder, name, Smoke, Laptop, Paper)
		}
	}
	return &Store{folder}, nil
}

// State is how a run stands in a store.
type State string

// The states.
const (
	Missing State = "missing" // not done yet
	Done    State = "done"
	Failed  State = "failed" // the result says that there is none
	Stale   State = "stale"  // what is there is of another configuration or version, or cannot be read
)

// Standing is a run and what a store has of it.
type Standing struct {
	Run    Run
	State  State
	Result *Result // nil where it is missing or cannot be read
	Why    string  // it is stale, and what to do: a sentence

	digest string // of the file, "" where there is none
}

// file returns where the result of a run lies.
func (s *Store) file(size Size, run Run) string {
	return filepath.Join(s.Folder, string(size), filepath.FromSlash(run.Path())+".json")
}

// Look returns how a run stands. A file that cannot be used is no error but makes the run stale.
func (s *Store) Look(size Size, run Run) (Standing, error) {
	here, err := run.Identity()
	if err != nil {
		return Standing{}, err
	}
	path := s.file(size, run)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Standing{Run: run, State: Missing}, nil
	} else if err != nil {
		return Standing{}, fmt.Errorf("experiment: the result of %s: %w", run, err)
	}
	standing := Standing{Run: run, State: Done, digest: train.Digest(data)}
	result, err := readResult(path, data)
	if err != nil {
		standing.State, standing.Why = Stale, err.Error()+redo
		return standing, nil
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
		standing.Why = fmt.Sprintf("%s is of another run: %s%s", path, someOf(differences, 3), redo)
	case result.Failure != "":
		standing.State = Failed
	}
	return standing, nil
}

// redo ends the sentence about a stale result.
const redo = "; -again does the run anew and writes over the file, and git keeps what was committed"

// someOf joins the first n clauses and counts the others.
func someOf(clauses []string, n int) string {
	text := strings.Join(clauses[:min(n, len(clauses))], ", ")
	if more := len(clauses) - n; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// LookAll returns how the runs of a grid stand, in its order.
func (s *Store) LookAll(grid Grid) ([]Standing, error) {
	if err := grid.Check(); err != nil {
		return nil, err
	}
	standings := make([]Standing, len(grid.Runs))
	for i, run := range grid.Runs {
		var err error
		if standings[i], err = s.Look(grid.Size, run); err != nil {
			return nil, err
		}
	}
	return standings, nil
}

// writable returns an error unless the file of a result can be made: better known before a run than after it.
func (s *Store) writable(size Size, run Run) error {
	path := s.file(size, run)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("experiment: the result of %s could not be written (%w); make room there, make it writable or name another "+
			"folder of results: nothing was trained yet", run, err)
	}
	return nil
}

// write makes the file of a result.
func (s *Store) write(size Size, run Run, result *Result) error {
	path := s.file(size, run)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = sealed.Write(path, result)
	}
	for _, entry := range entries { // parts of programs that were killed while they wrote go; the lock of the run is ours
		name := entry.Name()
		if strings.HasPrefix(name, filepath.Base(path)+".") && strings.HasSuffix(name, ".part") {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), name)))
		}
	}
	return err
}

// counts returns how many of the standings are in each state.
func counts(standings []Standing) map[State]int {
	n := map[State]int{}
	for _, s := range standings {
		n[s.State]++
	}
	return n
}

// Tell returns how many runs are in which state, as in "84 of 100 runs done, 15 missing, 1 failed".
func Tell(standings []Standing) string {
	n := counts(standings)
	text := fmt.Sprintf("%d of %d runs done", n[Done], len(standings))
	for _, state := range []State{Missing, Failed, Stale} {
		if n[state] > 0 {
			text += fmt.Sprintf(", %d %s", n[state], state)
		}
	}
	return text
}

// in reports whether the standing's state is one of states.
func (s Standing) in(states ...State) bool { return slices.Contains(states, s.State) }

// sameAs reports whether nothing came of the run between two looks.
func (s Standing) sameAs(other Standing) bool {
	return s.State == other.State && s.digest == other.digest
}
