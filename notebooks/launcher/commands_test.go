package launcher

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

// An invalid command line is reported with its cause, and with the command's flags if there is a command.
func TestParseRefuses(t *testing.T) {
	for line, want := range map[string][]string{
		"nosuch":                 {`there is no command "nosuch"`, "Commands:"},
		"rnu quickstart":         {`there is no command "rnu" (did you mean "run"?)`, "Commands:"},
		"help claim":             {`there is no command "claim" (did you mean "claims"?)`},
		"run -stpes 3":           {"not defined: -stpes (did you mean -steps?)", "notebooks run [flags]"},
		"-chekc":                 {"not defined: -chekc (did you mean -check?)"},
		"help nosuch":            {`there is no command "nosuch"`, "Commands:"},
		"list extra":             {`list takes no argument, but got "extra"`, "go run ./notebooks list\n"},
		"clean -force":           {"not defined: -force", "notebooks clean\n"},
		"run -timeout soon":      {"unit, as in 90s, 20m or 1h30m", "-timeout"},
		"run -timeout 5":         {"it has no unit; write 5s for seconds, 5m for minutes", "notebooks run [flags]", "-timeout"},
		"run -timeout -5m":       {"it is negative; 0 means no limit", "-timeout"},
		"run -steps 0":           {"want a whole number from 1 on", "-steps"},
		"run -steps many":        {"want a whole number from 1 on", "-steps"},
		"run -set novalue":       {"want name=value", "-set"},
		"run -set =7":            {"want name=value", "-set"},
		"run -set a.b=1":         {`the name "a.b" may hold letters`, "-set"},
		"run -save=maybe":        {`"maybe" for -save: it is neither true nor false`, "-save"},
		"lab -port http":         {`"http" for flag -port: it is no whole number`, "-browser"},
		"lab quickstart":         {`lab takes no argument, but got "quickstart"`, "-browser"},
		"setup now":              {`setup takes no argument, but got "now"`, "-gpu"},
		"grid -workers two":      {`"two" for flag -workers: it is no whole number`, "-seeds"},
		"grid -nosuch":           {"not defined: -nosuch", "-seeds"},
		"claims -plan x":         {"not defined: -plan", "-plants"},
		"gpu-check now":          {`gpu-check takes no argument, but got "now"`, "-on"},
		"gpu-check -steps many":  {"it is no whole number", "-steps"},
		"theory-lab now":         {`theory-lab takes no argument, but got "now"`, "-build"},
		"theory-lab -port http":  {"it is no whole number", "-port"},
		"theory-lab -port 1 2 3": {`theory-lab takes no argument, but got "2"`, "-port"},
		"-nosuch":                {"run: flag provided but not defined: -nosuch", "notebooks run [flags]", "-timeout"},
	} {
		_, _, err := parse(strings.Fields(line))
		expect.That(t, errors.Is(err, errUsage), "%q: %v, want wrong usage", line, err)
		status, stdout, stderr := launchIn(t, t.TempDir(), strings.Fields(line)...)
		expect.That(t, status == exitUsage && stdout == "", "%q: status %d, %q", line, status, stdout)
		contains(t, stderr, want...)
	}
}

