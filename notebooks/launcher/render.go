package launcher

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/puclab/puclab/internal/liveline"
)

// event is one report of run_notebook.py. Cell is the index in the notebook, counted from 0.
type event struct {
	Event   string  `json:"event"`
	Cell    int     `json:"cell"`
	Seconds float64 `json:"seconds"` // finish, error: duration of the cell
	Text    string  `json:"text"`    // stream, display: its output; error, fatal: the reason
	PID     int     `json:"pid"`     // kernel: its process, which leads its own group
}

// The events, in the order of a run.
const (
	eventKernel      = "kernel"      // the kernel's process has started
	eventStart       = "start"       // a cell begins
	eventStream      = "stream"      // it printed something
	eventDisplay     = "display"     // it displayed something or changed its display
	eventFinish      = "finish"      // it is done
	eventError       = "error"       // it failed, and the run ends
	eventFatal       = "fatal"       // the run could not start
	eventInterrupted = "interrupted" // the user stopped the run
	eventWriting     = "writing"     // the results are being written
	eventDone        = "done"        // they are written
)

// readEvents passes each event to handle until the stream ends.
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

// quiet is the longest silence about a running cell in a log that is not a terminal.
const quiet = 10 * time.Second

// renderer turns the events of a run into lines: one per cell, with the cell's last output beside it while it runs.
type renderer struct {
	console *liveline.Line
	nb      *notebook
	now     func() time.Time

	current  int // index of the running cell, -1 for none
	began    time.Time
	last     string    // the last line that the running cell printed
	partial  string    // its output after the last line break
	reported time.Time // time of its last report, if there is no terminal
}

func newRenderer(c *liveline.Line, nb *notebook) *renderer {
	return &renderer{console: c, nb: nb, now: time.Now, current: -1}
}

// label names a cell, as in "[ 3/12] Train the encoder", in a column of fixed width.
func (r *renderer) label(index int) string {
	total := fmt.Sprint(r.nb.codeCells())
	width := min(max(r.console.Columns()-40, 24), 56)
	c := cell{title: "?"}
	if index >= 0 && index < len(r.nb.cells) {
		c = r.nb.cells[index]
	}
	title := liveline.Clip(c.title, width)
	return fmt.Sprintf("[%*d/%s] %s%s", len(total), c.number, total, title, strings.Repeat(" ", width-utf8.RuneCountInString(title)))
}

func (r *renderer) handle(e event) {
	switch e.Event {
	case eventStart:
		r.current, r.began, r.last, r.partial = e.Cell, r.now(), "", ""
		r.reported = r.began
		r.tick()
	case eventStream:
		r.say(e.Text)
	case eventDisplay:
		if e.Text != "" {
			r.say(e.Text + "\n")
		}
	case eventFinish:
		r.end(e.Cell, fmt.Sprintf("%8s", seconds(secondsOf(e.Seconds))))
	case eventError:
		r.end(e.Cell, "  failed after "+seconds(secondsOf(e.Seconds)))
	case eventInterrupted:
		if r.current >= 0 {
			r.end(r.current, "  interrupted")
		}
	case eventWriting:
		r.console.Set("writing " + e.Text + " …")
	case eventDone, eventFatal:
		r.console.Set("")
	}
}

func (r *renderer) end(cell int, how string) {
	r.current = -1
	r.console.Set("")
	r.console.Linef("%s%s", r.label(cell), how)
}

// say processes the output of the cell. Progress bars return to the start of their line, so only the text after the
// last return is visible.
func (r *renderer) say(text string) {
	for line := range strings.SplitSeq(r.partial+text, "\n") {
		r.partial = line[strings.LastIndexByte(strings.TrimRight(line, "\r"), '\r')+1:]
		if shown := strings.TrimSpace(r.partial); shown != "" {
			r.last = shown
		}
	}
	r.tick()
}

// tick updates the lines to the current time; call it regularly while a cell runs.
func (r *renderer) tick() {
	if r.current < 0 {
		return
	}
	now := r.now()
	line := r.label(r.current) + fmt.Sprintf("%8s", seconds(now.Sub(r.began)))
	if r.console.Live() {
		r.console.Set(strings.TrimRight(line+"  "+r.last, " "))
	} else if now.Sub(r.reported) >= quiet {
		r.reported = now
		r.console.Linef("%s", strings.TrimRight(line+" … "+liveline.Clip(r.last, 80), " "))
	}
}
