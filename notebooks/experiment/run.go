package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/puclab/puclab/internal/liveline"
)

// Coordinator does the runs of a plan in separate processes, a few at a time. Several coordinators of one store, on
// machines with access to the same files, share the work, also with different work folders: no run is done twice. This
// requires a file system with locks; without them the coordinator prints a notice.
type Coordinator struct {
	Store   *Store
	Work    string // folder for the state of unfinished runs, see [WorkFolder]
	Workers int    // runs at a time; 0 means [Plan.Workers]

	// Command returns a worker process for a run of a list, which must call [Serve], attached.
	Command func(list string, index int) *exec.Cmd

	Line *liveline.Line // displays the progress

	plan    *Plan
	list    string
	queue   []*item
	running []*item
	ended   int // finished runs
	failed  int
	events  chan event
	undone  []error // of runs that cannot be done here
	stop    error   // why no further run starts
	stopped time.Time
	said    time.Time

	lockless bool // the notice of missing locks was printed
}

// item is a run to do.
type item struct {
	AtWork
	planned  Standing
	index    int       // in the list
	after    time.Time // earliest start
	deaths   int       // of its workers
	stalls   int       // deaths since it last saved state
	cmd      *exec.Cmd
	stdin    io.Closer
	oom      int    // processes killed for lack of memory before it began
	saved    string // fingerprint of its saved state at that time
	last     message
	waitedOn bool // the notice of another program was printed
}

// event is a message of a worker, or its end.
type event struct {
	item    *item
	message message
	over    bool
	err     error // of the process
}

// Run does the plan. It returns when all runs are done or failed. When ctx is done, the workers save their state first,
// Run returns an error, and the same plan resumes from there. If a run cannot be done here, for example because its
// data are missing, Run skips the other runs of its setting, does the rest and then returns the error.
func (c *Coordinator) Run(ctx context.Context, plan *Plan) error {
	c.plan, c.events = plan, make(chan event)
	if c.Workers <= 0 {
		c.Workers = plan.Workers()
	}
	release, err := c.writeList()
	if err != nil {
		return err
	}
	defer release()
	for index, i := range plan.Todo {
		s := plan.Standings[i]
		it := &item{planned: s, index: index, AtWork: AtWork{Run: s.Run, Expected: expected(s.Run, plan.Standings)}}
		it.Before = c.desk(it).spent(s.Run)
		c.queue = append(c.queue, it)
	}
	ticks := time.NewTicker(pause / 2)
	defer ticks.Stop()
	done := ctx.Done()
	for {
		if ctx.Err() != nil {
			c.end(context.Cause(ctx))
		}
		if c.stop == nil {
			c.begin()
		}
		if len(c.running) == 0 && (c.stop != nil || len(c.queue) == 0) {
			c.Line.Set("")
			return errors.Join(append(c.undone, c.stop)...)
		}
		select {
		case e := <-c.events:
			c.handle(e)
		case <-done:
			done = nil
		case <-ticks.C:
			c.tell()
			if c.stop != nil && time.Since(c.stopped) > patience+5*time.Second {
				for _, it := range c.running {
					it.cmd.Process.Kill() // an error means that it has ended
				}
			}
		}
	}
}

// writeList writes the list of runs for the workers; release removes it.
func (c *Coordinator) writeList() (release func(), err error) {
	folder := filepath.Join(c.Work, string(c.plan.Size))
	defer func() {
		if err != nil {
			err = fmt.Errorf("experiment: the list of runs cannot be written (%w); make %s a folder that you can write to, with space left", err, folder)
		}
	}()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(folder, "list-*.json")
	if err != nil {
		return nil, err
	}
	c.list = f.Name()
	release = func() { os.Remove(c.list) }
	if err = errors.Join(f.Close(), c.plan.List(c.Store, c.Work).Write(c.list)); err != nil {
		release()
	}
	return release, err
}

// end stops the workers because of err.
func (c *Coordinator) end(err error) {
	if c.stop != nil {
		return
	}
	c.stop, c.stopped = err, time.Now()
	for _, it := range c.running {
		it.stdin.Close() // an error means that it has ended
	}
}

// begin starts as many runs as possible.
func (c *Coordinator) begin() {
	for len(c.running) < c.Workers && c.stop == nil {
		now := time.Now()
		i := slices.IndexFunc(c.queue, func(it *item) bool { return !it.after.After(now) })
		if i < 0 {
			return
		}
		it := c.queue[i]
		c.queue = slices.Delete(c.queue, i, i+1)
		if err := c.start(it); err != nil {
			c.end(err)
		}
	}
}

// pause is the interval between checks of a run that another program does. It is a variable so that tests need not
// wait.
var pause = time.Second