// A setting that no cell reads is rejected before anything runs; settings that packages read are accepted.
func TestSettingsThatNobodyReads(t *testing.T) {
	w := newWorkshop(t)
	cell := func(source string) string {
		return `{"nbformat": 4, "cells": [{"cell_type": "code", "source": ` + strconv.Quote(source) + `}]}`
	}
	w.file("notebooks/one.ipynb", cell("lab.Must(lab.Setting(\"seed\", 1)); lab.Setting[int](\"steps\", 500)"))
	w.file("notebooks/two.ipynb", cell("os.Getenv(\"PUCL_BATCH\")"))
	w.file("notebooks/none.ipynb", cell("fmt.Println(1)"))
	w.file("notebooks/prototype.ipynb", cell("lab.Show(lab.Prototype{Name: \"mine\"}.Values())"))
	w.file("notebooks/grid.ipynb", cell("small := lab.Must(lab.RunGrid(\"figure-1\", nil))"))
	w.file("notebooks/dash.ipynb", cell("lab.Setting(\"learning-rate\", 0.1)"))
	w.file("notebooks/any.ipynb", cell("for name := range names { lab.Setting(name, 1) }"))
	for _, tt := range []struct {
		set   string
		names []string
		want  string
	}{
		{"stepz=7", []string{"one"}, `no cell reads the setting "stepz"`},
		{"stepz=7", []string{"one", "two"}, `those that are read: batch, seed, steps`},
		{"steps=7", []string{"none"}, `"steps"; those that are read: none`},
		{"steps=7", []string{"one"}, ""},
		{"batch=7", []string{"one", "two"}, ""},
		{"onednn=off", []string{"none"}, ""},
		{"stepz=7", []string{"any"}, ""},
		{"stepz=7", []string{"one"}, `"stepz" (did you mean "steps"?); those`},
		{"size=laptop", []string{"grid"}, ""},
		{"size=laptpo", []string{"grid"}, `no size "laptpo" (did you mean "laptop"?); there are smoke, laptop, paper`},
		{"size=smoke", []string{"prototype"}, ""}, // read by the prototype itself
		{"steps=7", []string{"prototype"}, ""},
		{"seeds=5", []string{"prototype"}, ""},
		{"labels=7", []string{"prototype"}, `"labels"; those that are read: seeds, size, steps`},
		{"learning-rate=1", []string{"dash"}, ""},
	} {
		var list []*notebook
		for _, name := range tt.names {
			nb := expect.Must(findNotebook(w.place, name))(t)
			list = append(list, nb)
		}
		name, value, _ := strings.Cut(tt.set, "=")
		variable := expect.Must(variableName(name))(t)
		err := checkSettings([]string{variable + "=" + value}, list)
		expect.That(t, (err == nil) == (tt.want == "") &&
			(err == nil || strings.Contains(err.Error(), tt.want) && errors.Is(err, errUsage)),
			"%s for %v: got %v, want %q", tt.set, tt.names, err, tt.want)
	}
	status, _, stderr := launchIn(t, w.place.root, "run", "-set", "stepz=7", "one")
	expect.That(t, status == exitUsage, "status %d", status)
	contains(t, stderr, `"stepz"`, "notebooks run [flags]", "-set")
}

func TestParseHelps(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"-h"}, []string{"Commands:", "run", "    new ", "lab", "list", "claims", "report", "grid",
			"gpu-check", "theory-lab", "setup", "clean"}},
		{[]string{"help"}, []string{"Commands:"}},
		{[]string{"help", "run"}, []string{"run [flags] [NAME…]", "-save", "-timeout", "-steps", "-set", "-check",
			"compiled before the first one runs"}},
		{[]string{"help", "new"}, []string{"new NAME", "without outputs", "left alone"}},
		{[]string{"lab", "-h"}, []string{"lab [flags]", "-port", "-browser"}},
		{[]string{"help", "setup"}, []string{"-gpu", "-data"}},
		{[]string{"help", "grid"}, []string{"[TABLE…]", "-size", "-workers", "-only", "-seeds", "-list", "-again", "-failed", "-on", "-slurm", "-results", "-pack", "-from", "-export", "-o"}},
		{[]string{"help", "gpu-check"}, []string{"-on", "-only", "-steps", "-json", "-markdown", "-build"}},
		{[]string{"help", "theory-lab"}, []string{"-build", "-port", "-browser"}},
		{[]string{"list", "--help"}, []string{"notebooks list\n"}},
	} {
		do, help, err := parse(tt.args)
		expect.That(t, do == nil && err == nil, "%q: does something, or fails with %v", tt.args, err)
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
	expect.NoError(t, err)
	expect.Equal(t, rest, []string{"one", "two.ipynb"}, "names")
	expect.Equal(t, set, []string{"PUCL_LR=0.1", "PUCL_STEPS=3", "PUCL_BATCH_SIZE=64"}, "set")
	expect.That(t, *save && *timeout == 90*time.Second, "save %v, timeout %v", *save, *timeout)
	rest, err = parseMixed(flags, []string{"--", "-save"})
	expect.That(t, err == nil && slices.Equal(rest, []string{"-save"}), "after --: %q, %v", rest, err)
}

// launchIn starts the launcher as main does, in a folder.
func launchIn(t *testing.T, dir string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Chdir(dir)
	f := expect.Must(os.Create(filepath.Join(t.TempDir(), "stdout")))(t)
	defer f.Close()
	var errs bytes.Buffer
	status = launch(context.Background(), args, f, &errs)
	data := expect.Must(os.ReadFile(f.Name()))(t)
	return status, string(data), errs.String()
}

