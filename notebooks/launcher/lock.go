package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/filelock"
	"github.com/puclab/puclab/internal/liveline"
)

// lock takes the lock at path without waiting. Several shared locks may be held together. It is held until the process
// ends or the file is closed; the file stays, so that no one waits on a removed file.
func lock(path string, shared bool) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := filelock.Try(path, shared)
	if err != nil {
		return nil, err
	}
	// The number is only for the messages of other programs.
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// holder names the last process that took the lock at path, as " (process 123)", or "" if the file has no number.
func holder(path string) string {
	data, err := os.ReadFile(path)
	if pid, convErr := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && convErr == nil {
		return fmt.Sprintf(" (process %d)", pid)
	}
	return ""
}

// lockAlone takes an exclusive lock at path. If it is busy, the error is a problem that names the holder after who.
func lockAlone(path, who, what, mend string) (*os.File, error) {
	l, err := lock(path, false)
	if errors.Is(err, filelock.ErrBusy) {
		err = &problem{What: who + holder(path) + what, Mend: mend, Err: err}
	}
	return l, err
}

// environmentLock returns the path of the lock on .venv: exclusive to change it, shared to use it.
func environmentLock(p place) string { return filepath.Join(p.out(), ".lock") }

// waitLock takes the lock at path; if it must wait, it notifies the user.
func waitLock(ctx context.Context, c *liveline.Line, path string, shared bool) (*os.File, error) {
	for announced := false; ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
		l, err := lock(path, shared)
		if !errors.Is(err, filelock.ErrBusy) {
			return l, err
		}
		if !announced {
			c.Linef("Another launcher%s uses the environment; waiting until it is done (Ctrl-C gives up) …", holder(path))
			announced = true
		}
	}
	return nil, ctx.Err()
}
