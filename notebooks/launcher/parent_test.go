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
		if err := os.WriteFile(parent, []byte("#!/bin/sh\n\"$@\" &\nwait\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(parent, os.Args[0], "-test.run=^TestParentChild$")
		cmd.Env = append(os.Environ(), parentRun+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
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
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		var got string
		select {
		case got = <-said:
		case <-time.After(map[bool]time.Duration{true: 15 * time.Second, false: time.Second}[want != ""]):
		}
		if got != want {
			t.Errorf("under %s: %q, want %q", name, got, want)
		}
		if err := signalGroup(cmd.Process.Pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
		for range said {
		}
		if err := cmd.Wait(); err == nil {
			t.Error("the killed parent ended well")
		}
	}
}
