package launcher

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// event is one report of run_notebook.py. Cell is the index in the notebook, counted from 0.
type event struct {
	Event   string  `json:"event"`
	Cell    int     `json:"cell"`
	Seconds float64 `json:"seconds"` // finish, error: how long the cell took
	Name    string  `json:"name"`    // stream: stdout or stderr
	Text    string  `json:"text"`    // stream, display: what came; error, fatal: why
	PID     int     `json:"pid"`     // kernel: its process, which leads a group of its own
}

// The events, in the order of a run.
const (
	eventKernel      = "kernel"      // the kernel's process is there
	eventStart       = "start"       // a cell begins
	eventStream      = "stream"      // it printed something
	eventDisplay     = "display"     // it showed something or changed what it showed
	eventFinish      = "finish"      // it is done
	eventError       = "error"       // it failed, and the run ends
	eventFatal       = "fatal"       // the run could not begin
	eventInterrupted = "interrupted" // the user stopped the run
	eventWriting     = "writing"     // the results are being written
	eventDone        = "done"        // they are written
)

// readEvents hands each event to handle until the stream ends.
func readEvents(r io.Reader, handle func(event)) error {
	for decoder := json.NewDecoder(r); ; {
		var e event
		switch err := decoder.Decode(&e); {
		case err == nil:
			handle(e)
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // at its end, or killed in the middle of an event
			return nil
		default:
			return fmt.Errorf("run_notebook.py sent what is no event: %w", err)
		}
	}
}
