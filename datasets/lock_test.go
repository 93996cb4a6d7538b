package datasets

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// Whoever gives a lock back also removes its file, which others may have opened already: none of them may take the old
// file for the lock.
func TestLockKeepsOthersOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := systemLock(path)
	if errors.Is(err, filelock.ErrNone) {
		t.Skip("this system has no file locks")
	}
	if err != nil {
		t.Fatal(err)
	}
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
				if inside.Add(1) != 1 {
					t.Error("two have the lock at once")
				}
				taken++
				runtime.Gosched()
				inside.Add(-1)
				unlock()
			}
		})
	}
	wg.Wait()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock is left behind: %v", err)
	}
}

func TestFetchAtOnceDownloadsOnce(t *testing.T) {
	online(t)
	h := serve(t, func(i int, w http.ResponseWriter, r *http.Request) {
		time.Sleep(100 * time.Millisecond) // the others meet the lock meanwhile
		good(i, w, r)
	})
	dir := t.TempDir()
	if err := fetchAtOnce(dir, remote(h.URL)); err != nil {
		t.Fatal(err)
	}
	wantFile(t, dir)
	if got := len(h.ranges); got != 1 {
		t.Errorf("%d downloads, want 1", got)
	}
}

func TestFetchAtOnceWithoutLocks(t *testing.T) {
	online(t)
	tryLock = func(string) (func(), error) { return nil, filelock.ErrNone }
	t.Cleanup(func() { tryLock = systemLock })
	h := serve(t, good)
	dir := t.TempDir()
	if err := fetchAtOnce(dir, remote(h.URL)); err != nil {
		t.Fatal(err)
	}
	wantFile(t, dir)

	bad := serve(t, half)
	empty := t.TempDir()
	if err := fetchAtOnce(empty, remote(bad.URL)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want %v", err, io.ErrUnexpectedEOF)
	}
	wantNames(t, empty)
}

// If the first of two fails, the second takes its place, and what the first had got.
func TestFetchTakesOverFromAnother(t *testing.T) {
	online(t)
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
		if err := Fetch(ctx, dir, remote(first.URL), opts); !errors.Is(err, context.Canceled) {
			t.Errorf("the first: error %v, want %v", err, context.Canceled)
		}
	})
	<-started
	wg.Go(func() {
		if err := Fetch(context.Background(), dir, remote(second.URL), FetchOptions{}); err != nil {
			t.Errorf("the second: %v", err)
		}
	})
	time.Sleep(3 * lockPoll)
	if got := len(second.ranges); got != 0 {
		t.Errorf("the second made %d requests while the first was at work", got)
	}
	cancel()
	wg.Wait()
	wantFile(t, dir)
	if got := second.asked(); got != "bytes=100000-" {
		t.Errorf("the second asked for %q, want the second half", got)
	}
}

func TestFetchCanceledWhileWaiting(t *testing.T) {
	online(t)
	h := serve(t, good)
	dir := t.TempDir()
	unlock, err := acquireLock(context.Background(), filepath.Join(dir, "data.gz.lock"))
	if errors.Is(err, filelock.ErrNone) {
		t.Skip("this system has no file locks")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 3*lockPoll)
	defer cancel()
	err = Fetch(ctx, dir, remote(h.URL), FetchOptions{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
	if len(h.ranges) != 0 {
		t.Error("downloaded in spite of the lock")
	}
}

// In the program that TestFetchAfterACrash starts, this test is the download that gets killed; else it does nothing.
func TestFetchOfTheKilledProgram(t *testing.T) {
	dir, url := os.Getenv("DATASETS_TEST_DIR"), os.Getenv("DATASETS_TEST_URL")
	if dir == "" {
		return
	}
	err := Fetch(context.Background(), dir, remote(url), FetchOptions{})
	t.Errorf("the download ended: %v", err)
}

// A program that is killed leaves its part to the next one, and no lock that would keep it out.
func TestFetchAfterACrash(t *testing.T) {
	online(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	hanging, next := serve(t, halfAndHang), serve(t, good)
	dir := t.TempDir()
	program := exec.Command(self, "-test.run=^TestFetchOfTheKilledProgram$")
	program.Env = append(os.Environ(), "DATASETS_TEST_DIR="+dir, "DATASETS_TEST_URL="+hanging.URL)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(dir, "data.gz.part")
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if info, err := os.Stat(part); err == nil && info.Size() == int64(len(content)/2) {
			break
		}
		if time.Since(begin) > 30*time.Second {
			t.Fatal("the other program got no half")
		}
	}
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err == nil {
		t.Error("the other program ended by itself")
	}
	if err := Fetch(context.Background(), dir, remote(next.URL), FetchOptions{}); err != nil {
		t.Fatal(err)
	}
	wantFile(t, dir)
	if got := next.asked(); got != "bytes=100000-" {
		t.Errorf("asked for %q, want the second half", got)
	}
}
