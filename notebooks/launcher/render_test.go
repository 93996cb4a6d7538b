package launcher

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/liveline"
)

// renderNotebook has a text cell, then code cells 1 and 2.
var renderNotebook = &notebook{name: "a", cells: []cell{{},
	{title: "Open the engine", number: 1}, {title: strings.Repeat("long ", 30), number: 2}}}

type clock struct{ now time.Time }

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

func newTestRenderer(tty bool) (*renderer, *bytes.Buffer, *clock) {
	var out bytes.Buffer
	c := &clock{time.Unix(1e9, 0)}
	r := newRenderer(liveline.Sized(&out, tty, 72), renderNotebook)
	r.now = func() time.Time { return c.now }
	return r, &out, c
}

func TestRenderInALog(t *testing.T) {
	r, out, c := newTestRenderer(false)
	r.handle(event{Event: eventStart, Cell: 1})
	r.handle(event{Event: eventStream, Cell: 1, Text: "quick\n"})
	r.handle(event{Event: eventFinish, Cell: 1, Seconds: 0.72})
	r.handle(event{Event: eventStart, Cell: 2})
	for i := range 25 { // a second each
		c.pass(time.Second)
		r.handle(event{Event: eventStream, Cell: 2, Text: "\repoch " + string(rune('a'+i))})
		r.tick()
	}
	r.handle(event{Event: eventError, Cell: 2, Seconds: 25})
	want := "[1/2] Open the engine                    0.7 s\n" +
		"[2/2] long long long long long long l…  10.0 s … epoch j\n" +
		"[2/2] long long long long long long l…  20.0 s … epoch t\n" +
		"[2/2] long long long long long long l…  failed after 25.0 s\n"
	if out.String() != want {
		t.Errorf("got:\n%swant:\n%s", out, want)
	}
}

func TestRenderOnATerminal(t *testing.T) {
	r, out, c := newTestRenderer(true)
	r.handle(event{Event: eventStart, Cell: 1})
	c.pass(1500 * time.Millisecond)
	r.handle(event{Event: eventStream, Cell: 1, Text: "step 1\nstep 2"})
	contains(t, r.console.Shown(), "[1/2] Open the engine", "1.5 s  step 2")
	r.handle(event{Event: eventStream, Cell: 1, Text: "1\n\n"})
	contains(t, r.console.Shown(), "step 21")
	r.handle(event{Event: eventStream, Cell: 1, Text: "10%\r20%\r"})
	r.handle(event{Event: eventDisplay, Cell: 1, Text: "loss 4.32"})
	contains(t, r.console.Shown(), "loss 4.32")
	r.handle(event{Event: eventFinish, Cell: 1, Seconds: 2})
	if r.console.Shown() != "" || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("live %q, output %q", r.console.Shown(), out)
	}
	r.handle(event{Event: eventWriting, Text: "a.html"})
	contains(t, r.console.Shown(), "writing a.html")
	r.handle(event{Event: eventDone})
	r.tick()
	if r.console.Shown() != "" {
		t.Errorf("live %q after the end", r.console.Shown())
	}
}

func TestProgressBarsReturn(t *testing.T) {
	r, _, _ := newTestRenderer(true)
	r.handle(event{Event: eventStart, Cell: 1})
	for _, tt := range []struct{ text, want string }{
		{"1 of 3", "1 of 3"}, {"\r2 of 3", "2 of 3"}, {"\r3 of 3\r", "3 of 3"}, {"4 of 3", "4 of 3"}, {"\rdone\n", "done"}, {"\n\n", "done"}, {"a\nb\n", "b"},
	} {
		if r.handle(event{Event: eventStream, Text: tt.text}); r.last != tt.want {
			t.Errorf("after %q: %q, want %q", tt.text, r.last, tt.want)
		}
	}
}

func TestForPeople(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0.0 s", 12340 * time.Millisecond: "12.3 s", 185 * time.Second: "3 min 05 s", time.Hour: "60 min 00 s"} {
		if got := seconds(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1500: "2 kB", 547e6: "547 MB", 1.4e9: "1.4 GB"} {
		if got := bytesOf(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
