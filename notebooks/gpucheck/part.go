package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/peak"
	"github.com/puclab/puclab/pucl/engine"
)

// The kinds of checks, in their order.
const (
	kindStart    = "start"
	kindNumbers  = "numbers"
	kindStep     = "step"
	kindTraining = "training"
	kindTests    = "tests"
)

var kinds = []string{kindStart, kindNumbers, kindStep, kindTraining, kindTests}

// part is a check that runs in a separate process.
type part struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`            // which one of its kind
	Steps int    `json:"steps,omitempty"` // of training; 0 means its default
}

// message is a line printed by such a process: its progress, or its findings.
type message struct {
	Progress string   `json:"progress,omitempty"`
	Row      *Row     `json:"row,omitempty"`
	Machine  *Machine `json:"machine,omitempty"` // of the start
	// Memory is the peak resident memory of the process, in bytes; 0 if the system does not report it.
	Memory float64 `json:"memory,omitempty"`
	Error  string  `json:"error,omitempty"` // why the part could not be done
}

// reporter reports the progress of a part.
type reporter func(format string, args ...any)

// do does the work of a part on the engine selected by GOMLX_BACKEND or the machine, and writes its messages to out.
func (p part) do(ctx context.Context, out io.Writer) error {
	lines := json.NewEncoder(out)
	progress := func(format string, args ...any) {
		// A write error appears at the end, if there is still a reader.
		lines.Encode(message{Progress: fmt.Sprintf(format, args...)})
	}
	eng, err := engine.Open()
	if err != nil {
		return err
	}
	var found message
	if p.Kind == kindStart {
		found.Machine, found.Row, err = start(ctx, eng)
	} else {
		all := trials(eng.Kind, p.Steps)
		i := slices.IndexFunc(all, func(t trial) bool { return t.kind == p.Kind && t.name == p.Name })
		if i < 0 {
			return fmt.Errorf("there is no check %q of the kind %q", p.Name, p.Kind)
		}
		found.Row, err = all[i].do(ctx, eng, progress)
	}
	if err != nil {
		return err
	}
	if bytes, err := peak.Bytes(); err == nil {
		found.Memory = float64(bytes)
	}
	return lines.Encode(found)
}

// trial is a check of the engine in a separate process.
type trial struct {
	kind, name string
	do         func(ctx context.Context, eng *engine.Engine, progress reporter) (*Row, error)
}

// trials lists the trials for an engine of that kind: a product, comparisons of steps with the pure-Go engine unless it
// is that engine, steps to time, and short trainings of the given number of steps, 0 meaning their defaults.
func trials(kind string, steps int) []trial {
	onGPU := kind == "xla-cuda"
	list := []trial{{kindNumbers, "a matrix product", product}}
	if kind != "go" {
		for _, c := range numberCases() {
			list = append(list, trial{kindNumbers, c.what, c.againstPureGo})
		}
	}
	for _, c := range stepCases() {
		for _, precision := range []string{"float32", "bfloat16"} {
			if c.onCards && !onGPU {
				continue
			}
			c.config.Compute.BFloat16 = precision == "bfloat16"
			list = append(list, trial{kindStep, c.what + ", " + precision, c.time})
		}
	}
	for _, t := range tasks(onGPU) {
		t.steps = cmp.Or(steps, t.steps)
		list = append(list, trial{kindTraining, t.bench, t.train})
	}
	return list
}

// runner runs a part, reports its progress, and returns its findings. The engine is selected by the environment's
// GOMLX_BACKEND unless backend names another one.
type runner func(ctx context.Context, p part, backend string, progress func(string)) (message, error)

// inProcess runs a part in a separate process of this program.
func inProcess(ctx context.Context, p part, backend string, progress func(string)) (found message, err error) {
	program, err := os.Executable()
	argument, broken := json.Marshal(p)
	if err = errors.Join(err, broken); err != nil {
		return found, err
	}
	cmd := exec.CommandContext(ctx, program, "-part", string(argument))
	cmd.Env = append(os.Environ(), "GOMLX_NO_AUTO_INSTALL=1", "GOMLX_BACKEND="+cmp.Or(backend, os.Getenv("GOMLX_BACKEND")))
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return found, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() { // the last message has the findings; other lines, such as output of libraries, are skipped
		var m message
		switch {
		case json.Unmarshal(lines.Bytes(), &m) != nil:
		case m.Progress != "":
			progress(m.Progress)
		default:
			found = m
		}
	}
	err = errors.Join(lines.Err(), cmd.Wait())
	switch {
	case ctx.Err() != nil:
		return message{}, ctx.Err()
	case found.Error != "":
		return message{}, errors.New(firstLines(found.Error, 3))
	case err != nil:
		last := strings.Split(strings.TrimSpace(complaints.String()), "\n")
		return message{}, fmt.Errorf("its process ended with %w: %s", err, crash(last))
	}
	return found, nil
}

// crash returns the line with the cause of a program's end: the first line of a panic or of a failed check in XLA, else
// the last one.
func crash(lines []string) string {
	for _, sign := range []string{"panic:", "fatal error:", "Check failed", "SIG"} {
		if i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, sign) }); i >= 0 {
			return strings.TrimSpace(lines[i])
		}
	}
	if len(lines) == 0 {
		return "it printed nothing"
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

// firstLines returns the first n lines of text as one.
func firstLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[:min(n, len(lines))], " / ")
}
