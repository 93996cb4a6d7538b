package experiment

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

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
	return s.hold(run, filepath.Join(desk.folder, "lock"), s.runLock(size, run))
}

// locks returns the folder of the locks: in one place, beside the results, and ignored by git.
func (s *Store) locks() string { return filepath.Join(s.Folder, ".locks") }

// runLock returns the path of the lock of a run.
func (s *Store) runLock(size Size, run Run) string {
	return filepath.Join(s.locks(), strings.ReplaceAll(string(size)+"/"+run.Path(), "/", "."))
}

// makeLocks makes the folder of the locks.
func (s *Store) makeLocks() error {
	return wholefile.Keep(filepath.Join(s.locks(), ".gitignore"), []byte("*\n"), 0o644)
}

// hold takes the locks at paths, all or none, as [Store.lock] does.
func (s *Store) hold(run Run, paths ...string) (release func(), locked bool, err error) {
	if err := s.makeLocks(); err != nil {
		return nil, false, fmt.Errorf("experiment: %s cannot be kept from being done twice (%w); make %s a folder that you can write to, or "+
			"name another folder of results", run, err, s.locks())
	}
	locked = true
	var held []func()
	release = func() {
		for _, free := range held {
			free()
		}
	}
	for _, path := range paths {
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

// packPatience is how long a program waits for another one that packs the same setting, which takes a moment.
const packPatience = time.Minute

// lockPack keeps others from the packs of the setting of a run until release is called, and waits for them before. Where a file system has
// no locks nobody is kept off.
func (s *Store) lockPack(size Size, run Run) (release func(), err error) {
	if err := s.makeLocks(); err != nil {
		return nil, fmt.Errorf("no lock can be made (%w); make %s a folder that you can write to", err, s.locks())
	}
	path := filepath.Join(s.locks(), string(size)+"."+slug(run.Setting)+".pack")
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		f, err := tryLock(path, false)
		switch {
		case err == nil:
			return func() { filelock.Release(f, path) }, nil
		case errors.Is(err, filelock.ErrNone):
			return func() {}, nil
		case !errors.Is(err, filelock.ErrBusy):
			return nil, err
		case time.Since(began) > packPatience:
			return nil, errors.New("another program has been packing them for a minute; end it, then run grid -pack")
		}
	}
}

// tryLock is a variable so that tests can stand in for a file system without locks.
var tryLock = filelock.Try
