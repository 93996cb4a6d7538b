package launcher

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/puclab/puclab/internal/liveline"
)

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
	text = r.partial + text
	r.partial = ""
	for part := range strings.SplitAfterSeq(text, "\n") {
		whole := strings.HasSuffix(part, "\n")
		returned := strings.HasSuffix(part, "\r")
		part = strings.TrimRight(part, "\r\n")
		shown := part[strings.LastIndexByte(part, '\r')+1:]
		if strings.TrimSpace(shown) != "" {
			r.last = strings.TrimSpace(shown)
		}
		if !whole {
			if r.partial = shown; returned {
				r.partial += "\r"
			}
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
