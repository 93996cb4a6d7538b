package launcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// child is a program that the launcher starts and waits for, with its whole output kept in a log.
type child struct {
	dir    string
	env    []string // nil means that of the launcher
	log    io.Writer
	onLine func(string) // gets each line of the output as it comes; nil when nobody cares
	lock   *lockFile    // held by the program too: should the launcher be killed, the lock stays until the program ends
}

// run starts a program and returns all that it printed. When ctx ends, the program and all its children are asked to end,
// and killed after five seconds.
func (c child) run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	if c.lock != nil {
		cmd.ExtraFiles = []*os.File{c.lock.f}
	}
	ownGroup(cmd)
	cmd.Cancel = func() error { return signalGroup(cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	out := &lineWriter{onLine: c.onLine}
	var w io.Writer = out
	if c.log != nil {
		fmt.Fprintf(c.log, "\n$ %s %s\n", name, strings.Join(args, " ")) // a log that cannot be written shows below
		w = io.MultiWriter(out, c.log)
	}
	cmd.Stdout, cmd.Stderr = w, w
	err := cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			err = errors.Join(ctx.Err(), signalGroup(cmd.Process.Pid, syscall.SIGKILL))
		}
		return out.all.String(), err
	}
	return out.all.String(), err
}

// lineWriter keeps everything and hands on each finished line. The programs' progress bars end lines with a carriage
// return, which counts as an end as well.
type lineWriter struct {
	all    bytes.Buffer
	rest   []byte
	onLine func(string)
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.all.Write(p)
	if w.onLine == nil {
		return len(p), nil
	}
	w.rest = append(w.rest, p...)
	for {
		i := bytes.IndexAny(w.rest, "\r\n")
		if i < 0 {
			return len(p), nil
		}
		if line := strings.TrimSpace(string(w.rest[:i])); line != "" {
			w.onLine(line)
		}
		w.rest = w.rest[i+1:]
	}
}

// setEnv returns env with the given "NAME=value" entries in place of older ones; an entry without "=" removes the name.
func setEnv(env []string, entries ...string) []string {
	names := make(map[string]bool)
	var kept []string
	for _, e := range entries {
		name, _, _ := strings.Cut(e, "=")
		names[name] = true
	}
	for _, e := range env {
		if name, _, _ := strings.Cut(e, "="); !names[name] {
			kept = append(kept, e)
		}
	}
	for _, e := range entries {
		if strings.Contains(e, "=") {
			kept = append(kept, e)
		}
	}
	return kept
}

// openLog opens a log file of a run, emptied.
func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.Create(path)
}
