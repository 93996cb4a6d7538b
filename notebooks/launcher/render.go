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
	Seconds float64 `json:"seconds"` // finish, error: how long the cell took
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

// quiet is how long a cell may work without a word in a log that is no terminal.
const quiet = 10 * time.Second

// renderer turns the events of a run into lines: one for each cell, with what the cell says last beside it while it works.
type renderer struct {
	console *liveline.Line
	nb      *notebook
	now     func() time.Time

	current  int // index of the running cell, -1 for none
	began    time.Time
	last     string    // the last line that the running cell printed
	partial  string    // what it printed after its last line break
	reported time.Time // when something was last said about it, where there is no terminal
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

// say takes in what the cell printed. Progress bars return to the start of their line, so only what follows the last return
// is on the screen.
func (r *renderer) say(text string) {
	for line := range strings.SplitSeq(r.partial+text, "\n") {
		r.partial = line[strings.LastIndexByte(strings.TrimRight(line, "\r"), '\r')+1:]
		if shown := strings.TrimSpace(r.partial); shown != "" {
			r.last = shown
		}
	}
	r.tick()
}

// tick brings the lines up to the time; call it now and then while a cell works.
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
