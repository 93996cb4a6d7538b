package launcher

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed run_notebook.py
var runScript []byte

// runOptions are the flags of the run command.
type runOptions struct {
	save    bool
	timeout time.Duration     // for one cell; 0 means none
	set     map[string]string // variables for the notebook, by their full name
}

// errInterrupted says that the user stopped the launcher.
var errInterrupted = errors.New("interrupted")

// runNotebook runs one notebook without a browser, leaves the results in out/ and says how it went.
func (s *session) runNotebook(ctx context.Context, nb *notebook, o runOptions) (err error) {
	mine, err := lock(filepath.Join(s.place.out(), "."+nb.name+".lock"), false)
	if errors.Is(err, errBusy) {
		return &problem{What: fmt.Sprintf("The notebook %s is being run by another launcher%s.", nb.name,
			holder(filepath.Join(s.place.out(), "."+nb.name+".lock"))), Mend: "Wait for it, or stop it, and start again.", Err: err}
	} else if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mine.release()) }()
	before, err := headlineTime(s.place, nb.name)
	if err != nil {
		return err
	}
	if !s.cgo() {
		s.console.line("%s", noCompiler(s.goTool))
	}
	s.console.line("Running %s (%s), %d cells.", s.place.relative(nb.path), nb.title, nb.codeCells())
	t := timings{Notebook: nb.name, Started: time.Now().Truncate(time.Second), Result: "ok", Cells: []cellTiming{}}
	start := time.Now()
	failure, err := s.execute(ctx, nb, o, &t)
	if err != nil {
		return err
	}
	t.Seconds = time.Since(start).Seconds()
	if failure != nil {
		if t.Result = "failed"; errors.Is(failure, errInterrupted) {
			t.Result = "interrupted"
		}
	}
	if err := t.write(s.place); err != nil {
		return err
	}
	headline, err := newHeadline(s.place, nb.name, before)
	if err != nil {
		return err
	}
	if headline != "" {
		s.console.line("\n%s", strings.TrimRight(headline, "\n"))
	}
	executed := filepath.Join(s.place.out(), nb.name+".ipynb")
	s.console.line("\n%s after %s. With outputs: %s\nTo look at:   %s", strings.ToUpper(t.Result[:1])+t.Result[1:], seconds(time.Since(start)),
		s.place.relative(executed), s.place.relative(filepath.Join(s.place.out(), nb.name+".html")))
	if failure != nil {
		return failure
	}
	if o.save {
		return s.saveOutputs(nb, executed)
	}
	return nil
}

// execute drives run_notebook.py. failure is what went wrong in the notebook, err what went wrong in running it.
func (s *session) execute(ctx context.Context, nb *notebook, o runOptions, t *timings) (failure, err error) {
	script := filepath.Join(s.place.env(), "share", "run_notebook.py")
	if err := writeFile(script, runScript, 0o644); err != nil {
		return nil, err
	}
	logPath := filepath.Join(s.place.out(), nb.name+".log")
	log, err := openLog(logPath)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	executed := filepath.Join(s.place.out(), nb.name+".ipynb")
	html := filepath.Join(s.place.out(), nb.name+".html")
	events, eventsEnd, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer events.Close()

	cmd := exec.Command(s.place.bin("python"), script, "--notebook", nb.path, "--executed", executed, "--html", html,
		"--title", nb.title, "--cwd", s.place.notebooks(), "--kernel", kernelName,
		"--timeout", strconv.FormatFloat(o.timeout.Seconds(), 'f', -1, 64), "--events", "3")
	cmd.Dir = s.place.notebooks()
	cmd.Env = jupyterEnv(s.place, headlessData(s.place))
	for name, value := range o.set {
		cmd.Env = setEnv(cmd.Env, name+"="+value)
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{eventsEnd}
	ownGroup(cmd)
	alive, err := cmd.StdinPipe() // closes with the launcher, by which the script sees that nobody is left
	if err != nil {
		return nil, errors.Join(err, eventsEnd.Close())
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, eventsEnd.Close())
	}
	if err := eventsEnd.Close(); err != nil {
		return nil, err
	}

	r := newRenderer(s.console, nb)
	incoming := make(chan event)
	readErr := make(chan error, 1)
	go func() {
		readErr <- readEvents(events, func(e event) { incoming <- e })
		close(incoming)
	}()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	done, kernel := false, 0
	stop := ctx.Done()
	var kill <-chan time.Time
	for open := true; open; {
		select {
		case e, ok := <-incoming:
			if open = ok; !ok {
				break
			}
			r.handle(e)
			switch e.Event {
			case eventKernel:
				kernel = e.PID
			case eventFinish, eventError:
				c := nb.cells[e.Cell]
				t.Cells = append(t.Cells, cellTiming{c.number, c.title, e.Seconds, e.Event == eventError})
				if e.Event == eventError {
					failure = cellFailure(s.place, nb, c, e.Text, logPath)
				}
			case eventFatal:
				failure = &problem{What: "The notebook could not run: " + e.Text + ".", Mend: "The kernel's log is " + s.place.relative(logPath) + "."}
			case eventInterrupted:
				failure = errInterrupted
			case eventDone:
				done = true
			}
		case <-ticker.C:
			r.tick()
		case <-stop:
			stop = nil
			s.console.line("Stopping the kernel; Ctrl-C again does not wait for it …")
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return nil, err
			}
			kill = time.After(15 * time.Second)
		case <-kill:
			if err := signalGroup(cmd.Process.Pid, syscall.SIGKILL); err != nil {
				return nil, err
			}
		}
	}
	waitErr := cmd.Wait()
	s.console.setLive("")
	if kernel > 0 && !groupGone(kernel) { // the script did not come to it
		if err := signalGroup(kernel, syscall.SIGKILL); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(<-readErr, ignoreClosed(alive.Close())); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		failure = errInterrupted
	}
	if !done && failure == nil {
		return nil, s.scriptProblem(logPath, waitErr)
	}
	return failure, nil
}

