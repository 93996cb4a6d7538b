// Package peaktest measures the memory of tests that run in processes of their own, since a process has one peak for all of its
// life.
//
// A test calls itself with [OfChild], once for each thing to measure, and there ends with [Tell].
package peaktest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// Bytes is the most memory that this process has held at once (VmHWM). Systems without /proc do not tell it.
func Bytes() (int, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0, fmt.Errorf("no VmHWM in /proc/self/status")
	}
	kib, err := strconv.Atoi(fields[0])
	return kib << 10, err
}

// Skip skips the test where the peak of a process is not told.
func Skip(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the peak of a process is read from /proc, which this system lacks")
	}
}

// Must is Bytes, and fails the test where it is not told.
func Must(t *testing.T) int {
	t.Helper()
	peak, err := Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return peak
}

// Tell prints a number of bytes for [OfChild].
func Tell(bytes int) { fmt.Printf("\npeak %d\n", bytes) }

// OfChild runs this test alone in another process, with the variable name set to value, and returns the bytes that it tells.
func OfChild(t *testing.T, name, value string) int {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), name+"="+value)
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%s=%s: %v\n%s", name, value, err, out)
	}
	_, after, found := strings.Cut(string(out), "\npeak ")
	text, _, _ := strings.Cut(after, "\n")
	bytes, err := strconv.Atoi(text)
	if !found || err != nil {
		t.Fatalf("%s=%s: no peak in\n%s", name, value, out)
	}
	return bytes
}
