package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/puclab/puclab/internal/liveline"
)

// checker runs the checks one after the other.
type checker struct {
	options
	run    runner
	line   *liveline.Line
	report Report
}

// check is a future line of the table.
type check struct {
	kind, what string
	do         measure
}

// measure performs a check.
type measure func(ctx context.Context, progress func(string)) (*Row, error)

// all runs all checks. When ctx interrupts one, it stops with the report of the completed checks; an error means that
// nothing could be checked.
func (c *checker) all(ctx context.Context) error {
	began := time.Now()
	c.line.Begin("start: opening the engine")
	backend := ""
	if c.on == "go" {
		backend = "go"
	}
	found, err := c.ask(ctx, part{Kind: kindStart}, backend, c.line.Note)
	c.line.End("")
	if err != nil {
		return fmt.Errorf("the engine does not work: %w", err)
	}
	c.report.Machine = *found.Machine
	if err := c.checkEngine(); err != nil {
		return err
	}
	c.report.Machine.nvidia(ctx)
	found.Row.Seconds = time.Since(began).Seconds()
	c.report.Rows = append(c.report.Rows, *found.Row)
	c.line.Linef("%s", c.report.Machine.Engine)

	checks := c.checks()
	for i, one := range checks {
		began := time.Now()
		c.line.Begin(fmt.Sprintf("[%d/%d] %s: %s", i+1, len(checks), one.kind, one.what))
		row, err := one.do(ctx, c.now())
		if err != nil {
			row = &Row{Result: Fail, Detail: err.Error()}
		}
		row.Kind, row.What, row.Seconds = one.kind, cmp.Or(row.What, one.what), time.Since(began).Seconds()
		if ctx.Err() != nil {
			c.line.End("")
			c.report.Left = len(checks) - i
			return nil
		}
		c.line.End(fmt.Sprintf("%s after %.0f s", row.Result, row.Seconds))
		c.report.Rows = append(c.report.Rows, *row)
	}
	return nil
}

// now returns a function that shows the progress of a check, at most ten times per second.
func (c *checker) now() func(string) {
	var last time.Time
	return func(text string) {
		if time.Since(last) > 100*time.Millisecond {
			last = time.Now()
			c.line.Note(text)
		}
	}
}

// ask runs a part and verifies that its findings are not empty.
func (c *checker) ask(ctx context.Context, p part, backend string, progress func(string)) (message, error) {
	found, err := c.run(ctx, p, backend, progress)
	if err == nil && (found.Row == nil || p.Kind == kindStart && found.Machine == nil) {
		err = errors.New("its process told nothing")
	}
	return found, err
}

// checkEngine returns an error if the engine is not the requested one, so that numbers of a CPU are not mistaken for a
// GPU's.
func (c *checker) checkEngine() error {
	m := c.report.Machine
	switch {
	case c.on == "gpu" && !m.onGPU():
		return fmt.Errorf("no GPU answers; what opens is %s.\n"+
			"`go run ./notebooks setup -gpu` installs the CUDA plugin (Linux, an NVIDIA card and its driver); for one elsewhere set "+
			"GOMLX_BACKEND=xla:/path/to/xla_cuda_plugin.so.\nTo check the CPU, add -on cpu", m.Engine)
	case c.on == "cpu" && m.onGPU():
		return fmt.Errorf("the engine is %s; to check the CPU set GOMLX_BACKEND=xla:cpu, or xla:/path/to/a/plugin.so, "+
			"or add -on go", m.Engine)
	case c.on == "go" && m.Kind != "go":
		return fmt.Errorf("the engine is %s, not the pure-Go one", m.Engine)
	}
	return nil
}

// checks lists the checks for this machine.
func (c *checker) checks() (list []check) {
	m := c.report.Machine
	for _, t := range trials(m.Kind, c.steps) {
		list = append(list, check{t.kind, t.name, c.part(part{t.kind, t.name, c.steps})})
	}
	s, err := newSuite(c.tests, m.Backend)
	for _, pkg := range enginePackages {
		list = append(list, check{kindTests, pkg, func(ctx context.Context, progress func(string)) (*Row, error) {
			if err != nil {
				return &Row{Result: NotRun, Detail: err.Error()}, nil
			}
			return s.run(ctx, pkg, progress)
		}})
	}
	return slices.DeleteFunc(list, func(one check) bool { return len(c.only) > 0 && !slices.Contains(c.only, one.kind) })
}

// part returns the check of one part, with its memory use.
func (c *checker) part(p part) measure {
	return func(ctx context.Context, progress func(string)) (*Row, error) {
		end := notWatched
		if c.report.Machine.onGPU() && p.Kind != kindNumbers {
			end = watchMemory(ctx)
		}
		found, err := c.ask(ctx, p, c.report.Machine.Backend, progress)
		device, known := end()
		if err != nil || found.Row.Result == NotRun || p.Kind == kindNumbers {
			return found.Row, err
		}
		if known {
			found.Row.Values["device_memory_bytes"] = device
			found.Row.Detail += fmt.Sprintf("; device memory %.2f GB", device/1e9)
		} else {
			found.Row.Detail += "; device memory not told"
		}
		if found.Memory > 0 {
			found.Row.Values["process_memory_bytes"] = found.Memory
			found.Row.Detail += fmt.Sprintf(", the process's %.2f GB", found.Memory/1e9)
		}
		return found.Row, nil
	}
}
