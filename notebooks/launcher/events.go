package launcher

import (
	"bufio"
	"encoding/json"
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
	br := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := br.ReadBytes('\n') // of any length: a cell may print much at once
		if len(line) > 0 && err == nil {
			var e event
			if jsonErr := json.Unmarshal(line, &e); jsonErr != nil {
				return fmt.Errorf("run_notebook.py sent %q: %w", clip(string(line), 80), jsonErr)
			}
			handle(e)
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
