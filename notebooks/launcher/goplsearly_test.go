//go:build unix

package launcher

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
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

// fakeGopls loads at once and completes with the methods that it received. It writes its process ID to the file
// "loaded".
const fakeGopls = `#!/usr/bin/env python3
import os, sys, time
sys.path.insert(0, os.environ["EARLY"])
import gopls_early
seen = []
while (m := gopls_early.read(sys.stdin.buffer)) is not None:
    seen.append(m.get("method", "answer"))
    if m.get("method") == "initialize":
        gopls_early.write(sys.stdout.buffer, id=m["id"], result={"capabilities": {}})
    elif m.get("method") == "initialized":
        with open("loading", "w") as f:
            f.write(str(os.getpid()))
        os.rename("loading", "loaded")
        gopls_early.write(sys.stdout.buffer, id=1, method="client/registerCapability", params={})
        gopls_early.write(sys.stdout.buffer, method="window/showMessage", params={"message": gopls_early.LOADED})
    elif m.get("method") == "textDocument/completion":
        gopls_early.write(sys.stdout.buffer, id=m["id"], result=seen)
if sys.platform.startswith("linux"):  # as gopls, which has things to do
    time.sleep(60)
`

// waitFor polls a condition ten times per second until it is true, for half a minute at most.
func waitFor(t *testing.T, what string, so func() bool) {
	t.Helper()
	for begin := time.Now(); !so(); time.Sleep(100 * time.Millisecond) {
		expect.Require(t, time.Since(begin) <= 30*time.Second, "waited in vain until %s", what)
	}
}

// gone reports whether a process has ended, even if it was not yet waited for.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	command, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	return err == nil && len(command) == 0
}

// languageServer is a connection to a gopls, as in the kernel.
type languageServer struct {
	net.Conn
	in *textproto.Reader
}

func (s languageServer) send(t *testing.T, id int, method, uri string) {
	t.Helper()
	message := map[string]any{"jsonrpc": "2.0", "method": method, "params": map[string]any{"textDocument": map[string]any{"uri": uri}}}
	if id > 0 {
		message["id"] = id
	}
	body, err := json.Marshal(message)
	if err == nil {
		_, err = fmt.Fprintf(s, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	expect.NoError(t, err)
}

// answer returns the next message, which must be the answer to question id.
func (s languageServer) answer(t *testing.T, id int) string {
	t.Helper()
	header := expect.Must(s.in.ReadMIMEHeader())(t)
	length, err := strconv.Atoi(header.Get("Content-Length"))
	body := make([]byte, length)
	if err == nil {
		_, err = io.ReadFull(s.in.R, body)
	}
	var answer struct {
		ID     int
		Result json.RawMessage
	}
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	expect.Require(t, err == nil && answer.ID == id && answer.Result != nil,
		"no answer to question %d: %s, %v", id, body, err)
	return string(answer.Result)
}

// gopls loads packages before the kernel connects, and ends with the kernel.
func TestGoplsIsEarly(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no Python here")
	}
	here := expect.Must(filepath.Abs("."))(t)
	folder := expect.Must(os.MkdirTemp("", "early"))(t) // short enough for the name of a socket
	defer os.RemoveAll(folder)
	gopls := filepath.Join(folder, "fake")
	for path, text := range map[string]string{gopls: fakeGopls, filepath.Join(folder, "go.work"): "go 1.26\n"} {
		expect.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	}
	socket := filepath.Join(folder, "gopls_socket")
	early := exec.Command(python, "-B", "gopls_early.py", gopls, "-listen", "unix;"+socket)
	early.Env = append(os.Environ(), "EARLY="+here, "PYTHONDONTWRITEBYTECODE=1")
	early.Stderr = os.Stderr
	expect.NoError(t, early.Start())
	killed := false
	defer func() {
		if !killed {
			early.Process.Kill()
			early.Wait()
		}
	}()
	var loaded []byte
	waitFor(t, "gopls has loaded, with no kernel there", func() bool {
		loaded, err = os.ReadFile(filepath.Join(folder, "loaded"))
		return err == nil
	})
	conn := expect.Must(net.Dial("unix", socket))(t)
	defer conn.Close()
	expect.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	kernel := languageServer{conn, textproto.NewReader(bufio.NewReader(conn))}
	kernel.send(t, 1, "initialize", "file:///")
	expect.Equal(t, kernel.answer(t, 1), `{"capabilities": {}}`, "it was introduced as")
	kernel.send(t, 0, "initialized", "file:///")
	mine, module := "file://"+folder+"/main.go", "file://"+here+"/lab.go"
	for _, uri := range []string{module, mine} {
		kernel.send(t, 0, "textDocument/didOpen", uri)
		kernel.send(t, 0, "textDocument/didChange", uri)
	}
	kernel.send(t, 0, "textDocument/didClose", module)
	kernel.send(t, 2, "textDocument/completion", mine)
	got := strings.ReplaceAll(kernel.answer(t, 2), "textDocument/", "")
	expect.Equal(t, got,
		`["initialize", "initialized", "answer", "workspace/didChangeWatchedFiles", "didOpen", "didChange", `+
			`"workspace/didChangeWatchedFiles", "completion"]`, "gopls was sent\n")
	pid := expect.Must(strconv.Atoi(string(loaded)))(t)
	killed = true
	expect.NoError(t, early.Process.Kill())
	expect.That(t, early.Wait() != nil, "what was killed ended well")
	waitFor(t, "gopls has ended", func() bool { return gone(pid) })
}

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
	expect.Slow(t)
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

// A program started by a cell ends with its kernel, even if the kernel ends by itself.
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
	cmd := exec.Command(python, "-B", "-c", program, folder) // lab_server.py is in this folder
	cmd.Env = append(os.Environ(), "STARTED="+started, "JUPYTER_RUNTIME_DIR="+folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := expect.Must(os.ReadFile(started))(t)
	pid := expect.Must(strconv.Atoi(strings.TrimSpace(string(text))))(t)
	waitFor(t, "the program has ended", func() bool { return gone(pid) })
}
