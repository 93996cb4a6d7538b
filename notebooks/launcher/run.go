package launcher

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// runOptions are the flags of the run command.
type runOptions struct {
	save    bool
	check   bool          // only compile the cells
	timeout time.Duration // for one cell; 0 means none
	set     []string      // variables for the notebook, as "NAME=value"
}

// errInterrupted means that the user stopped the launcher.
var errInterrupted = errors.New("interrupted")

// runNotebook runs one notebook without a browser, writes the results to out/ and reports the outcome.
func (s *session) runNotebook(ctx context.Context, nb *notebook, o runOptions) (err error) {
	mine, err := lockAlone(s.place.out("."+nb.name+".lock"), "The notebook "+nb.name+" is being run by another launcher", ".",
		"Wait for it, or stop it, and start again.")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mine.Close()) }()
	before, err := headlineTime(s.place, nb.name)
	if err != nil {
		return err
	}
	s.noteCompiler()
	s.console.Linef("Running %s (%s), %d cells.", s.place.relative(nb.path), nb.title, nb.codeCells())
	t := timings{Notebook: nb.name, Started: time.Now().Truncate(time.Second), Result: "ok", Cells: []cellTiming{}}
	start := time.Now()
	failure, err := s.execute(ctx, nb, o, &t)
	if err != nil {
		return err
	}
	t.Seconds = time.Since(start).Seconds()
	switch {
	case errors.Is(failure, errInterrupted):
		t.Result = "interrupted"
	case failure != nil:
		t.Result = "failed"
	}
	if err := t.write(s.place); err != nil {
		return err
	}
	headline, err := newHeadline(s.place, nb.name, before)
	if err != nil {
		return err
	}
	if headline != "" {
		s.console.Linef("\n%s", strings.TrimRight(headline, "\n"))
	}
	executed := s.place.out(nb.name + ".ipynb")
	s.console.Linef("\n%s after %s. With outputs: %s\nTo look at:   %s",
		strings.ToUpper(t.Result[:1])+t.Result[1:], seconds(time.Since(start)),
		s.place.relative(executed), s.place.relative(s.place.out(nb.name+".html")))
	if errors.Is(failure, errInterrupted) {
		s.console.Linef("%s", kept(nb.name, o))
	}
	if failure != nil {
		return failure
	}
	if o.save {
		return s.saveOutputs(nb, executed)
	}
	return nil
}

// kept states, after an interrupt, which results are kept and how to resume.
func kept(name string, o runOptions) string {
	again := "go run ./notebooks run"
	for _, entry := range o.set {
		variable, value, _ := strings.Cut(entry, "=")
		again += fmt.Sprintf(" -set %s=%s", settingName(variable), quoted(value))
	}
	return fmt.Sprintf("Results so far, and the state of a training that was stopped, are kept in notebooks/out: `%s %s` begins with the first cell,\n"+
		"goes on with that training where it was, and does no run of a grid or a prototype twice.", again, name)
}

// quoted quotes a value as one word for a shell, unless it is already one.
func quoted(value string) string {
	if plainWord.MatchString(value) {
		return value
	}
	return shellWord(value)
}

var plainWord = regexp.MustCompile(`^[\w./:,=+-]+$`)

// execute drives run_notebook.py. failure is an error of the notebook, err an error in running it.
func (s *session) execute(ctx context.Context, nb *notebook, o runOptions, t *timings) (failure, err error) {
	log, err := openLog(s.place.out(nb.name + ".log"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	events, eventsEnd, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer events.Close()
	run := script{name: "run_notebook.py", log: log, data: headlessData(s.place), set: o.set, pipe: eventsEnd}
	run.stop = func(p *os.Process) error {
		s.console.Linef("Stopping the kernel; Ctrl-C again does not wait for it …")
		return p.Signal(syscall.SIGINT)
	}
	cmd, err := s.start(ctx, run,
		"--notebook", nb.path, "--executed", s.place.out(nb.name+".ipynb"), "--html", s.place.out(nb.name+".html"),
		"--title", nb.title, "--cwd", s.place.notebooks(), "--kernel", kernelName,
		"--timeout", strconv.FormatFloat(o.timeout.Seconds(), 'f', -1, 64), "--events", "3")
	if err := errors.Join(err, eventsEnd.Close()); err != nil {
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
					failure = cellFailure(s.place, nb, c, e.Text, log.Name())
				}
			case eventFatal:
				failure = &problem{What: "The notebook could not run: " + e.Text + ".", Mend: "The kernel's log is " + s.place.relative(log.Name()) + "."}
			case eventInterrupted:
				failure = errInterrupted
			case eventDone:
				done = true
			}
		case <-ticker.C:
			r.tick()
		}
	}
	waitErr := wait(ctx, cmd)
	s.console.Set("")
	if kernel > 0 { // the script may not have recorded it
		if err := signalGroup(kernel, syscall.SIGKILL); err != nil {
			return nil, err
		}
	}
	if err := <-readErr; err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		failure = errInterrupted
	}
	if !done && failure == nil {
		return nil, s.scriptProblem(log.Name(), waitErr)
	}
	return failure, nil
}

// scriptProblem reports a failure of run_notebook.py itself.
func (s *session) scriptProblem(logPath string, err error) error {
	data, readErr := os.ReadFile(logPath)
	if readErr != nil {
		return readErr
	}
	p := classify("Running the notebook", string(data), err)
	p.Tail += "\nAll of it is in " + s.place.relative(logPath)
	return p
}
