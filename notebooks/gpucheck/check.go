package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// options are what the command line asks for.
type options struct {
	on    string   // "gpu", "cpu" or "go"
	only  []string // kinds of checks; empty means all
	steps int      // of training; 0 means the defaults
	tests string   // folder of test programs built before
}

// checker runs the checks one after the other.
type checker struct {
	options
	run      runner
	progress *progress
	report   Report
}

// check is a line of the table to be.
type check struct {
	title string
	do    func(ctx context.Context, tell func(string)) Row
}

// all runs all checks. It stops at the first that ctx interrupts, with the report of what was done; an error says that
// nothing could be checked at all.
func (c *checker) all(ctx context.Context) error {
	began := time.Now()
	c.progress.begin("start: opening the engine")
	found, err := c.run(ctx, part{Kind: kindStart}, c.backend(), c.progress.tell)
	c.progress.end("")
	if err != nil {
		return fmt.Errorf("the engine does not work: %w", err)
	}
	if found.Machine == nil || found.Row == nil {
		return errors.New("the engine does not work: its process told nothing")
	}
	c.report.Machine = *found.Machine
	if err := c.rightEngine(); err != nil {
		return err
	}
	c.report.Machine.nvidia(ctx)
	found.Row.Seconds = time.Since(began).Seconds()
	c.report.Rows = append(c.report.Rows, *found.Row)
	c.progress.say("%s", c.report.Machine.Engine)

	checks := c.checks()
	for i, one := range checks {
		began := time.Now()
		c.progress.begin(fmt.Sprintf("[%d/%d] %s", i+1, len(checks), one.title))
		row := one.do(ctx, c.progress.tell)
		row.Seconds = time.Since(began).Seconds()
		if ctx.Err() != nil {
			c.progress.end("")
			c.report.Left = len(checks) - i
			return nil
		}
		c.progress.end(fmt.Sprintf("%s after %.0f s", row.Result, row.Seconds))
		c.report.Rows = append(c.report.Rows, row)
	}
	return nil
}

// backend is the engine to ask for, "" for the one that is found.
func (c *checker) backend() string {
	if c.on == "go" {
		return "go"
	}
	return ""
}

// rightEngine refuses an engine other than the one that was asked for: numbers of a CPU must not pass for those of a card.
func (c *checker) rightEngine() error {
	m := c.report.Machine
	switch {
	case c.on == "gpu" && !m.onGPU():
		return fmt.Errorf("no GPU answers; what opens is %s.\n"+
			"`go run ./notebooks setup -gpu` installs the CUDA plugin (Linux, an NVIDIA card and its driver); for one elsewhere set GOMLX_BACKEND=xla:/path/to/xla_cuda_plugin.so.\nTo check the CPU, add -on cpu", m.Engine)
	case c.on == "cpu" && m.onGPU():
		return fmt.Errorf("the engine is %s; to check the CPU set GOMLX_BACKEND=xla:cpu, or xla:/path/to/a/plugin.so, "+
			"or add -on go", m.Engine)
	case c.on == "go" && m.Kind != "go":
		return fmt.Errorf("the engine is %s, not the pure-Go one", m.Engine)
	}
	return nil
}

// wants tells whether checks of that kind are asked for.
func (c *checker) wants(kind string) bool { return len(c.only) == 0 || slices.Contains(c.only, kind) }

