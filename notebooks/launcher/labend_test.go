//go:build unix

package launcher

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

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
	spec, err := json.Marshal(kernelSpec{Argv: []string{"sh", "-c", `sleep 60 </dev/null >/dev/null 2>&1 & echo $! >"$STARTED"`}, Language: "go",
		DisplayName: "fake", InterruptMode: "message", Env: map[string]string{}})
	expect.NoError(t, err)
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
