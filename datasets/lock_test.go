package datasets

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/filelock"
)

// fetchAtOnce fetches one file into one folder from eight goroutines, and returns their errors joined.
func fetchAtOnce(dir string, file RemoteFile) error {
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() { errs[i] = Fetch(context.Background(), dir, file, FetchOptions{}) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// A released lock is removed with its file: a file opened earlier must not count as the lock.
func TestLockKeepsOthersOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := systemLock(path)
	if errors.Is(err, filelock.ErrNone) {
		t.Skip("this system has no file locks")
	}
	expect.NoError(t, err)
	unlock()
	var inside atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for taken := 0; taken < 100; {
				unlock, err := systemLock(path)
				if errors.Is(err, filelock.ErrBusy) {
					runtime.Gosched()
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				expect.That(t, inside.Add(1) == 1, "two have the lock at once")
				taken++
				runtime.Gosched()
				inside.Add(-1)
				unlock()
			}
		})
	}
	wg.Wait()
	expect.Is(t, expect.Err(os.Stat(path)), fs.ErrNotExist, "the lock is left behind")
}

func TestFetchAtOnceDownloadsOnce(t *testing.T) {
	h := serve(t, func(i int, w http.ResponseWriter, r *http.Request) {
		time.Sleep(100 * time.Millisecond) // the others find the lock taken meanwhile
		good(i, w, r)
	})
	dir := t.TempDir()
	expect.NoError(t, fetchAtOnce(dir, remote(h.URL)))
	wantFile(t, dir)
	expect.Equal(t, len(h.ranges), 1, "downloads")
}

func TestFetchAtOnceWithoutLocks(t *testing.T) {
	tryLock = func(string) (func(), error) { return nil, filelock.ErrNone }
	t.Cleanup(func() { tryLock = systemLock })
	h := serve(t, good)
	dir := t.TempDir()
	expect.NoError(t, fetchAtOnce(dir, remote(h.URL)))
	wantFile(t, dir)

	bad := serve(t, half)
	empty := t.TempDir()
	expect.Is(t, fetchAtOnce(empty, remote(bad.URL)), io.ErrUnexpectedEOF)
	wantNames(t, empty)
}

// If the first of two fails, the second takes over, with the part that the first had downloaded.
func TestFetchTakesOverFromAnother(t *testing.T) {
	first, second := serve(t, halfAndHang), serve(t, good)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	started := make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	wg.Go(func() {
		opts := FetchOptions{Progress: func(p FetchProgress) {
			if p.Done == p.Total/2 {
				once.Do(func() { close(started) })
			}
		}}
		err := Fetch(ctx, dir, remote(first.URL), opts)
		expect.That(t, errors.Is(err, context.Canceled), "the first: error %v, want %v", err, context.Canceled)
	})
	<-started
	wg.Go(func() { expect.NoError(t, Fetch(context.Background(), dir, remote(second.URL), FetchOptions{})) })
	time.Sleep(3 * lockPoll)
	expect.Equal(t, len(second.ranges), 0, "requests of the second while the first was at work")
	cancel()
	wg.Wait()
	wantFile(t, dir)
	expect.Equal(t, second.asked(), "bytes=100000-", "the second asked for")
}

func TestFetchCanceledWhileWaiting(t *testing.T) {
	h := serve(t, good)
	dir := t.TempDir()
	unlock, err := acquireLock(context.Background(), filepath.Join(dir, "data.gz.lock"))
	if errors.Is(err, filelock.ErrNone) {
		t.Skip("this system has no file locks")
	}
	expect.NoError(t, err)
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 3*lockPoll)
	defer cancel()
	err = Fetch(ctx, dir, remote(h.URL), FetchOptions{})
	expect.That(t, errors.Is(err, context.DeadlineExceeded), "error %v, want %v", err, context.DeadlineExceeded)
	expect.That(t, len(h.ranges) == 0, "downloaded in spite of the lock")
}