// checks lists what is to be done on this machine.
func (c *checker) checks() []check {
	var list []check
	m := c.report.Machine
	add := func(title string, do func(context.Context, func(string)) Row) { list = append(list, check{title, do}) }
	if c.wants(kindNumbers) {
		add("numbers: a matrix product", c.product)
		if m.Kind != "go" { // which is not compared with itself
			for _, n := range numberCases() {
				add("numbers: "+n.what, func(ctx context.Context, tell func(string)) Row { return c.numbers(ctx, n, tell) })
			}
		}
	}
	if c.wants(kindStep) {
		for _, s := range stepCases() {
			for _, precision := range precisions {
				if !s.onCards || m.onGPU() {
					what := s.what + ", " + precision
					add("step: "+what, c.part(part{Kind: kindStep, Name: s.name, Precision: precision}, what))
				}
			}
		}
	}
	if c.wants(kindTraining) {
		for _, t := range tasks(m.onGPU()) {
			add("training: "+t.bench, c.part(part{Kind: kindTraining, Name: t.bench, Steps: c.steps}, t.bench))
		}
	}
	if c.wants(kindTests) {
		s, err := newSuite(c.tests, m.Backend)
		for _, pkg := range enginePackages {
			add("tests: "+pkg, func(ctx context.Context, tell func(string)) Row {
				if err != nil {
					return Row{Kind: kindTests, What: pkg, Result: NotRun, Told: err.Error()}
				}
				return s.run(ctx, pkg, tell)
			})
		}
	}
	return list
}

// part is the check that one part is, with the memory that it took.
func (c *checker) part(p part, what string) func(context.Context, func(string)) Row {
	return func(ctx context.Context, tell func(string)) Row {
		var watch *memoryWatch
		if c.report.Machine.onGPU() {
			watch = watchMemory(ctx)
		}
		found, err := c.run(ctx, p, c.report.Machine.Backend, tell)
		var device float64
		told := false
		if watch != nil {
			device, told = watch.end()
		}
		if err == nil && found.Row == nil {
			err = errors.New("its process told nothing")
		}
		if err != nil {
			return Row{Kind: p.Kind, What: what, Result: Fail, Told: err.Error()}
		}
		row := *found.Row
		if row.Result != NotRun {
			row.addMemory(device, told, found.Memory)
		}
		return row
	}
}

// addMemory adds what is known of the memory that a check took.
func (r *Row) addMemory(device float64, told bool, own *memories) {
	values := map[string]float64{}
	var parts []string
	if told {
		parts = append(parts, fmt.Sprintf("device memory %.2f GB", device/1e9))
		values["device_memory_bytes"] = device
	} else {
		parts = append(parts, "device memory not told")
	}
	if own != nil && own.Process > 0 {
		parts = append(parts, fmt.Sprintf("the process's %.2f GB", own.Process/1e9))
		values["process_memory_bytes"] = own.Process
	}
	r.Told += "; " + strings.Join(parts, ", ")
	for name, value := range values {
		if r.Values == nil {
			r.Values = map[string]float64{}
		}
		r.Values[name] = value
	}
}

// product checks the precision of a matrix product.
func (c *checker) product(ctx context.Context, tell func(string)) Row {
	found, err := c.run(ctx, part{Kind: kindNumbers, Name: productName}, c.report.Machine.Backend, tell)
	if err == nil && found.Product == nil {
		err = errors.New("its process told nothing")
	}
	if err != nil {
		return Row{Kind: kindNumbers, What: "a float32 matrix product", Result: Fail, Told: err.Error()}
	}
	return productRow(*found.Product)
}

// numbers compares a step with the pure-Go engine's.
func (c *checker) numbers(ctx context.Context, n numberCase, tell func(string)) Row {
	row := Row{Kind: kindNumbers, What: n.what, Result: Fail}
	var steps [2]*oneStep
	for i, backend := range []string{c.report.Machine.Backend, "go"} {
		tell("on " + map[bool]string{true: "the engine", false: "the pure-Go engine"}[i == 0])
		found, err := c.run(ctx, part{Kind: kindNumbers, Name: n.name}, backend, tell)
		if err == nil && found.Step == nil {
			err = errors.New("its process told nothing")
		}
		if err != nil {
			row.Told = err.Error()
			return row
		}
		steps[i] = found.Step
	}
	allowed := float32Apart
	if c.report.Machine.onGPU() {
		allowed = tf32Apart
	}
	return compare(n.what, *steps[0], *steps[1], allowed)
}

// kindsOf reads the value of -only.
func kindsOf(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	list := strings.Split(text, ",")
	for _, kind := range list {
		if !slices.Contains(kinds, kind) {
			return nil, fmt.Errorf("-only: there is no kind %q; there are %s", kind, strings.Join(kinds, ", "))
		}
	}
	return list, nil
}
