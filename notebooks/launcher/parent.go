package launcher

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// underGo returns a context that is also done once the go command that runs this program has ended: `go run` forwards
// only signals from a terminal, and when it is terminated, it leaves the program running. Without the go command, a
// program outlives its parent.
func underGo(ctx context.Context) context.Context {
	parent := os.Getppid()
	if programName(parent) != "go" {
		return ctx
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		for os.Getppid() == parent && ctx.Err() == nil {
			time.Sleep(200 * time.Millisecond)
		}
	}()
	return ctx
}

// programName returns the name of a process's program, "" if the system does not report it.
func programName(pid int) string {
	name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil {
		name, _ = exec.Command("ps", "-o", "comm=", "-p", strconv.Itoa(pid)).Output() // no name means no go command
	}
	return filepath.Base(strings.TrimSpace(string(name)))
}
