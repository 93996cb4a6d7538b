package liveline

import (
	"bytes"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

func TestSet(t *testing.T) {
	var out bytes.Buffer
	l := Sized(&out, true, 11)
	l.Set("0123456789abcdef")
	l.Set("xy")
	l.Linef("done")
	l.Set("")
	want := "\r012345678…" + "\rxy        " + "\r  \r" + "done\n" + "\rxy" + "\r  \r"
	expect.That(t, out.String() == want, "got %q, want %q", out.String(), want)
	out.Reset()
	plain := New(&out)
	plain.Set("hidden")
	plain.Linef("shown %d", 1)
	expect.That(t, out.String() == "shown 1\n" && !plain.Live(), "without a terminal: %q", out.String())
}

func TestWork(t *testing.T) {
	for terminal, want := range map[bool]string{
		true:  "\r[1/2] one …" + "\r[1/2] one: half" + "\r               \r" + "[1/2] one: done\n" + "\rtwo …" + "\r     \r",
		false: "[1/2] one …\n    done\ntwo …\n",
	} {
		var out bytes.Buffer
		l := Sized(&out, terminal, 40)
		l.Begin("[1/2] one")
		l.Note("half")
		l.End("done")
		l.Begin("two")
		l.End("")
		expect.That(t, out.String() == want, "terminal %v: got %q, want %q", terminal, out.String(), want)
	}
}

// Work without output for a long time is reported as still running.
func TestBeat(t *testing.T) {
	for terminal, want := range map[bool]string{
		true:  "\rone …" + "\rone, 1.0 s …" + "\rone: half   " + "\rone, 45 s: half" + "\rone, 50 s: half" + "\r               \r",
		false: "one …\n" + "    45 s: half\n" + "    1 min 15 s: half\n",
	} {
		var out bytes.Buffer
		l := Sized(&out, terminal, 40)
		l.Begin("one")
		at := func(s float64) time.Time { return l.began.Add(time.Duration(s * float64(time.Second))) }
		l.Beat(at(1))
		l.Note("half")
		l.Beat(at(45))
		l.Beat(at(50))
		if !terminal {
			l.Beat(at(75))
		}
		l.End("")
		expect.That(t, out.String() == want, "terminal %v: got %q, want %q", terminal, out.String(), want)
	}
}

// Beating ends when stop is called, and nothing is shown after that.
func TestBeating(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Sized(new(bytes.Buffer), true, 40)
		l.Begin("one")
		stop := l.Beating()
		time.Sleep(1100 * time.Millisecond)
		stop()
		stop()
		expect.Equal(t, l.Shown(), "one, 1.0 s …")
		l.Set("")
		time.Sleep(1100 * time.Millisecond)
		expect.Equal(t, l.Shown(), "")
	})
}

// Neither a file nor a device such as /dev/null is a terminal.
func TestNoTerminal(t *testing.T) {
	null := expect.Must(os.OpenFile(os.DevNull, os.O_WRONLY, 0))(t)
	defer null.Close()
	expect.That(t, !New(null).Live() && !New((*os.File)(nil)).Live(), "rewritten in place where nobody sees it")
}

func TestClip(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{{"a\nb\tc", 9, "a b c"}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöüß", 3, "äö…"}, {"abc", 0, ""}, {"", 0, ""}} {
		expect.Equal(t, Clip(tt.text, tt.n), tt.want, "%q in %d", tt.text, tt.n)
	}
}

func TestDuration(t *testing.T) {
	expect.Each(t, Duration, map[time.Duration]string{
		0: "0.0 s", 1500 * time.Millisecond: "1.5 s", 42 * time.Second: "42 s", 59700 * time.Millisecond: "1 min 0 s",
		130 * time.Second: "2 min 10 s", 3599600 * time.Millisecond: "1 h 0 min", 25*time.Hour + 61*time.Second: "25 h 1 min",
	})
}
