package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

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
	Progress string    `json:"progress,omitempty"`
	Row      *Row      `json:"row,omitempty"`
	Machine  *Machine  `json:"machine,omitempty"`
	Step     *oneStep  `json:"step,omitempty"`
	Product  *float64  `json:"product,omitempty"`
	Memory   *memories `json:"memory,omitempty"`
	Error    string    `json:"error,omitempty"` // why the part could not be done
}

// memories is what a process knows of its own memory, in bytes.
type memories struct {
	Process float64 `json:"process"` // the largest resident one; 0 where the system does not tell
}

// runPart does the work of a part on the engine that GOMLX_BACKEND or the machine gives, and writes its messages to out.
func runPart(ctx context.Context, p part, out io.Writer) error {
	lines := json.NewEncoder(out)
	progress := func(format string, args ...any) error {
		return lines.Encode(message{Progress: fmt.Sprintf(format, args...)})
	}
	eng, err := engine.Open()
	if err != nil {
		return err
	}
	var found message
	switch p.Kind {
	case kindStart:
		found.Machine, found.Row, err = start(ctx, eng)
	case kindNumbers:
		if p.Name == productName {
			found.Product, err = productError(eng)
		} else {
			found.Step, err = stepOnce(eng, p.Name)
		}
	case kindStep:
		found.Row, err = timeStep(ctx, eng, p, progress)
	case kindTraining:
		found.Row, err = trainShortly(ctx, eng, p, progress)
	default:
		err = fmt.Errorf("there is no check of the kind %q", p.Kind)
	}
	if err != nil {
		return err
	}
	found.Memory = &memories{Process: peakResident()}
	return lines.Encode(found)
}
