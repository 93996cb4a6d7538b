package experiment

import (
	"errors"
	"fmt"

	"github.com/puclab/puclab/internal/sealed"
)

// List is a list of runs for worker programs, on this machine or another one with access to the same files.
type List struct {
	Size        Size
	Store, Work string // folders
	Entries     []Entry
}

// Entry is a run of a list.
type Entry struct {
	Grid   string // which contains the run
	Path   string // see [Run.Path]
	Run    string // in words
	State  State  // when the list was written
	Digest string // of the result at that time
}

// Write writes the list to a file.
func (l List) Write(path string) error { return sealed.Write(path, l) }

// ReadList reads a list from a file.
func ReadList(path string) (List, error) {
	var l List
	if err := sealed.Read(path, &l); err != nil {
		return List{}, fmt.Errorf("experiment: the list of runs: %w", err)
	}
	return l, nil
}

// Find returns a run of the list, counted from 0, with its status when the list was written. Grid finds a grid by its
// name.
func (l List) Find(index int, grid func(name string, size Size) (Grid, error)) (Standing, error) {
	if len(l.Entries) == 0 {
		return Standing{}, errors.New("experiment: the list of runs holds none: start the grid again, which makes another list")
	}
	if index < 0 || index >= len(l.Entries) {
		return Standing{}, fmt.Errorf("experiment: the list of runs has no number %d; it has those from 0 to %d",
			index, len(l.Entries)-1)
	}
	entry := l.Entries[index]
	g, err := grid(entry.Grid, l.Size)
	if err != nil {
		return Standing{}, err
	}
	for _, run := range g.Runs {
		if run.Path() == entry.Path {
			return Standing{Run: run, State: entry.State, digest: entry.Digest}, nil
		}
	}
	return Standing{}, fmt.Errorf("experiment: %s of size %s has no run %s any more; the list was made by another version of "+
		"this program: start the grid again", entry.Grid, l.Size, entry.Run)
}
