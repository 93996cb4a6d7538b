package experiment

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/puclab/puclab/internal/filelock"
	"github.com/puclab/puclab/internal/wholefile"
)

// lock keeps others from a run until release is called or this process ends: those with the same store, who would do it twice, and
// those with the same desk, whose checkpoints would be mixed up with ours. The error is [Busy] where somebody else does the run. Where
// a file system has no locks nobody is kept off, and locked is false.
func (s *Store) lock(size Size, run Run, desk desk) (release func(), locked bool, err error) {
	if err := os.MkdirAll(desk.folder, 0o755); err != nil {
		return nil, false, fmt.Errorf("experiment: %s cannot be given a place for its checkpoints (%w); make %s a folder that you can write to",
			run, err, desk.folder)
	}
	folder := filepath.Join(s.Folder, ".locks") // in one place, beside the results, and out of the sight of git
	if err := wholefile.Keep(filepath.Join(folder, ".gitignore"), []byte("*\n"), 0o644); err != nil {
		return nil, false, fmt.Errorf("experiment: %s cannot be kept from being done twice (%w); make %s a folder that you can write to, or "+
			"name another folder of results", run, err, folder)
	}
	locked = true
	var held []func()
	release = func() {
		for _, free := range held {
			free()
		}
	}
	name := strings.ReplaceAll(string(size)+"/"+run.Path(), "/", ".")
	for _, path := range []string{filepath.Join(desk.folder, "lock"), filepath.Join(folder, name)} {
		f, err := tryLock(path, false)
		switch {
		case err == nil:
			held = append(held, func() { filelock.Release(f, path) })
			continue
		case errors.Is(err, filelock.ErrNone):
			locked = false
			continue
		case errors.Is(err, filelock.ErrBusy):
			err = &Busy{run}
		default:
			err = fmt.Errorf("experiment: %s: %w", run, err)
		}
		release()
		return nil, false, err
	}
	return release, locked, nil
}

// tryLock is a variable so that tests can stand in for a file system without locks.
var tryLock = filelock.Try
