//go:build unix

package launcher

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/interrupts"
)

const faultRun = "PUCL_TEST_FAULT_RUN"

// TestFaultChild is the launcher that TestFaultSignals stops; by itself it tests nothing. It says when its notebook runs and how
// that ended.
func TestFaultChild(t *testing.T) {
	if os.Getenv(faultRun) == "" {
		return
	}
	w := newRun(t)
	t.Setenv("WAIT", "1")
	go func() {
		for {
			if calls, err := os.ReadFile(w.calls); err == nil && strings.Contains(string(calls), "PUCL_STEPS") {
				fmt.Println("running")
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	said, err := w.start(interrupts.Context(), `{"event":"start","cell":1}`+"\n", runOptions{})
	tm, _, timingsErr := readTimings(w.place, "a")
	fmt.Printf("stopped the kernel %t, interrupted %t, kept as %s, %v\n",
		strings.Contains(said, "Stopping the kernel"), errors.Is(err, errInterrupted), tm.Result, timingsErr)
}

// Ctrl-C and a polite request to end reach the notebook that the launcher runs, as an interruption that its cell can save its
// state in.
func TestFaultSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFaultChild$")
		cmd.Env = append(os.Environ(), faultRun+"=1")
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		var last string
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if lines.Text() == "running" {
				time.Sleep(100 * time.Millisecond) // for the script to set its trap
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
			if strings.HasPrefix(lines.Text(), "stopped") {
				last = lines.Text()
			}
		}
		if err := cmd.Wait(); err != nil || last != "stopped the kernel true, interrupted true, kept as interrupted, <nil>" {
			t.Errorf("%v: %v, %q", signal, err, last)
		}
	}
}
