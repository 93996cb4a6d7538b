//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package datasets

import (
	"errors"
	"os"
	"syscall"
)

func systemLock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		f.Close()
		switch {
		case err == syscall.EWOULDBLOCK:
			return nil, errLocked
		case errors.Is(err, errors.ErrUnsupported), err == syscall.ENOLCK, err == syscall.EINVAL:
			return nil, errors.Join(errNoLocks, os.Remove(path))
		}
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	// The owner before us may have removed the file between our opening and our locking it. Then our lock is on a file
	// without a name, which keeps nobody out: try again with the file that has the name now.
	mine, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if named, err := os.Stat(path); err != nil || !os.SameFile(mine, named) {
		f.Close()
		return nil, errLocked
	}
	return func() {
		os.Remove(path) // while the lock is held, for the reason above
		f.Close()
	}, nil
}
