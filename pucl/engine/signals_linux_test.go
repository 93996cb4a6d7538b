//go:build cgo

package engine

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNoSignalsForXLA: XLA's own threads have blocked the signal of the profiler, and the thread that opened the engine has not.
func TestNoSignalsForXLA(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	own := filepath.Join("/proc/self/task", strconv.Itoa(syscall.Gettid()))
	before := blocked(t, own)
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if e.Kind != "xla-cpu" {
		t.Skip("XLA does not compute on the CPU here: ", e)
	}
	if after := blocked(t, own); after != before {
		t.Errorf("the thread that opened the engine has blocked %#x, %#x before", after, before)
	}
	tasks, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		t.Fatal(err)
	}
	const profiler, fault = 1 << (syscall.SIGPROF - 1), 1 << (syscall.SIGSEGV - 1)
	found := 0
	for _, task := range tasks {
		name, err := os.ReadFile(filepath.Join(task, "comm"))
		if err != nil || !strings.Contains(string(name), "XLA") {
			continue // other threads come and go
		}
		found++
		mask := blocked(t, task)
		for range 1000 { // a new thread has everything blocked until it begins
			if mask&fault == 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
			mask = blocked(t, task)
		}
		if mask&profiler == 0 || mask&fault != 0 {
			t.Errorf("a thread of XLA has blocked %#x: want SIGPROF, and not SIGSEGV", mask)
		}
	}
	if found == 0 {
		t.Error("no thread has XLA in its name")
	}
}

// blocked returns the signals that a thread has blocked, a bit for each.
func blocked(t *testing.T, task string) uint64 {
	t.Helper()
	status, err := os.ReadFile(filepath.Join(task, "status"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "\nSigBlk:\t")
	line, _, _ := strings.Cut(after, "\n")
	mask, err := strconv.ParseUint(line, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return mask
}