func TestExitStatus(t *testing.T) {
	w := newWorkshop(t)
	for _, tt := range []struct {
		dir, line   string
		status      int
		out, errors string
	}{
		{w.place.root, "help", exitOK, "Commands:", ""},
		{w.place.root, "run nosuch", 1, "", `no notebook "nosuch"`},
		{filepath.Dir(w.place.root), "list", 1, "", "not inside a checkout"},
	} {
		status, stdout, stderr := launchIn(t, tt.dir, strings.Fields(tt.line)...)
		expect.That(t, status == tt.status, "%s: status %d", tt.line, status)
		contains(t, stdout, tt.out)
		contains(t, stderr, tt.errors)
	}
}

func TestList(t *testing.T) {
	w := newWorkshop(t)
	w.file("notebooks/b.ipynb", notebookText("# Second\\n\\nAbout **b**. More."))
	w.file("notebooks/quickstart.ipynb", notebookText("# First\\n\\nAll of it, in [one page](x.md)."))
	expect.NoError(t, (timings{Notebook: "b", Started: time.Date(2026, 1, 2, 3, 4, 0, 0, time.Local), Seconds: 61.2, Result: "failed"}).write(w.place))
	expect.NoError(t, w.session().list())
	said := w.out.String()
	contains(t, said, "quickstart: First\n", "All of it, in one page.\n", "not run here yet", "b: Second\n    About b.\n", "2026-01-02 03:04, failed after 1 min 01 s")
	expect.That(t, strings.Index(said, "quickstart") <= strings.Index(said, "b: Second"),
		"the quickstart does not come first")
}

// notebookText returns a notebook with one markdown cell, and a code cell that prints.
func notebookText(markdown string) string {
	return `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
 {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "` + markdown + `"},
 {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": null, "outputs": [], "source": ["// Say hello.\n", "%%\n", "fmt.Println(1)"]},
 {"cell_type": "code", "id": "c", "metadata": {}, "execution_count": null, "outputs": [], "source": ""},
 {"cell_type": "code", "id": "d", "metadata": {}, "execution_count": null, "outputs": [], "source": "%%\nfmt.Println(2)"}]}`
}

// Only the verdicts go to standard output, even if the environment must be made first.
func TestClaims(t *testing.T) {
	w := newWorkshop(t)
	status, stdout, stderr := launchIn(t, w.place.root, "claims", "-json", "theorem-1", "lemma-2")
	expect.That(t, status == 0 && stdout == "id\tfails\t2\tIt does not.\n", "status %d, %q", status, stdout)
	contains(t, stderr, "building", "Python")
	contains(t, w.called(), "go run "+verdictsPackage+" -json=true theorem-1 lemma-2\n")

	t.Setenv("RUN_SAYS", "claims: the engine is away")
	status, stdout, stderr = launchIn(t, w.place.root, "claims", "theorem-1")
	expect.That(t, status == 1 && stdout == "" && strings.Contains(stderr, "the engine is away"),
		"status %d, %q, %q", status, stdout, stderr)
}

// An unknown name is rejected with the closest known one, before the environment is inspected or anything is compiled.
func TestMisspeltNames(t *testing.T) {
	w := newWorkshop(t)
	w.file("notebooks/figure-10.ipynb", `{"nbformat": 4, "cells": []}`)
	for line, want := range map[string]string{
		"claims theorem1":                  `claims: there is no claim "theorem1" (did you mean "theorem-1"?); there are theorem-1, `,
		"claims -plants lemma-2 pucl-mlc":  `"pucl-mlc" (did you mean "pucl-mcl"?)`,
		"grid tabel-1":                     `grid: there is no table "tabel-1" (did you mean "table-1"?); there are `,
		"grid -size lapto table-1":         `grid: there is no size "lapto" (did you mean "laptop"?); there are smoke, laptop, paper`,
		"grid -size smoke":                 "grid: which table? There are ",
		"report -size papr":                `report: there is no size "papr" (did you mean "paper"?)`,
		"run figure10":                     `There is no notebook "figure10" (did you mean "figure-10"?).`,
		"setup -data=cifar10":              `no data set "cifar10" (did you mean "cifar-10"?)`,
		"grid -size smoke -workres 2 geom": "not defined: -workres (did you mean -workers?)",
	} {
		status, stdout, stderr := launchIn(t, w.place.root, strings.Fields(line)...)
		expect.That(t, status != exitOK && stdout == "" && strings.Contains(stderr, want),
			"%s: status %d, %q, want %q in %q", line, status, stdout, want, stderr)
	}
	calls, err := os.ReadFile(w.calls)
	expect.That(t, err != nil || len(calls) == 0, "programs ran: %s", calls)
	expect.That(t, expect.Err(os.Stat(environmentLock(w.place))) != nil, "the environment was locked")
}
