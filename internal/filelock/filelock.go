// Package filelock locks files as the operating system does (flock). The system drops such a lock when its owner ends,
// however it ends: no lock outlives a crash, and a file that is left behind holds nobody up.
package filelock

import "errors"

var (
	// ErrBusy says that somebody else holds the lock now.
	ErrBusy = errors.New("locked by another program")
	// ErrNone says that the system or the file system has no locks that end with their owner.
	ErrNone = errors.New("no file locks here")
)
