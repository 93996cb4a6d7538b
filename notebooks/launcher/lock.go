package launcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/liveline"
)

// errBusy says that another process holds a lock.
var errBusy = errors.New("locked by another process")

// lockFile is held as long as the process lives or until release. The lock is the system's (flock), not the existence of
// the file: one left behind by a process that died holds nobody up.
type lockFile struct {
	f    *os.File
	path string
}

// lock takes the lock at path without waiting. A shared lock lets other shared ones in.
func lock(path string, shared bool) (*lockFile, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		named := false
		if err = flock(f, shared); err == nil {
			// Whoever had the lock before may have removed the file: then ours has no name any more and keeps nobody out.
			named, err = isAt(f, path)
		}
		if err == nil && named {
			// The number is only for the message that others show.
			if err = f.Truncate(0); err == nil {
				_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
			}
		}
		if err == nil && named {
			return &lockFile{f, path}, nil
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
}

// isAt reports whether f is the file at path.
func isAt(f *os.File, path string) (bool, error) {
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

// release gives the lock back; the file stays, so that nobody waits on a file that is gone.
func (l *lockFile) release() error { return l.f.Close() }

// holder names the process that took the lock at path last, as " (process 123)", or "" when the file does not tell.
func holder(path string) string {
	data, err := os.ReadFile(path)
	if pid, convErr := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && convErr == nil {
		return fmt.Sprintf(" (process %d)", pid)
	}
	return ""
}

// environmentLock returns the path of the lock on .venv: exclusive to change it, shared to use it.
func environmentLock(p place) string { return filepath.Join(p.out(), ".lock") }

// waitLock takes the lock at path, waiting for others with a word to the user.
func waitLock(ctx context.Context, c *liveline.Line, path string, shared bool) (*lockFile, error) {
	for announced := false; ; {
		l, err := lock(path, shared)
		if !errors.Is(err, errBusy) {
			return l, err
		}
		if !announced {
			c.Linef("Another launcher%s uses the environment; waiting until it is done (Ctrl-C gives up) …", holder(path))
			announced = true
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
