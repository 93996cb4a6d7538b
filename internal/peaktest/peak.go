// Package peaktest measures the memory of tests that run in processes of their own, since a process has one peak for
// all of its life.
//
// A test runs itself with [OfChild], once for each measurement. In the child process it ends with [Tell].
package peaktest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/peak"
)

// Skip skips the test if the system does not report the peak of a process.
func Skip(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the peak of a process is read from /proc, which this system lacks")
	}
}

// SkipUnderRace skips a test whose bound leaves no room for the records of the race detector, which take several times
// the memory itself.
func SkipUnderRace(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("the peak would be the race detector's own; run this test without -race")
	}
}

// Must returns the peak of this process as [peak.Bytes] does, and fails the test if the system does not report it.
func Must(t *testing.T) int {
	t.Helper()
	bytes, err := peak.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// Forget returns free memory to the system, resets the peak and returns the bytes that are held now, where the next
// peak begins. Free pieces that the C library kept would hold later allocations, and the peak would not move.
func Forget(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	trim()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
	return Must(t)
}

// Tell prints a number of bytes for [OfChild].
func Tell(bytes int) { fmt.Printf("\npeak %d\n", bytes) }

// OfChild runs this test alone in another process, with the variable name set to value, and returns the bytes that it
// printed with [Tell].
func OfChild(t *testing.T, name, value string) int {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), name+"="+value)
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%s=%s: %v\n%s", name, value, err, out)
	}
	_, after, _ := strings.Cut(string(out), "\npeak ")
	var bytes int
	if _, err := fmt.Sscan(after, &bytes); err != nil {
		t.Fatalf("%s=%s: no peak in\n%s", name, value, out)
	}
	return bytes
}
