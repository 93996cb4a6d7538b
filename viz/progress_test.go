package viz

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/liveline"
)

// clocked returns a progress whose clock is advanced by the test.
func clocked(p *Progress) (tick func(time.Duration)) {
	now := time.Unix(1_000_000, 0)
	p.now = func() time.Time { return now }
	return func(d time.Duration) { now = now.Add(d) }
}

func TestProgressLines(t *testing.T) {
	var b bytes.Buffer
	p := NewProgress(&b, "PUCL", 400)
	p.ViewsPerStep = 512
	tick := clocked(p)
	for i := 1; i <= 101; i++ { // 10 steps a second
		p.Update(i, "loss 5.1")
		tick(100 * time.Millisecond)
	}
	p.Done("loss 4.9")
	p.Update(400, "too late")
	p.Done("again")
	want := `PUCL: step 1 of 400 (0 %), loss 5.1
PUCL: step 51 of 400 (13 %), loss 5.1, 5,120 views/s, 35 s left
PUCL: step 101 of 400 (25 %), loss 5.1, 5,120 views/s, 30 s left
PUCL: 101 of 400 steps in 10 s, 5,069 views/s, loss 4.9
`
	expect.That(t, b.String() == want, "got\n%swant\n%s", b.String(), want)
}

// TestProgressLives checks that without reports the line repeats that the run continues, until it is done.
func TestProgressLives(t *testing.T) {
	var b bytes.Buffer
	p := NewProgress(&b, "PUCL", 400)
	p.pause = time.Millisecond
	p.Say("preparing the first step")
	said := func() string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return b.String()
	}
	for start := time.Now(); strings.Count(said(), "PUCL: preparing the first step, still running after ") < 2; time.Sleep(time.Millisecond) {
		expect.Require(t, time.Since(start) <= 20*time.Second, "it does not say that it lives: %q", said())
	}
	p.Done("")
	before := said()
	time.Sleep(3 * p.silence())
	after := said()
	expect.That(t, after == before, "after its end it says %q", after[len(before):])
}

