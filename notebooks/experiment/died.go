package experiment

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// mostDeaths is the number of workers that a run may lose in total, and mostStalls in succession without progress.
const mostDeaths, mostStalls = 10, 2

// over handles a run whose worker has ended.
func (c *Coordinator) over(it *item, ended error) error {
	switch {
	case ended == nil:
		now, err := c.Store.Look(c.plan.Size, it.Run)
		if err == nil && now.sameAs(it.planned) {
			err = fmt.Errorf("experiment: the worker of %s ended well and left no result of this run%s", it.Run, c.tail(it))
		}
		if err != nil {
			return err
		}
		c.finish(it, now, "")
		return nil
	case it.last.Busy:
		c.later(it)
		return nil
	case it.last.Stopped:
		c.queue = append(c.queue, it) // only the worker was stopped
		return nil
	case it.last.Error != "":
		c.leave(it)
		return nil
	case c.stop != nil:
		return nil
	}
	var exit *exec.ExitError
	bySignal := errors.As(ended, &exit) && exit.ExitCode() < 0
	if log := c.tail(it); !bySignal && !outOfMemory(log) {
		return fmt.Errorf("experiment: the worker of %s ended with %w%s", it.Run, ended, log)
	}
	return c.died(it, ended)
}

// leave drops a run that cannot be done here, and the waiting runs of its setting.
func (c *Coordinator) leave(it *item) {
	if c.stop != nil {
		return
	}
	before := len(c.queue)
	c.queue = slices.DeleteFunc(c.queue, func(other *item) bool { return other.Run.Setting == it.Run.Setting })
	text := it.last.Error
	if left := before - len(c.queue); left > 0 {
		text += fmt.Sprintf("; %d more of %s left undone", left, it.Run.Setting)
	}
	c.Line.Linef("        %s", text)
	c.undone = append(c.undone, errors.New(text))
}

// died retries a run whose worker was killed, or marks it as failed.
func (c *Coordinator) died(it *item, how error) error {
	desk := c.desk(it)
	saved, err := fingerprint(desk.run())
	if err != nil {
		return err
	}
	it.deaths++
	if it.stalls++; saved != it.saved {
		it.stalls = 0
	}
	why := fmt.Sprintf("%v", how)
	if killedForMemory(how) && oomKills() > it.oom || outOfMemory(c.tail(it)) {
		why = "out of memory: " + why
	}
	if it.stalls < mostStalls && it.deaths < mostDeaths {
		c.Line.Linef("        %s: its worker died (%s); it goes on from its last checkpoint", it.Run, why)
		c.queue = append(c.queue, it)
		return nil
	}
	now, err := c.Store.Fail(c.Work, c.plan.Size, it.planned, givenUp(it.deaths, it.stalls, why))
	var busy *Busy
	if errors.As(err, &busy) {
		c.later(it)
		return nil
	}
	if err == nil {
		c.finish(it, now, "")
	}
	return err
}

// givenUp returns the reason why a run failed after these worker deaths and deaths without progress.
func givenUp(deaths, stalls int, why string) string {
	switch {
	case strings.HasPrefix(why, "out of memory"):
		return why
	case stalls >= mostStalls:
		return fmt.Sprintf("its worker died %d times, the last ones without getting on (%s)", deaths, why)
	}
	return fmt.Sprintf("its worker died %d times, and it got on in between (the last time: %s)", deaths, why)
}

// Fail stores the reason of a failure as the run's result, in place of its dead worker. It returns the status of the
// run, which is another program's result if that came first. A [Busy] error means that another program is doing the
// run.
func (s *Store) Fail(work string, size Size, planned Standing, why string) (Standing, error) {
	run := planned.Run
	desk := deskOf(work, size, run)
	release, _, err := s.lock(size, run, desk)
	if err != nil {
		return Standing{}, err
	}
	defer release()
	if now, err := s.Look(size, run); err != nil || !now.sameAs(planned) {
		return now, err
	}
	if strings.HasPrefix(why, "out of memory") {
		why += "; " + moreMemory
	}
	result, err := desk.failure(run, why)
	if err == nil {
		err = s.write(size, run, result)
	}
	if err != nil {
		return Standing{}, err
	}
	return s.Look(size, run)
}

// killedForMemory reports whether a process ended by SIGKILL, as the system's out-of-memory killer ends it.
func killedForMemory(ended error) bool {
	var exit *exec.ExitError
	if !errors.As(ended, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// logMark begins the log of each sitting (one attempt at a run).
const logMark = "== "

// tail returns the first and last lines of the run's log, "" if it is empty.
func (c *Coordinator) tail(it *item) string {
	const first, last = 4, 8
	text, err := os.ReadFile(c.desk(it).log())
	if err != nil {
		return ""
	}
	sittings := strings.Split(string(text), logMark)
	_, said, _ := strings.Cut(sittings[len(sittings)-1], "\n")
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if lines[0] == "" {
		return ""
	}
	if len(lines) > first+last {
		lines = slices.Concat(lines[:first], []string{"…"}, lines[len(lines)-last:])
	}
	return "; it said:\n    " + strings.Join(lines, "\n    ")
}
