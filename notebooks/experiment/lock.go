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

// lock reserves a run until release is called or this process ends. It excludes programs with the same store, which
// would do the run twice, and programs with the same desk (work folder), whose checkpoints would mix with ours. The
// error is [Busy] if another program does the run. On a file system without locks it excludes no one, and locked is
// false.
func (s *Store) lock(size Size, run Run, desk desk) (release func(), locked bool, err error) {
	if err := os.MkdirAll(desk.folder, 0o755); err != nil {
		return nil, false, fmt.Errorf("experiment: %s cannot be given a place for its checkpoints (%w); make %s a folder that you can write to",
			run, err, desk.folder)
	}
	return s.hold(run, filepath.Join(desk.folder, "lock"), s.runLock(size, run))
}

// locks returns the folder of the locks, beside the results and ignored by git.
func (s *Store) locks() string { return filepath.Join(s.Folder, ".locks") }

// runLock returns the path of the lock of a run.
func (s *Store) runLock(size Size, run Run) string {
	return filepath.Join(s.locks(), strings.ReplaceAll(string(size)+"/"+run.Path(), "/", "."))
}

// makeLocks creates the folder of the locks.
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

// packPatience is the longest wait for another program that packs the same setting.
const packPatience = time.Minute

// lockPack waits for exclusive access to the packs of a run's setting and holds it until release is called. On a file
// system without locks it excludes no one.
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

// tryLock is a variable so that tests can simulate a file system without locks.
var tryLock = filelock.Try
