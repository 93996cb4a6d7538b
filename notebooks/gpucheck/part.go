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

// part is a check, or a half of one, that runs in a process of its own.
type part struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`                // which one of its kind
	Precision string `json:"precision,omitempty"` // "float32" or "bfloat16", of steps
	Steps     int    `json:"steps,omitempty"`     // of training; 0 means its own default
}

// message is a line that such a process prints: how far it is, or what it found.
type message struct {
	Progress string   `json:"progress,omitempty"`
	Row      *Row     `json:"row,omitempty"`
	Machine  *Machine `json:"machine,omitempty"`
	Step     *oneStep `json:"step,omitempty"`
	Product  *float64 `json:"product,omitempty"`
	Memory   float64  `json:"memory,omitempty"` // the largest resident one of the process, in bytes; 0 where the system does not tell
	Error    string   `json:"error,omitempty"`  // why the part could not be done
}

// reporter says how far a part is.
type reporter func(format string, args ...any)

// do does the work of a part on the engine that GOMLX_BACKEND or the machine gives, and writes its messages to out.
func (p part) do(ctx context.Context, out io.Writer) error {
	lines := json.NewEncoder(out)
	progress := func(format string, args ...any) {
		lines.Encode(message{Progress: fmt.Sprintf(format, args...)}) // an error shows at the end, if there is still somebody to read
	}
	eng, err := engine.Open()
	if err != nil {
		return err
	}
	var found message
	switch {
	case p.Kind == kindStart:
		found.Machine, found.Row, err = start(ctx, eng)
	case p.Kind == kindNumbers && p.Name == productName:
		found.Product, err = productError(eng)
	case p.Kind == kindNumbers:
		found.Step, err = withCase(numberCases(), p.Name, func(c numberCase) (*oneStep, error) { return c.step(eng) })
	case p.Kind == kindStep:
		found.Row, err = withCase(stepCases(), p.Name, func(c stepCase) (*Row, error) { return c.time(ctx, eng, p.Precision, progress) })
	case p.Kind == kindTraining:
		found.Row, err = withCase(tasks(eng.Kind == "xla-cuda"), p.Name, func(t task) (*Row, error) {
			t.steps = cmp.Or(p.Steps, t.steps)
			return t.train(ctx, eng, progress)
		})
	default:
		err = fmt.Errorf("there is no check of the kind %q", p.Kind)
	}
	if err != nil {
		return err
	}
	if bytes, err := peak.Bytes(); err == nil {
		found.Memory = float64(bytes)
	}
	return lines.Encode(found)
}

// withCase returns what do makes of the case that a part names.
func withCase[C interface{ id() string }, R any](cases []C, name string, do func(C) (*R, error)) (*R, error) {
	for _, c := range cases {
		if c.id() == name {
			return do(c)
		}
	}
	return nil, fmt.Errorf("there is no case %q", name)
}

// runner runs a part and returns what it found, telling meanwhile how far it is. The engine is that of the environment's
// GOMLX_BACKEND unless backend names another.
type runner func(ctx context.Context, p part, backend string, progress func(string)) (message, error)

// inProcess runs a part in a process of its own, of this very program.
func inProcess(ctx context.Context, p part, backend string, progress func(string)) (found message, err error) {
	program, err := os.Executable()
	argument, broken := json.Marshal(p)
	if err = errors.Join(err, broken); err != nil {
		return found, err
	}
	cmd := exec.CommandContext(ctx, program, "-part", string(argument))
	cmd.Env = append(os.Environ(), "GOMLX_NO_AUTO_INSTALL=1")
	if backend != "" {
		cmd.Env = append(cmd.Env, "GOMLX_BACKEND="+backend)
	}
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
	for lines.Scan() { // what was found is the last of the messages; other lines, as libraries may print, are passed over
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

// crash picks the line that says why a program ended: the first of a panic or of a failed check in XLA, else the last one.
func crash(lines []string) string {
	for _, sign := range []string{"panic:", "fatal error:", "Check failed", "SIG"} {
		for _, line := range lines {
			if strings.Contains(line, sign) {
				return strings.TrimSpace(line)
			}
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
