// Package filelock locks files as the operating system does (flock). The system drops such a lock when its owner ends,
// however it ends: no lock outlives a crash, and a file that is left behind holds nobody up.
package filelock

import (
	"errors"
	"os"
)

var (
	// ErrBusy says that somebody else holds the lock now.
	ErrBusy = errors.New("locked by another program")
	// ErrNone says that the system or the file system has no locks that end with their owner.
	ErrNone = errors.New("no file locks here")
)

// Release gives up the lock f that [Try] took at path, and removes its file, unless another one is there by now.
func Release(f *os.File, path string) {
	if named, err := Holds(f, path); err == nil && named {
		os.Remove(path) // while it is locked: Try looks whether the file still has its name
	}
	f.Close()
}
