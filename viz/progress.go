package viz

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/puclab/puclab/internal/liveline"
)

// Progress reports the progress of a long run: steps done, speed, time left, and a note such as the current loss. In a
// GoNB notebook it is one line with a bar that is updated in place; the saved notebook keeps the last state. On a
// terminal it is one line that is overwritten; in a file or a pipe it is a new line every few seconds. After twenty
// times that interval without a report, the line states that the run continues.
//
// Methods may be called from several goroutines. On a nil *Progress they do nothing.
type Progress struct {
	// Unit names the counted unit, in the singular; "" means "step".
	Unit string
	// ViewsPerStep is the number of views of examples per step, two for every example of the batch in contrastive
	// learning. The speed is then in views per second; with 0 it is in steps per second.
	ViewsPerStep int
	// ExamplesPerStep is the number of examples per step. If it is not 0 the speed is in examples per second: "1,843
	// images/s", or with twice as many ViewsPerStep "1,843 images/s × 2 views".
	ExamplesPerStep int
	// Example names the unit of ExamplesPerStep, in the singular; "" means "image".
	Example string

	label string
	total int
	out   output
	pause time.Duration // between two reports
	now   func() time.Time

	mu       sync.Mutex
	started  time.Time // of the first report
	first    int       // steps done then
	last     int       // steps done at the latest call
	reported time.Time
	recent   []sample      // for the speed
	paused   time.Duration // of all the time since the first report
	finished bool

	text  string      // shown last
	heard time.Time   // time of the last report
	alive *time.Timer // reports that the run continues
}

// sample is a point of time, the steps done by then, and the total time of pauses.
type sample struct {
	at     time.Time
	done   int
	paused time.Duration
}

// window is the time over which the speed is measured. It is short, so that the first steps, slowed by compilation,
// soon stop counting.
const window = 20 * time.Second

// output shows one state of a Progress. bar is the fraction done, or negative if unknown.
type output func(text string, bar float64, final bool)

// NewProgress returns the progress of a run of total steps, 0 if unknown. If w is nil, it writes to the notebook in
// GoNB and to the standard error elsewhere; any other w is written to as lines, with or without a notebook. Errors of w
// are ignored, since progress is not a result.
func NewProgress(w io.Writer, label string, total int) *Progress {
	p := &Progress{label: label, total: total, now: time.Now, pause: 500 * time.Millisecond}
	if w == nil && gonbui.IsNotebook {
		p.out = notebookLine("progress_"+gonbui.UniqueId(), label, gonbui.SendData, syncNotebook)
		return p
	}
	line := liveline.New(cmp.Or[io.Writer](w, os.Stderr))
	if !line.Live() {
		p.pause = 5 * time.Second
	}
	p.out = textLine(line)
	return p
}

// change calls make, unless p is nil or done.
func (p *Progress) change(make func()) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.finished {
		return
	}
	make()
	p.heard = p.now()
	if p.alive == nil {
		p.alive = time.AfterFunc(p.silence(), p.beat)
	}
	if p.alive.Reset(p.silence()); p.finished {
		p.alive.Stop()
	}
}

// silence is the time without a report after which the line states that the run continues.
func (p *Progress) silence() time.Duration { return 20 * p.pause }

// beat states that the run continues, until the next report.
func (p *Progress) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.finished || p.text == "" {
		return
	}
	p.out(p.text+", still running after "+liveline.Duration(p.now().Sub(p.heard)), p.share(), false)
	p.alive.Reset(p.silence())
}

// show shows a text after the label.
func (p *Progress) show(text string, final bool) {
	if p.label != "" {
		text = p.label + ": " + text
	}
	p.text = text
	p.out(text, p.share(), final)
}

// Say shows text in place of the progress, for example the reason for a wait before the first step.
func (p *Progress) Say(text string) { p.change(func() { p.show(text, false) }) }

// Pause records that no step ran during d of the time since the last Update. The speed excludes it, the time left does
// not.
func (p *Progress) Pause(d time.Duration) { p.change(func() { p.paused += d }) }

// Update reports that done steps are done, with notes that may be empty. The first note is shown right after the count,
// the others at the end of the line, which a narrow terminal cuts. Most calls return at once. A report is written at
// most twice a second in a notebook or on a terminal, and every five seconds elsewhere. The first and the last step are
// always reported. done may decrease, as after a restart.
func (p *Progress) Update(done int, notes ...string) {
	p.change(func() {
		now := p.now()
		if p.started.IsZero() || done < p.last {
			p.started, p.first, p.recent, p.paused = now, done, nil, 0
		}
		p.last = done
		atEnd := p.total > 0 && done >= p.total
		if !p.reported.IsZero() && now.Sub(p.reported) < p.pause && !atEnd {
			return
		}
		p.reported = now
		p.recent = append(p.recent, sample{now, done, p.paused})
		for len(p.recent) > 2 && now.Sub(p.recent[1].at) >= window {
			p.recent = p.recent[1:]
		}
		p.show(p.line(notes), false)
	})
}