// later requeues a run that another program does.
func (c *Coordinator) later(it *item) {
	if !it.waitedOn {
		c.Line.Linef("        %s: another program is doing it", it.Run)
		it.waitedOn = true
	}
	it.after = time.Now().Add(pause)
	c.queue = append(c.queue, it)
}

// start starts the worker of a run, unless another program does it or has done it.
func (c *Coordinator) start(it *item) error {
	now, err := c.Store.Look(c.plan.Size, it.Run)
	if err != nil {
		return err
	}
	if !now.sameAs(it.planned) {
		c.finish(it, now, " (by another program)")
		return nil
	}
	desk := c.desk(it)
	release, locked, err := c.Store.lock(c.plan.Size, it.Run, desk) // avoids a worker that would be busy
	var busy *Busy
	if errors.As(err, &busy) {
		c.later(it)
		return nil
	} else if err != nil {
		return err
	}
	release()
	if !locked && !c.lockless {
		c.lockless = true
		c.Line.Linef("there are no file locks in %s or %s: start no second program on these runs, which would do them too", c.Store.Folder, c.Work)
	}
	if err := c.launch(it, desk); err != nil {
		return fmt.Errorf("experiment: no worker can be started for %s (%w); free memory, and space in %s", it.Run, err, desk.folder)
	}
	return nil
}

// launch starts the worker of a run.
func (c *Coordinator) launch(it *item, desk desk) (err error) {
	if it.saved, err = fingerprint(desk.run()); err != nil {
		return err
	}
	log, err := os.OpenFile(desk.log(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close() // the worker has its own handle
	// The result does not depend on the log.
	fmt.Fprintf(log, logMark+"%s: %s\n", time.Now().Format(time.RFC3339), it.Run)
	cmd := c.Command(c.list, it.index)
	cmd.Stderr = log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	it.cmd, it.stdin, it.oom, it.last = cmd, stdin, oomKills(), message{}
	it.Since, it.Before, it.Step, it.Steps = time.Now(), desk.spent(it.Run), 0, 0
	if err := cmd.Start(); err != nil {
		return err
	}
	c.running = append(c.running, it)
	go c.listen(it, out)
	return nil
}

func (c *Coordinator) desk(it *item) desk { return deskOf(c.Work, c.plan.Size, it.Run) }

// listen forwards the messages of a worker until it ends.
func (c *Coordinator) listen(it *item, out io.Reader) {
	messages := json.NewDecoder(out)
	for {
		var m message
		if messages.Decode(&m) != nil { // it has ended or writes something else
			break
		}
		c.events <- event{item: it, message: m}
	}
	_, err := io.Copy(io.Discard, out)
	c.events <- event{item: it, over: true, err: errors.Join(it.cmd.Wait(), err)}
}

// handle processes an event.
func (c *Coordinator) handle(e event) {
	it := e.item
	if !e.over {
		it.last = e.message
		if e.message.Steps > 0 {
			it.update(e.message.Step, e.message.Steps, time.Now())
		}
		return
	}
	c.running = slices.DeleteFunc(c.running, func(other *item) bool { return other == it })
	it.stdin.Close() // an error means that the worker has ended
	err := c.over(it, e.err)
	if err != nil {
		c.end(err)
	}
}

// finish reports a run that has a result.
func (c *Coordinator) finish(it *item, now Standing, note string) {
	c.ended++
	if now.in(Failed) {
		c.failed++
	}
	i := c.plan.Todo[it.index]
	c.plan.Standings[i] = now
	for _, other := range c.queue {
		other.Expected = expected(other.Run, c.plan.Standings)
	}
	text := string(now.State)
	if now.in(Done, Failed) {
		text = now.Result.String()
	}
	c.Line.Linef("[%d/%d] %s: %s%s", c.ended, len(c.plan.Todo), it.Run, text, note)
	c.tell()
}

// Progress returns the progress of the plan.
func (c *Coordinator) Progress() Progress {
	p := Progress{Name: c.plan.Name, Workers: c.Workers, Done: c.ended, Total: len(c.plan.Todo), Failed: c.failed}
	for _, it := range c.queue {
		p.Left = append(p.Left, remaining(it.Expected, it.Before))
	}
	for _, it := range c.running {
		p.AtWork = append(p.AtWork, it.AtWork)
	}
	return p
}

// tell shows the progress: continuously on a terminal, else one line per minute.
func (c *Coordinator) tell() {
	now := time.Now()
	text := c.Progress().Text(now)
	switch {
	case c.stop != nil:
		c.Line.Set("stopping: the runs at work save their state …")
	case c.Line.Live():
		c.Line.Set(text)
	case now.Sub(c.said) >= time.Minute:
		c.Line.Linef("%s", text)
		c.said = now
	}
}
