package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// progress tells on a terminal, in one line that is rewritten, what is at work; elsewhere a line when a check begins and one
// when it ends.
type progress struct {
	w        io.Writer
	terminal bool
	title    string
	shown    int // characters of the line as it stands
	last     time.Time
}

func newProgress(f *os.File) *progress {
	info, err := f.Stat()
	return &progress{w: f, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"}
}

// say prints a line of its own.
func (p *progress) say(format string, args ...any) {
	p.show("")
	fmt.Fprintf(p.w, format+"\n", args...)
}

// begin says that a check begins.
func (p *progress) begin(title string) {
	p.title = title
	if p.last = (time.Time{}); p.terminal {
		p.show(title + " …")
	} else {
		fmt.Fprintln(p.w, title+" …")
	}
}

// tell says how far the check is, ten times a second at most.
func (p *progress) tell(text string) {
	if p.terminal && time.Since(p.last) > 100*time.Millisecond {
		p.last = time.Now()
		p.show(p.title + ": " + text)
	}
}

// end says how the check ended; nothing where text is "".
func (p *progress) end(text string) {
	p.show("")
	if text == "" {
		return
	}
	if p.terminal {
		text = p.title + ": " + text
	} else {
		text = "    " + text
	}
	fmt.Fprintln(p.w, text)
}

// lineWidth is how much of a line is used; terminals are rarely narrower.
const lineWidth = 79

func (p *progress) show(text string) {
	if !p.terminal {
		return
	}
	if runes := []rune(text); len(runes) > lineWidth {
		text = string(runes[:lineWidth-1]) + "…"
	}
	n := utf8.RuneCountInString(text)
	fmt.Fprint(p.w, "\r"+text+strings.Repeat(" ", max(p.shown-n, 0)))
	if n == 0 {
		fmt.Fprint(p.w, "\r")
	}
	p.shown = n
}
