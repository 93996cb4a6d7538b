package launcher

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// child is a program that the launcher starts and waits for.
type child struct {
	dir    string
	env    []string // nil means that of the launcher
	log    io.Writer
	onLine func(string) // gets each line of the output as it comes; nil when nobody cares
	lock   *os.File     // held by the program too: should the launcher be killed, the lock stays until the program ends
	stdout io.Writer    // where the output goes instead of being kept; stderr then goes to the other writer
	stderr io.Writer
	wait   time.Duration // how long it may take to end when it is asked to; 0 means five seconds
}

// run starts a program and returns all that it printed. When ctx ends, the program and all its children are asked to end,
// and killed when they have not after a while; the error is that of ctx then.
func (c child) run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	if c.lock != nil {
		cmd.ExtraFiles = []*os.File{c.lock}
	}
	ownGroup(cmd)
	cmd.Cancel = func() error { return signalGroup(cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = cmp.Or(c.wait, 5*time.Second)
	kept := &lineWriter{onLine: c.onLine}
	cmd.Stdout, cmd.Stderr = c.stdout, c.stderr
	if c.stdout == nil {
		var w io.Writer = kept
		if c.log != nil {
			fmt.Fprintf(c.log, "\n$ %s %s\n", name, strings.Join(args, " ")) // a log that cannot be written shows below
			w = io.MultiWriter(kept, c.log)
		}
		cmd.Stdout, cmd.Stderr = w, w
	}
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
		if cmd.Process != nil {
			err = errors.Join(err, signalGroup(cmd.Process.Pid, syscall.SIGKILL))
		}
	}
	return kept.all.String(), err
}

// do runs a program as run does and explains its failure; doing says what it is for, as in "Compiling the check".
func (c child) do(ctx context.Context, doing, name string, args ...string) error {
	out, err := c.run(ctx, name, args...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return classify(doing, out, err)
}

// setupChild returns a program of the setup: its output goes to the log, and what note makes of each line beside the name
// of the step at work.
func (s *session) setupChild(dir string, env []string, note func(line string) string) child {
	return child{dir: dir, env: env, log: s.log, lock: s.exclusive, onLine: func(line string) {
		if text := note(line); text != "" {
			s.console.Note(text)
		}
	}}
}

// runForUser runs a program whose lines go straight to the user; failed is the sentence for the case that it fails.
func (s *session) runForUser(ctx context.Context, env []string, failed, name string, args ...string) error {
	_, err := child{dir: s.place.root, env: env, stdout: s.stdout, stderr: s.stderr}.run(ctx, name, args...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &problem{What: failed, Err: err}
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
	kept := slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.ContainsFunc(entries, func(entry string) bool { return entry == name || strings.HasPrefix(entry, name+"=") })
	})
	added := slices.DeleteFunc(slices.Clone(entries), func(e string) bool { return !strings.Contains(e, "=") })
	return append(kept, added...)
}

// openLog opens a log file of a run, emptied.
func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.Create(path)
}
