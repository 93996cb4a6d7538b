//go:build unix

package launcher

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

const parentRun = "PUCL_TEST_PARENT_RUN"

// TestParentChild is the program that TestEndsWithGoRun has started; by itself it tests nothing.
func TestParentChild(t *testing.T) {
	if os.Getenv(parentRun) == "" {
		return
	}
	ctx := underGo(context.Background())
	fmt.Println("running")
	select {
	case <-ctx.Done():
		fmt.Println("ended")
	case <-time.After(20 * time.Second):
		fmt.Println("left behind")
	}
}

// A program under the go command ends with it; under another one it does not.
func TestEndsWithGoRun(t *testing.T) {
	for name, want := range map[string]string{"go": "ended", "other": ""} {
		parent := filepath.Join(t.TempDir(), name)
		expect.NoError(t, os.WriteFile(parent, []byte("#!/bin/sh\n\"$@\" &\nwait\n"), 0o755))
		cmd := exec.Command(parent, os.Args[0], "-test.run=^TestParentChild$")
		cmd.Env = append(os.Environ(), parentRun+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		expect.NoError(t, err)
		if got := programName(cmd.Process.Pid); name == "go" && got != "go" {
			t.Skipf("a script is called %q here, not by its name", got)
		}
		said := make(chan string)
		go func() {
			defer close(said)
			for lines := bufio.NewScanner(out); lines.Scan(); {
				said <- strings.TrimSpace(lines.Text())
			}
		}()
		if got := <-said; got != "running" {
			t.Fatalf("%s: the child says %q", name, got)
		}
		expect.NoError(t, cmd.Process.Kill())
		var got string
		select {
		case got = <-said:
		case <-time.After(map[bool]time.Duration{true: 15 * time.Second, false: time.Second}[want != ""]):
		}
		expect.That(t, got == want, "under %s: %q, want %q", name, got, want)
		expect.NoError(t, signalGroup(cmd.Process.Pid, syscall.SIGKILL))
		for range said {
		}
		expect.That(t, cmd.Wait() != nil, "the killed parent ended well")
	}
}
