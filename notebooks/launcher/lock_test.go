package launcher

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/liveline"

	"github.com/puclab/puclab/internal/filelock"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out", ".lock")
	take := func(shared bool) *os.File {
		t.Helper()
		l, err := lock(path, shared)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	busy := func(shared bool) {
		t.Helper()
		if l, err := lock(path, shared); !errors.Is(err, filelock.ErrBusy) {
			t.Errorf("lock(shared: %v) gave %v, %v; want it busy", shared, l, err)
		}
	}
	free := func(l *os.File) {
		t.Helper()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	alone := take(false)
	busy(false)
	busy(true)
	if h := holder(path); !strings.Contains(h, "process ") {
		t.Errorf("holder is %q", h)
	}
	free(alone)
	a, b := take(true), take(true)
	busy(false)
	free(a)
	busy(false)
	free(b)
	free(take(false))
}

func TestStaleLockIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	if err := os.WriteFile(path, []byte("1\n"), 0o644); err != nil { // process 1 lives, but holds nothing
		t.Fatal(err)
	}
	l, err := lock(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil { // as clean does
		t.Fatal(err)
	}
	l2, err := lock(path, false)
	if err != nil {
		t.Fatalf("the file is gone, so the lock is another one: %v", err)
	}
	if err := errors.Join(l.Close(), l2.Close()); err != nil {
		t.Error(err)
	}
}

func TestWaitLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	held, err := lock(path, false)
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	c := liveline.New(&said)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := waitLock(ctx, c, path, true); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("gave up with %v", err)
	}
	contains(t, said.String(), "Another launcher (process ", "waiting")
	go func() {
		time.Sleep(50 * time.Millisecond)
		held.Close()
	}()
	l, err := waitLock(context.Background(), c, path, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
