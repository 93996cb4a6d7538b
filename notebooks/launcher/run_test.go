package launcher

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/filelock"
	"github.com/puclab/puclab/internal/liveline"
)

// start runs a notebook with the fake Python, which sends events.
func (w *workshop) start(ctx context.Context, events string, o runOptions) (said string, err error) {
	w.t.Helper()
	w.t.Setenv("EVENTS", strings.ReplaceAll(events, "\n", `\n`))
	nb := expect.Must(readNotebook(w.file("notebooks/a.ipynb", notebookText("# Title\\n\\nGoal."))))(w.t)
	w.out.Reset()
	s := w.session()
	s.stamp.Compiler.Works = true
	err = s.runNotebook(ctx, nb, o)
	return w.out.String(), err
}

func TestRun(t *testing.T) {
	w := newRun(t)
	headline := w.file("notebooks/out/a/headline.txt", "old table\n")
	said := expect.Must(w.start(context.Background(), `{"event":"kernel","pid":0}
{"event":"start","cell":1}
{"event":"finish","cell":1,"seconds":1.5}
{"event":"start","cell":3}
{"event":"finish","cell":3,"seconds":2}
{"event":"done"}
`, runOptions{set: []string{"PUCL_STEPS=3"}, timeout: 90 * time.Second}))(t)
	contains(t, said, "Running notebooks/a.ipynb (Title), 2 cells.", "[1/2] Say hello", "1.5 s", "[2/2] Title", "Ok after", "notebooks/out/a.ipynb", "notebooks/out/a.html")
	expect.That(t, !strings.Contains(said, "old table"), "printed the table of an earlier run")
	tm, ok := expect.Must2(readTimings(w.place, "a"))(t)
	expect.That(t, ok && tm.Result == "ok" && len(tm.Cells) == 2 &&
		tm.Cells[0] == (cellTiming{1, "Say hello", 1.5, false}), "timings %+v, %v", tm, ok)
	contains(t, w.called(), "PUCL_STEPS=3\n", "--timeout 90", "--kernel gonb", "--events 3", "--cwd "+w.place.notebooks())

	// The next run writes a table.
	before := expect.Must(headlineTime(w.place, "a"))(t)
	expect.NoError(t, os.WriteFile(headline, []byte("new table\n"), 0o644))
	expect.NoError(t, os.Chtimes(headline, time.Time{}, before.Add(time.Second)))
	expect.Equal(t, expect.Must(newHeadline(w.place, "a", before))(t), "new table\n", "headline")
	expect.Equal(t, expect.Must(newHeadline(w.place, "none", time.Time{}))(t), "", "headline of a notebook without one")
}

func TestRunFailures(t *testing.T) {
	const begin = `{"event":"start","cell":1}` + "\n"
	for _, tt := range []struct {
		name, events, script string
		want                 []string
		result               string
	}{
		{"cell", begin + `{"event":"error","cell":1,"seconds":0.5,"text":"panic: boom\\nmain.go:3"}` + "\n" + `{"event":"done"}` + "\n", "",
			[]string{"Cell 1 of a (Say hello) failed", "panic: boom", "    main.go:3"}, "failed"},
		{"memory", begin + `{"event":"error","cell":1,"text":"signal: killed"}` + "\n" + `{"event":"done"}` + "\n", "", []string{"memory ran out"}, "failed"},
		{"import", begin + `{"event":"error","cell":1,"text":"no required module provides package x"}` + "\n" + `{"event":"done"}` + "\n", "",
			[]string{"dependencies in go.mod"}, "failed"},
		{"no kernel", `{"event":"fatal","text":"the Go kernel did not start: x"}` + "\n" + `{"event":"done"}` + "\n", "",
			[]string{"did not start", "notebooks/out/a.log"}, "failed"},
		{"script breaks", begin, "ModuleNotFoundError: No module named nbclient", []string{"Running the notebook failed", "No module named nbclient"}, ""},
		{"nonsense", "nonsense\n", "", []string{"run_notebook.py sent"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newRun(t)
			t.Setenv("SCRIPT_SAYS", tt.script)
			_, err := w.start(context.Background(), tt.events, runOptions{save: true})
			expect.Require(t, err != nil, "went unnoticed")
			contains(t, err.Error(), tt.want...)
			tm, ok := expect.Must2(readTimings(w.place, "a"))(t)
			expect.That(t, ok == (tt.result != "") && tm.Result == tt.result, "timings %+v, %v", tm, ok)
		})
	}
}

