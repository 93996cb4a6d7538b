package launcher

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"nosuch"}, {"help", "nosuch"}, {"list", "extra"}, {"clean", "-force"}, {"run", "-timeout", "soon"}, {"run", "-steps", "0"},
		{"run", "-steps", "many"}, {"run", "-set", "novalue"}, {"run", "-set", "a b=1"}, {"lab", "-port", "http"}, {"setup", "now"},
		{"gpu-check", "now"}, {"theory-lab", "now"}, {"theory-lab", "-port", "http"}, {"gpu-check", "-steps", "many"}, {"-nosuch"},
	} {
		if _, _, err := parse(args); !errors.Is(err, errUsage) {
			t.Errorf("%q: %v, want wrong usage", args, err)
		}
	}
}

func TestParseHelps(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"-h"}, []string{"Commands:", "run", "lab", "list", "claims", "report", "grid", "gpu-check", "theory-lab", "setup", "clean"}},
		{[]string{"help"}, []string{"Commands:"}},
		{[]string{"help", "run"}, []string{"run [flags] [NAME…]", "-save", "-timeout", "-steps", "-set"}},
		{[]string{"lab", "-h"}, []string{"lab [flags]", "-port", "-browser"}},
		{[]string{"help", "setup"}, []string{"-gpu", "-data"}},
		{[]string{"help", "grid"}, []string{"[TABLE…]", "-size", "-workers", "-only", "-seeds", "-list", "-again", "-failed", "-on", "-slurm", "-results"}},
		{[]string{"help", "gpu-check"}, []string{"-on", "-only", "-steps", "-json", "-markdown", "-build"}},
		{[]string{"help", "theory-lab"}, []string{"-build", "-port", "-browser"}},
		{[]string{"list", "--help"}, []string{"notebooks list\n"}},
	} {
		do, help, err := parse(tt.args)
		if do != nil || err != nil {
			t.Errorf("%q: does something, or fails with %v", tt.args, err)
		}
		contains(t, help, tt.want...)
	}
}

func TestRunFlags(t *testing.T) {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	var set []string
	settings(flags, &set)
	save := flags.Bool("save", false, "")
	timeout := flags.Duration("timeout", 0, "")
	rest, err := parseMixed(flags, strings.Fields("one -set lr=0.1 -steps 3 two.ipynb -save -set batch-size=64 -timeout 90s"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"one", "two.ipynb"}; !slices.Equal(rest, want) {
		t.Errorf("names %q, want %q", rest, want)
	}
	if want := []string{"PUCL_LR=0.1", "PUCL_STEPS=3", "PUCL_BATCH_SIZE=64"}; !slices.Equal(set, want) {
		t.Errorf("set %q, want %q", set, want)
	}
	if !*save || *timeout != 90*time.Second {
		t.Errorf("save %v, timeout %v", *save, *timeout)
	}
	if rest, err = parseMixed(flags, []string{"--", "-save"}); err != nil || !slices.Equal(rest, []string{"-save"}) {
		t.Errorf("after --: %q, %v", rest, err)
	}
}

// launchIn starts the launcher as main does, in a folder.
func launchIn(t *testing.T, dir string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Chdir(dir)
	f, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var errs bytes.Buffer
	status = launch(context.Background(), args, f, &errs)
	data, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return status, string(data), errs.String()
}

func TestExitStatus(t *testing.T) {
	w := newWorkshop(t)
	status, _, stderr := launchIn(t, w.place.root, "nosuch")
	if status != 2 {
		t.Errorf("an unknown command: status %d", status)
	}
	contains(t, stderr, `no command "nosuch"`, "Commands:")
	if status, stdout, _ := launchIn(t, w.place.root, "help"); status != 0 || !strings.Contains(stdout, "Commands:") {
		t.Errorf("help: status %d, %q", status, stdout)
	}
	status, _, stderr = launchIn(t, w.place.root, "run", "nosuch")
	if status != 1 {
		t.Errorf("an unknown notebook: status %d", status)
	}
	contains(t, stderr, `no notebook "nosuch"`)
	status, _, stderr = launchIn(t, filepath.Dir(w.place.root), "list")
	if status != 1 {
		t.Errorf("outside of a checkout: status %d", status)
	}
	contains(t, stderr, "not inside a checkout")
}

func TestList(t *testing.T) {
	w := newWorkshop(t)
	w.file("notebooks/b.ipynb", notebookText("# Second\\n\\nAbout **b**. More."))
	w.file("notebooks/quickstart.ipynb", notebookText("# First\\n\\nAll of it, in [one page](x.md)."))
	if err := (timings{Notebook: "b", Started: time.Date(2026, 1, 2, 3, 4, 0, 0, time.Local), Seconds: 61.2, Result: "failed"}).write(w.place); err != nil {
		t.Fatal(err)
	}
	if err := w.session().list(); err != nil {
		t.Fatal(err)
	}
	said := w.out.String()
	contains(t, said, "quickstart: First\n", "All of it, in one page.\n", "not run here yet", "b: Second\n    About b.\n", "2026-01-02 03:04, failed after 1 min 01 s")
	if strings.Index(said, "quickstart") > strings.Index(said, "b: Second") {
		t.Error("the quickstart does not come first")
	}
}

// notebookText returns a notebook with one markdown cell, and a code cell that prints.
func notebookText(markdown string) string {
	return `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
 {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "` + markdown + `"},
 {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": null, "outputs": [], "source": ["// Say hello.\n", "%%\n", "fmt.Println(1)"]},
 {"cell_type": "code", "id": "c", "metadata": {}, "execution_count": null, "outputs": [], "source": ""},
 {"cell_type": "code", "id": "d", "metadata": {}, "execution_count": null, "outputs": [], "source": "%%\nfmt.Println(2)"}]}`
}
