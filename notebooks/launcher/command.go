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
	env    []string // nil means the launcher's
	log    io.Writer
	onLine func(string) // receives each line of the output; may be nil
	lock   *os.File     // inherited by the program: if the launcher is killed, the lock stays until the program ends
	stdout io.Writer    // receives the output, which is then not returned; stderr then goes to the other writer
	stderr io.Writer
	wait   time.Duration // the time to end after the request; 0 means five seconds
}

// run starts a program and returns its complete output. When ctx ends, the program and all its children are requested
// to end, and killed after a while; the error is then that of ctx.
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
			// A failure to write the log is reported below.
			fmt.Fprintf(c.log, "\n$ %s %s\n", name, strings.Join(args, " "))
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

// do runs a program as run does and explains its failure; doing names the action, as in "Compiling the check".
func (c child) do(ctx context.Context, doing, name string, args ...string) error {
	out, err := c.run(ctx, name, args...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return classify(doing, out, err)
}

// setupChild returns a program of the setup: its output goes to the log, and note's version of each line beside the
// name of the current step.
func (s *session) setupChild(dir string, env []string, note func(line string) string) child {
	return child{dir: dir, env: env, log: s.log, lock: s.exclusive, onLine: func(line string) {
		if text := note(line); text != "" {
			s.console.Note(text)
		}
	}}
}

// runForUser runs a program whose output goes directly to the user; failed is the sentence for its failure.
func (s *session) runForUser(ctx context.Context, env []string, failed, name string, args ...string) error {
	_, err := child{dir: s.place.root, env: env, stdout: s.stdout, stderr: s.stderr}.run(ctx, name, args...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &problem{What: failed, Err: err}
}

// lineWriter stores all output and passes on each finished line. Progress bars end lines with a carriage return, which
// also counts as a line end.
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

// openLog opens an empty log file of a run.
func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.Create(path)
}