// Done ends the report with the run time and the mean speed without pauses. Later calls do nothing.
func (p *Progress) Done(note string) {
	p.change(func() {
		p.finished = true
		now := p.now()
		took := now.Sub(cmp.Or(p.started, now))
		parts := []string{p.count() + " in " + liveline.Duration(took)}
		if s := (took - p.paused).Seconds(); s > 0 && p.last > p.first {
			parts = append(parts, p.speed(float64(p.last-p.first)/s))
		}
		p.show(list(append(parts, note)), true)
	})
}

// list joins the parts that are not empty.
func list(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// line describes the current state.
func (p *Progress) line(notes []string) string {
	parts := append([]string{p.count()}, notes[:min(1, len(notes))]...)
	a, b := p.recent[0], p.recent[len(p.recent)-1]
	if s := b.at.Sub(a.at).Seconds(); s > 0 && b.done > a.done {
		if working := s - (b.paused - a.paused).Seconds(); working > 0 {
			parts = append(parts, p.speed(float64(b.done-a.done)/working))
		}
		if left := p.total - b.done; left > 0 {
			parts = append(parts, liveline.Duration(time.Duration(float64(left)*s/float64(b.done-a.done)*float64(time.Second)))+" left")
		}
	}
	return list(append(parts, notes[min(1, len(notes)):]...))
}

// count returns "step 120 of 400 (30 %)" during the run, or "step 120" if the total is unknown; at the end, "400 steps"
// or "120 of 400 steps".
func (p *Progress) count() string {
	unit := cmp.Or(p.Unit, "step")
	n, total := number(float64(p.last), 0), number(float64(p.total), 0)
	switch {
	case p.finished && p.total > 0 && p.last < p.total:
		return n + " of " + total + " " + plural(unit)
	case p.finished && p.last == 1:
		return n + " " + unit
	case p.finished:
		return n + " " + plural(unit)
	case p.total > 0:
		return fmt.Sprintf("%s %s of %s (%.0f %%)", unit, n, total, 100*p.share())
	}
	return unit + " " + n
}

// plural returns the plural of a regular noun.
func plural(noun string) string {
	if slices.ContainsFunc([]string{"s", "x", "ch", "sh"}, func(end string) bool { return strings.HasSuffix(noun, end) }) {
		return noun + "es"
	}
	return noun + "s"
}

// share returns the fraction done: 1 at the end of the run, and -1 if unknown.
func (p *Progress) share() float64 {
	switch {
	case p.total > 0:
		return min(1, max(0, float64(p.last)/float64(p.total)))
	case p.finished:
		return 1
	}
	return -1
}

// speed writes a rate given in steps per second. Below one step per second, without ViewsPerStep or ExamplesPerStep, it
// writes the time per step.
func (p *Progress) speed(rate float64) string {
	unit := plural(cmp.Or(p.Unit, "step")) + "/s"
	switch {
	case p.ExamplesPerStep == 0 && p.ViewsPerStep == 0 && rate > 0 && rate < 0.95:
		return liveline.Duration(time.Duration(float64(time.Second)/rate)) + "/" + cmp.Or(p.Unit, "step")
	case p.ExamplesPerStep > 0:
		rate, unit = rate*float64(p.ExamplesPerStep), plural(cmp.Or(p.Example, "image"))+"/s"
		if each := p.ViewsPerStep / p.ExamplesPerStep; each > 1 {
			unit += fmt.Sprintf(" × %d views", each)
		}
	case p.ViewsPerStep > 0:
		rate, unit = rate*float64(p.ViewsPerStep), "views/s"
	}
	decimals := 0
	if rate < 10 {
		decimals = 1
	}
	return number(rate, decimals) + " " + unit
}

// notebookLine returns an output that shows the state in one output of a notebook. GoNB sends the first message with an
// id as a new output and the later ones as updates of it. JupyterLab shows updates in place and nbclient stores them in
// place of the first, so that the saved notebook holds the last state.
func notebookLine(id, label string, send func(*protocol.DisplayData), sync func()) output {
	return func(text string, bar float64, final bool) {
		send(progressData(id, label, text, bar))
		if final {
			sync()
		}
	}
}

// progressData returns the message that shows one state of a progress.
func progressData(id, label, text string, bar float64) *protocol.DisplayData {
	value := ""
	if bar >= 0 {
		value = fmt.Sprintf(` value="%.3f"`, bar)
	}
	markup := fmt.Sprintf(`<div><progress%s max="1" aria-label="%s"></progress> %s</div>`,
		value, html.EscapeString(cmp.Or(label, "progress")), html.EscapeString(text))
	return &protocol.DisplayData{DisplayID: id,
		Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: markup, protocol.MIMETextPlain: text}}
}

// syncNotebook waits until GoNB has all messages, if it can be reached.
func syncNotebook() {
	if gonbui.Error() == nil {
		gonbui.Sync()
	}
}

// textLine returns an output that overwrites one line of a terminal; elsewhere it writes a line for each state.
func textLine(line *liveline.Line) output {
	return func(text string, _ float64, final bool) {
		if line.Live() && !final {
			line.Set(text)
			return
		}
		line.Set("")
		line.Linef("%s", text)
	}
}
