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

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/liveline"

	"github.com/puclab/puclab/internal/filelock"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out", ".lock")
	take := func(shared bool) *os.File { return expect.Must(lock(path, shared))(t) }
	busy := func(shared bool) {
		t.Helper()
		expect.Is(t, expect.Err(lock(path, shared)), filelock.ErrBusy, "lock(shared: %v)", shared)
	}
	free := func(l *os.File) { expect.NoError(t, l.Close()) }
	alone := take(false)
	busy(false)
	busy(true)
	h := holder(path)
	expect.That(t, strings.Contains(h, "process "), "holder is %q", h)
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
	expect.NoError(t, os.WriteFile(path, []byte("1\n"), 0o644)) // process 1 lives, but holds nothing
	l := expect.Must(lock(path, false))(t)
	expect.NoError(t, os.Remove(path)) // as clean does
	l2 := expect.Must(lock(path, false))(t)
	expect.NoError(t, errors.Join(l.Close(), l2.Close()))
}

func TestWaitLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	held := expect.Must(lock(path, false))(t)
	var said bytes.Buffer
	c := liveline.New(&said)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	expect.Is(t, expect.Err(waitLock(ctx, c, path, true)), context.DeadlineExceeded, "gave up with")
	contains(t, said.String(), "Another launcher (process ", "waiting")
	go func() {
		time.Sleep(50 * time.Millisecond)
		held.Close()
	}()
	l := expect.Must(waitLock(context.Background(), c, path, true))(t)
	expect.NoError(t, l.Close())
}