// ignoreClosed drops the complaint that a pipe is closed already, as Wait does when the program has ended.
func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// scriptProblem reports that run_notebook.py itself broke.
func (s *session) scriptProblem(logPath string, err error) error {
	data, readErr := os.ReadFile(logPath)
	if readErr != nil {
		return readErr
	}
	p := classify("Running the notebook", string(data), err)
	p.Tail += "\nAll of it is in " + s.place.relative(logPath)
	return p
}

// maxFailure is how many lines of a failed cell's message are shown; the whole is in the executed notebook.
const maxFailure = 40

// cellFailure tells which cell failed and with what words.
func cellFailure(p place, nb *notebook, c cell, text, logPath string) error {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if cut := len(lines) - maxFailure; cut > 0 {
		lines = append([]string{fmt.Sprintf("… %d lines more in the executed notebook …", cut)}, lines[cut:]...)
	}
	pr := &problem{What: fmt.Sprintf("Cell %d of %s (%s) failed:\n\n%s\n", c.number, nb.name, c.title, indent(strings.Join(lines, "\n"), "    "))}
	switch {
	case strings.Contains(text, "signal: killed"):
		pr.Mend = "The system ended the program, most likely because memory ran out; a smaller batch or fewer steps (-steps) help."
	case strings.Contains(text, "the Go kernel died"):
		pr.Mend = "The kernel's log is " + p.relative(logPath) + "."
	case strings.Contains(text, "no required module provides package"), strings.Contains(text, "cannot find module providing package"):
		pr.Mend = "Only packages of this module and of its dependencies in go.mod can be imported in a cell."
	case strings.Contains(text, "no space left on device"):
		pr.Mend = "The disk is full: make room and start again."
	}
	return pr
}

// jupyterEnv is the environment for Jupyter's programs: all that they keep lies in the environment's folder, and the kernels
// of data come first.
func jupyterEnv(p place, data string) []string {
	own := filepath.Join(p.env(), "jupyter")
	return setEnv(pythonEnv(p),
		"JUPYTER_CONFIG_DIR="+filepath.Join(own, "config"),
		"JUPYTER_DATA_DIR="+filepath.Join(own, "data"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(own, "runtime"),
		"JUPYTERLAB_SETTINGS_DIR="+filepath.Join(own, "lab", "settings"),
		"JUPYTERLAB_WORKSPACES_DIR="+filepath.Join(own, "lab", "workspaces"),
		"IPYTHONDIR="+filepath.Join(own, "ipython"),
		"JUPYTER_PATH="+data, "JUPYTER_CONFIG_PATH", "JUPYTERLAB_DIR", "JUPYTER_PREFER_ENV_PATH=1")
}
