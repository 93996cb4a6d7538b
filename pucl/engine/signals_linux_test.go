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

	"github.com/puclab/puclab/internal/expect"
)

// TestNoSignalsForXLA checks that XLA's own threads block the signal of the profiler, and that the thread that opened
// the engine does not.
func TestNoSignalsForXLA(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	own := filepath.Join("/proc/self/task", strconv.Itoa(syscall.Gettid()))
	before := blocked(t, own)
	e := expect.Must(Open())(t)
	if e.Kind != "xla-cpu" {
		t.Skip("XLA does not compute on the CPU here: ", e)
	}
	expect.Equal(t, blocked(t, own), before)
	tasks := expect.Must(filepath.Glob("/proc/self/task/*"))(t)
	const profiler, fault = 1 << (syscall.SIGPROF - 1), 1 << (syscall.SIGSEGV - 1)
	found := 0
	for _, task := range tasks {
		name, err := os.ReadFile(filepath.Join(task, "comm"))
		if err != nil || !strings.Contains(string(name), "XLA") {
			continue // other threads start and end
		}
		found++
		mask := blocked(t, task)
		for range 1000 { // a new thread blocks everything until it begins
			if mask&fault == 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
			mask = blocked(t, task)
		}
		expect.That(t, mask&profiler != 0 && mask&fault == 0,
			"a thread of XLA has blocked %#x: want SIGPROF, and not SIGSEGV", mask)
	}
	expect.That(t, found != 0, "no thread has XLA in its name")
}

// blocked returns the signals that a thread blocks, a bit for each.
func blocked(t *testing.T, task string) uint64 {
	t.Helper()
	status := expect.Must(os.ReadFile(filepath.Join(task, "status")))(t)
	_, after, _ := strings.Cut(string(status), "\nSigBlk:\t")
	line, _, _ := strings.Cut(after, "\n")
	return expect.Must(strconv.ParseUint(line, 16, 64))(t)
}
