//go:build unix

package launcher

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// A program that a cell has started ends with its kernel, also where that ends by itself.
func TestLabEndsWhatCellsStarted(t *testing.T) {
	python := filepath.Join("..", ".venv", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		t.Skip("no environment here; `go run ./notebooks setup` makes it")
	}
	python = expect.Must(filepath.Abs(python))(t)
	const program = `
import asyncio, os, sys
import lab_server
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

async def main(folder):
    lab_server.end_what_cells_started()
    manager = AsyncKernelManager(kernel_name="fake", kernel_spec_manager=KernelSpecManager(kernel_dirs=[folder]))
    await manager.start_kernel()
    while await manager.is_alive():
        await asyncio.sleep(0.05)
    await manager.cleanup_resources()

asyncio.run(main(sys.argv[1]))
`
	folder := t.TempDir()
	started := filepath.Join(folder, "started")
	spec := expect.Must(json.Marshal(kernelSpec{Argv: []string{"sh", "-c", `sleep 60 </dev/null >/dev/null 2>&1 & echo $! >"$STARTED"`}, Language: "go",
		DisplayName: "fake", InterruptMode: "message", Env: map[string]string{}}))(t)
	expect.NoError(t, os.Mkdir(filepath.Join(folder, "fake"), 0o755))
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "fake", "kernel.json"), spec, 0o644))
	cmd := exec.Command(python, "-B", "-c", program, folder) // here, where lab_server.py lies
	cmd.Env = append(os.Environ(), "STARTED="+started, "JUPYTER_RUNTIME_DIR="+folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := expect.Must(os.ReadFile(started))(t)
	pid := expect.Must(strconv.Atoi(strings.TrimSpace(string(text))))(t)
	waitFor(t, "the program has ended", func() bool { return gone(pid) })
}
