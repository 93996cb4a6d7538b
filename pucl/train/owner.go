package train

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/filelock"
)

// lockFile exists in a checkpoint folder while a run uses it, and names that run.
const lockFile = "training.lock"

// InUse is the error of a run whose checkpoint folder another run is using. The folder is unchanged.
type InUse struct {
	Folder string
	Holder string // the other run: its name, process, machine and start
}

// Error names the holder of the folder and the remedy.
func (e *InUse) Error() string {
	return fmt.Sprintf("train: the checkpoint folder %s is in use by another run (%s), which this one would overwrite; wait until that "+
		"has ended, or name another folder in Checkpoint", e.Folder, e.Holder)
}

// tryLock is a variable so that tests can simulate a file system without locks.
var tryLock = filelock.Try

// ownFolder locks a folder against other runs until release is called, or until this process ends in any way. On a
// system without such locks it returns a note about that.
func ownFolder(folder, name string) (release func(), holds func() error, note string, err error) {
	path := filepath.Join(folder, lockFile)
	f, err := tryLock(path, false)
	switch {
	case errors.Is(err, filelock.ErrBusy):
		return nil, nil, "", &InUse{folder, cmp.Or(readHolder(path), "which does not say its name")}
	case errors.Is(err, filelock.ErrNone):
		os.Remove(path) // of no use
		return func() {}, func() error { return nil }, "the system has no file locks at " + folder + ": see to it that no other run uses this folder", nil
	case err != nil:
		return nil, nil, "", err
	}
	holds = func() error {
		named, err := filelock.Holds(f, path)
		if err == nil && !named {
			err = fmt.Errorf("%s, which keeps other runs out, was removed or moved while this run had it", path)
		}
		return err
	}
	release = func() { filelock.Release(f, path) }
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteString(holder(name) + "\n")
	}
	if err != nil {
		release()
		return nil, nil, "", err
	}
	return release, holds, "", nil
}

// readHolder returns the description that the holder wrote into the lock file. It waits briefly, since a new holder may
// not have written yet, and returns "" if none appears: the folder is in use even then.
func readHolder(path string) string {
	for range 100 {
		if text, err := os.ReadFile(path); err != nil || len(text) > 0 {
			return strings.TrimSpace(string(text))
		}
		time.Sleep(10 * time.Millisecond)
	}
	return ""
}

// holder describes this process.
func holder(name string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine without a name"
	}
	return fmt.Sprintf("%s, process %d on %s, since %s", name, os.Getpid(), host, time.Now().Format(time.RFC3339))
}
