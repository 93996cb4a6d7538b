// Package filelock locks files through the operating system (flock). The system releases such a lock when its owner
// ends, for any reason. So no lock survives a crash, and a leftover file blocks nobody.
package filelock

import (
	"errors"
	"os"
)

var (
	// ErrBusy means that another program holds the lock.
	ErrBusy = errors.New("locked by another program")
	// ErrNone means that the system or the file system has no locks that end with their owner.
	ErrNone = errors.New("no file locks here")
)

// Release releases the lock f that [Try] took at path. It removes its file, unless another file has replaced it.
func Release(f *os.File, path string) {
	if named, err := Holds(f, path); err == nil && named {
		os.Remove(path) // while it is locked: Try checks that the file still has its name
	}
	f.Close()
}
