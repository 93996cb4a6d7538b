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

// underGo returns a context that is also done once the go command that runs this program has ended: `go run` hands on no signal but
// those of a terminal, and when it is told to end, it leaves the program behind. Started otherwise, a program outlives its parent.
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

// programName returns the name of a process's program, "" where the system does not say.
func programName(pid int) string {
	name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil {
		name, _ = exec.Command("ps", "-o", "comm=", "-p", strconv.Itoa(pid)).Output() // no name means no go command
	}
	return filepath.Base(strings.TrimSpace(string(name)))
}