func TestLongFailureIsCut(t *testing.T) {
	err := cellFailure(place{"/r"}, renderNotebook, renderNotebook.cells[1], strings.Repeat("line\n", 100)+"last", "/r/log")
	lines := strings.Count(err.Error(), "\n")
	expect.That(t, lines <= maxFailure+10, "%d lines", lines)
	contains(t, err.Error(), "61 lines more", "last")
}

func TestRunInterrupted(t *testing.T) {
	w := newRun(t)
	t.Setenv("WAIT", "1")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	time.AfterFunc(300*time.Millisecond, cancel)
	said, err := w.start(ctx, `{"event":"start","cell":1}`+"\n", runOptions{set: []string{"PUCL_STEPS=7", "PUCL_NOTE=it's new"}})
	expect.That(t, errors.Is(err, errInterrupted), "ended with %v", err)
	contains(t, said, "Stopping the kernel", "interrupted", "Interrupted after", "are kept in notebooks/out",
		`go run ./notebooks run -set steps=7 -set note='it'\''s new' a`)
	tm, _ := expect.Must2(readTimings(w.place, "a"))(t)
	expect.That(t, tm.Result == "interrupted", "timings %+v", tm)
}

func TestSameNotebookTwice(t *testing.T) {
	w := newRun(t)
	l := expect.Must(lock(filepath.Join(w.place.out(), ".a.lock"), false))(t)
	defer l.Close()
	expect.Is(t, expect.Err(w.start(context.Background(), "", runOptions{})), filelock.ErrBusy)
}

func TestSave(t *testing.T) {
	w := newRun(t)
	w.file("notebooks/out/a.ipynb", `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "id": "x", "metadata": {}, "execution_count": 1,
 "source": [], "outputs": [{"output_type": "stream", "name": "stdout", "text": ["`+w.place.root+`/notebooks/out\n"]}]}]}`)
	said := expect.Must(w.start(context.Background(), `{"event":"done"}`+"\n", runOptions{save: true}))(t)
	contains(t, said, "Saved into notebooks/a.ipynb")
	saved := expect.Must(os.ReadFile(filepath.Join(w.place.notebooks(), "a.ipynb")))(t)
	contains(t, string(saved), `"notebooks/out\n"`, `"name": "gonb"`)
}

func TestJupyterKeepsInsideTheEnvironment(t *testing.T) {
	t.Setenv("JUPYTER_CONFIG_PATH", "/etc/mine")
	env := "\n" + strings.Join(jupyterEnv(place{"/lab"}, "/data"), "\n") + "\n"
	for _, name := range []string{"JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR",
		"JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR"} {
		expect.Equal(t, strings.Count(env, "\n"+name+"="), 1, name)
		contains(t, env, "\n"+name+"=/lab/notebooks/.venv/")
	}
	contains(t, env, "\nJUPYTER_PATH=/data\n")
	expect.Equal(t, strings.Count(env, "\nJUPYTER_CONFIG_PATH="), 0, "JUPYTER_CONFIG_PATH")
}

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
	expect.That(t, out.String() == want, "got:\n%swant:\n%s", out, want)
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
	expect.That(t, r.console.Shown() == "" && strings.Count(out.String(), "\n") == 1,
		"live %q, output %q", r.console.Shown(), out)
	r.handle(event{Event: eventWriting, Text: "a.html"})
	contains(t, r.console.Shown(), "writing a.html")
	r.handle(event{Event: eventDone})
	r.tick()
	expect.That(t, r.console.Shown() == "", "live %q after the end", r.console.Shown())
}

func TestProgressBarsReturn(t *testing.T) {
	r, _, _ := newTestRenderer(true)
	r.handle(event{Event: eventStart, Cell: 1})
	for _, tt := range []struct{ text, want string }{
		{"1 of 3", "1 of 3"}, {"\r2 of 3", "2 of 3"}, {"\r3 of 3\r", "3 of 3"}, {"4 of 3", "4 of 3"}, {"\rdone\n", "done"}, {"\n\n", "done"}, {"a\nb\n", "b"},
	} {
		r.handle(event{Event: eventStream, Text: tt.text})
		expect.That(t, r.last == tt.want, "after %q: %q, want %q", tt.text, r.last, tt.want)
	}
}

func TestForPeople(t *testing.T) {
	expect.Each(t, seconds, map[time.Duration]string{0: "0.0 s", 12340 * time.Millisecond: "12.3 s",
		185 * time.Second: "3 min 05 s", time.Hour: "60 min 00 s"})
	expect.Each(t, bytesOf, map[int64]string{0: "0 B", 999: "999 B", 1500: "2 kB", 547e6: "547 MB", 1.4e9: "1.4 GB"})
}
