// Package liveline reports the progress of a program. On a terminal it rewrites one line in place. Elsewhere, as in a
// file or the log of a CI job, it writes finished lines only.
package liveline

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Line is the status line of a program. Its methods may be called from several goroutines. A failing writer is not an
// error, since reports are not results.
type Line struct {
	w        io.Writer
	terminal bool
	columns  func() int

	mu    sync.Mutex
	shown string // in the live line
	title string // of the current work, from Begin
	note  string // how far it is
	began time.Time
	beat  time.Time // time of the last report of the work without a terminal
}

// New returns the line of w, which is live if w is a terminal and TERM is not "dumb".
func New(w io.Writer) *Line {
	f, ok := w.(*os.File)
	if !ok || f == nil || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return Sized(w, false, 100)
	}
	return &Line{w: w, terminal: true, columns: func() int {
		columns, _, err := term.GetSize(int(f.Fd()))
		if err != nil || columns <= 0 {
			return 80
		}
		return max(columns, 21)
	}}
}

// Sized returns the line of w, treated as a terminal of so many columns or as no terminal.
func Sized(w io.Writer, terminal bool, columns int) *Line {
	return &Line{w: w, terminal: terminal, columns: func() int { return columns }}
}

// Live reports whether the line is rewritten in place.
func (l *Line) Live() bool { return l.terminal }

// Columns returns the number of characters per line.
func (l *Line) Columns() int { return l.columns() }

// Shown returns the text of the live line.
func (l *Line) Shown() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown
}

// Linef prints a finished line above the live one.
func (l *Line) Linef(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	live := l.shown
	l.set("")
	fmt.Fprintf(l.w, format+"\n", args...)
	l.set(live)
}

// Set shows text in the live line, cut to the terminal's width; "" clears it. It does nothing without a terminal.
func (l *Line) Set(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(text)
}

func (l *Line) set(text string) {
	text = Clip(text, l.columns()-1) // a wrapped line cannot be overwritten
	if !l.terminal || text == l.shown {
		return
	}
	pad := max(0, utf8.RuneCountInString(l.shown)-utf8.RuneCountInString(text))
	fmt.Fprint(l.w, "\r"+text+strings.Repeat(" ", pad))
	if text == "" {
		fmt.Fprint(l.w, "\r")
	}
	l.shown = text
}

// Begin announces a piece of work.
func (l *Line) Begin(title string) {
	l.mu.Lock()
	l.title, l.note, l.began = title, "", time.Now()
	l.beat = l.began
	l.mu.Unlock()
	if l.terminal {
		l.Set(title + " …")
	} else {
		l.Linef("%s …", title)
	}
}

// Note shows the progress of the current work in the live line.
func (l *Line) Note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note = text
	l.set(l.title + ": " + text)
}

// quiet is the time after which Beat reports, without a terminal, that the work continues.
const quiet = 30 * time.Second

// Beat reports that the work announced by Begin continues: on a terminal it shows the elapsed time; elsewhere it prints
// a line every half minute. The caller calls it about every second.
func (l *Line) Beat(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := Duration(now.Sub(l.began).Round(time.Second))
	switch note := l.note; {
	case l.terminal && note == "":
		l.set(l.title + ", " + taken + " …")
	case l.terminal:
		l.set(l.title + ", " + taken + ": " + note)
	case now.Sub(l.beat) >= quiet:
		l.beat = now
		if note == "" {
			note = "at work"
		}
		fmt.Fprintf(l.w, "    %s: %s\n", taken, note)
	}
}

// Beating calls Beat every second until the function that it returns is called.
func (l *Line) Beating() (stop func()) {
	ticker, done, ended := time.NewTicker(time.Second), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case now := <-ticker.C:
				l.Beat(now)
			case <-done:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		ticker.Stop()
		close(done)
		<-ended
	})
}

// End prints the outcome of the work announced by Begin in a finished line; with "" it only clears the live one.
func (l *Line) End(text string) {
	l.Set("")
	switch {
	case text == "":
	case l.terminal:
		l.Linef("%s: %s", l.title, text)
	default:
		l.Linef("    %s", text)
	}
}

// Clip cuts text to at most n characters and marks a cut with "…" as the last; line breaks and other control characters
// become spaces.
func Clip(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	if n < 1 {
		return ""
	}
	return string([]rune(text)[:n-1]) + "…"
}
