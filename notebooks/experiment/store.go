package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/puclab/puclab/internal/home"
)

// Store is a folder of results. The results of a setting are one file, a pack, which grids share:
//
//	<size>/<setting>.jsonl.gz          a run on each line, sorted by method and seed
//	<size>/<setting>.answers.jsonl.gz  the answers to single test examples, see [Answers]
//
// A line is a JSON object that begins with the SHA-256 of the rest. A run that has just been done is a loose file,
// <size>/<setting>/<method>/seed-<seed>.json, until [Store.Pack] moves it into the pack. Loose files are in the same
// folder; for notebooks/results of a checkout they are in notebooks/out/results.
//
// Every file is written atomically and overwritten only on request. The locks of runs and packs in progress are in the
// hidden folder .locks, which git ignores.
type Store struct{ Folder string }

// Open returns the store in a folder, which need not exist yet. "" means notebooks/results of this checkout.
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
	if _, ours := checkoutOf(folder); ours && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("experiment: %s does not exist: a downloaded module comes without the committed results; clone its repository, "+
			"and name the clone in a replace directive of your go.mod or in %s", folder, home.Env)
	} else if errors.Is(err, fs.ErrNotExist) {
		return &Store{folder}, nil
	} else if err != nil {
		return nil, fmt.Errorf("experiment: the results: %w", err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if _, err := ParseSize(name); err != nil && !strings.HasPrefix(name, ".") && name != "README.md" && name != "go.mod" {
			return nil, fmt.Errorf("experiment: %s is no folder of results: it holds %s, and such a folder holds nothing but those "+
				"of the sizes, %s, %s and %s; name another folder, or an empty one", folder, name, Smoke, Laptop, Paper)
		}
	}
	return &Store{folder}, nil
}

// checkoutOf returns the root of the module if folder is its notebooks/results.
func checkoutOf(folder string) (root string, ok bool) {
	notebooks := filepath.Dir(folder)
	if filepath.Base(folder) != "results" || filepath.Base(notebooks) != "notebooks" {
		return "", false
	}
	root, err := home.Find(notebooks)
	return root, err == nil && root == filepath.Dir(notebooks)
}

// State is the state of a run in a store.
type State string

// The states.
const (
	Missing State = "missing" // not done yet
	Done    State = "done"
	Failed  State = "failed" // the result is a failure
	Stale   State = "stale"  // the result is of another configuration or version, or unreadable
)

// Standing is the status of a run in a store.
type Standing struct {
	Run    Run
	State  State
	Result *Result // nil if missing or unreadable; shared, so read-only
	Why    string  // why it is stale, and the remedy: a sentence

	digest string // of the result, the same loose and packed; "" for none
}

// Look returns the status of a run. A loose result precedes a packed one, unless only the packed one is current. An
// unusable file is not an error; it makes the run stale.
func (s *Store) Look(size Size, run Run) (Standing, error) {
	here, err := run.Identity()
	if err != nil {
		return Standing{}, err
	}
	loose, err := s.readLoose(size, run)
	if err != nil {
		return Standing{}, err
	}
	standing := loose.standing(run, here)
	if standing.in(Done, Failed) {
		return standing, nil
	}
	packed, err := openPack(s.packFile(size, run, packEnding))
	if err != nil {
		return Standing{}, fmt.Errorf("experiment: the result of %s: %w", run, err)
	}
	if now := packed.standing(run, here); loose == nil || now.in(Done, Failed) {
		return now, nil
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

// LookAll returns the status of the runs of a grid, in its order. It decodes results on all processors.
func (s *Store) LookAll(grid Grid) ([]Standing, error) {
	if err := grid.Check(); err != nil {
		return nil, err
	}
	standings, errs := make([]Standing, len(grid.Runs)), make([]error, len(grid.Runs))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(grid.Runs)); i = next.Add(1) - 1 {
				standings[i], errs[i] = s.Look(grid.Size, grid.Runs[i])
			}
		})
	}
	readers.Wait()
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	return standings, nil
}

// counts returns the number of standings in each state.
func counts(standings []Standing) map[State]int {
	n := map[State]int{}
	for _, s := range standings {
		n[s.State]++
	}
	return n
}

// Tell returns the number of runs in each state, as in "84 of 100 runs done, 15 missing, 1 failed".
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

// sameAs reports whether state and result of the run are the same in both standings.
func (s Standing) sameAs(other Standing) bool {
	return s.State == other.State && s.digest == other.digest
}