// TestProgressSpeed checks that a slow first step, as with compilation, no longer counts after the window.
func TestProgressSpeed(t *testing.T) {
	var b bytes.Buffer
	p := NewProgress(&b, "", 0)
	p.Unit = "batch"
	p.pause = time.Second
	tick := clocked(p)
	p.Update(0, "")
	tick(60 * time.Second)
	for i := 1; i <= 60; i++ {
		p.Update(i, "")
		tick(time.Second)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	expect.Equal(t, lines[1], "batch 1, 1 min 0 s/batch", "after the first step")
	expect.Equal(t, lines[len(lines)-1], "batch 60, 1.0 batches/s", "at the end")
}

func TestProgressTerminal(t *testing.T) {
	var b bytes.Buffer
	p := NewProgress(&b, "", 3)
	p.out, p.pause = textLine(liveline.Sized(&b, true, 80)), 500*time.Millisecond
	tick := clocked(p)
	p.Update(1, strings.Repeat("long ", 30))
	tick(time.Second)
	p.Update(2, "")
	tick(100 * time.Millisecond)
	p.Update(2, "not shown, too early")
	p.Update(3, "shown, the last step")
	p.Done("")
	lines := strings.Split(b.String(), "\r")
	expect.Require(t, len(lines) == 6 && lines[0] == "", "%q", lines)
	expect.Equal(t, len([]rune(lines[1])), 79, "letters of a long line")
	expect.That(t, len(lines[2]) == 79 &&
		strings.TrimRight(lines[2], " ") == "step 2 of 3 (67 %), 1.0 steps/s, 1.0 s left",
		"the next line does not cover it: %q", lines[2])
	expect.That(t, strings.HasPrefix(lines[3], "step 3 of 3 (100 %)") && strings.TrimSpace(lines[4]) == "" &&
		lines[5] == "3 steps in 1.1 s, 1.8 steps/s\n", "the last lines: %q", lines[3:])
}

// TestProgressNotebook checks that all messages of a progress have one id, which no other progress has.
func TestProgressNotebook(t *testing.T) {
	var sent []*protocol.DisplayData
	synced := 0
	start := func(label string, id string) (*Progress, func(time.Duration)) {
		p := NewProgress(&bytes.Buffer{}, label, 10)
		p.pause = 500 * time.Millisecond
		p.out = notebookLine(id, label, func(d *protocol.DisplayData) { sent = append(sent, d) }, func() { synced++ })
		return p, clocked(p)
	}
	p, tick := start(`<b>"PUCL"`, "one")
	for i := range 11 {
		p.Update(i, "")
		tick(100 * time.Millisecond)
	}
	p.Done("a < b")
	expect.Require(t, len(sent) == 4 && synced == 1,
		"%d messages, %d synchronized", len(sent), synced) // at 0, 0.5 and 1.0 s, and at the end
	for i, d := range sent {
		expect.That(t, d.DisplayID == "one", "message %d has the id %q", i, d.DisplayID)
	}
	last := sent[3].Data
	got := last[protocol.MIMETextPlain]
	expect.That(t, got == `<b>"PUCL": 10 steps in 1.1 s, 9.1 steps/s, a < b`, "plain text %q", got)
	want := `<div><progress value="1.000" max="1" aria-label="&lt;b&gt;&#34;PUCL&#34;"></progress> &lt;b&gt;&#34;PUCL&#34;: 10 steps in 1.1 s, 9.1 steps/s, a &lt; b</div>`
	if got := last[protocol.MIMETextHTML]; got != want {
		t.Errorf("HTML %q, want %q", got, want)
	}
	if got := progressData("x", "", "step 3", -1).Data[protocol.MIMETextHTML].(string); strings.Contains(got, "value") {
		t.Errorf("a bar of unknown length has a value: %s", got)
	}
	unknown, bars := NewProgress(&bytes.Buffer{}, "", 0), []float64{}
	unknown.out = func(_ string, bar float64, _ bool) { bars = append(bars, bar) }
	unknown.Update(3)
	unknown.Done("")
	expect.That(t, slices.Equal(bars, []float64{-1, 1}),
		"bars of a run of unknown length: %g, want one that moves and a full one at the end", bars)
}

// TestProgressPauses checks that pauses do not lower the speed but do delay the estimated end.
func TestProgressPauses(t *testing.T) {
	var b bytes.Buffer
	p := NewProgress(&b, "PUCL", 8)
	p.ExamplesPerStep, p.ViewsPerStep, p.Example, p.pause = 256, 512, "row", time.Second
	tick := clocked(p)
	p.Say("compiling")
	p.Update(0)
	for i := 1; i <= 4; i++ { // a step a second, and a pause of three seconds after every second one
		tick(time.Second)
		if i%2 == 0 {
			tick(3 * time.Second)
			p.Pause(3 * time.Second)
		}
		p.Update(i, "loss 5", "rate 0.1", "")
	}
	p.Done("stopped")
	want := `PUCL: compiling
PUCL: step 0 of 8 (0 %)
PUCL: step 1 of 8 (12 %), loss 5, 256 rows/s × 2 views, 7.0 s left, rate 0.1
PUCL: step 2 of 8 (25 %), loss 5, 256 rows/s × 2 views, 15 s left, rate 0.1
PUCL: step 3 of 8 (38 %), loss 5, 256 rows/s × 2 views, 10 s left, rate 0.1
PUCL: step 4 of 8 (50 %), loss 5, 256 rows/s × 2 views, 10 s left, rate 0.1
PUCL: 4 of 8 steps in 10 s, 256 rows/s × 2 views, stopped
`
	expect.That(t, b.String() == want, "got\n%swant\n%s", b.String(), want)
	for views, want := range map[int]string{0: "256 rows/s", 256: "256 rows/s", 512: "256 rows/s × 2 views", 2560: "256 rows/s × 10 views"} {
		if p.ViewsPerStep = views; p.speed(1) != want {
			t.Errorf("%d views of 256 rows a step: %q, want %q", views, p.speed(1), want)
		}
	}
}

func TestProgressNil(t *testing.T) {
	var p *Progress
	p.Say("")
	p.Pause(1)
	p.Update(1, "")
	p.Done("")
}
