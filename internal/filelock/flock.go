//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Try takes the lock at path without waiting. Shared locks do not exclude each other. The lock lasts until the file
// that Try returns is closed, here and in every process that has inherited it.
func Try(path string, shared bool) (*os.File, error) {
	how := syscall.LOCK_EX | syscall.LOCK_NB
	if shared {
		how = syscall.LOCK_SH | syscall.LOCK_NB
	}
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o644)
		if err != nil {
			return nil, err
		}
		for err = syscall.EINTR; err == syscall.EINTR; {
			err = syscall.Flock(int(f.Fd()), how)
		}
		named := false
		switch {
		case err == nil:
			// The previous owner may have removed the file. Then our file has no name any more and excludes nobody.
			named, err = Holds(f, path)
		case err == syscall.EWOULDBLOCK:
			err = ErrBusy
		case errors.Is(err, errors.ErrUnsupported), err == syscall.ENOLCK, err == syscall.EINVAL:
			err = ErrNone
		}
		if err == nil && named {
			return f, nil
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
	}
}

// Holds reports whether the lock f is still the file at path: a lock whose file was removed or moved excludes nobody.
func Holds(f *os.File, path string) (bool, error) {
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, named), err
}
