package launcher

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/naming"
)

// quickstart is the notebook that runs by default.
const quickstart = "quickstart"

// command is one of the launcher's sub-commands. prepare defines its flags and returns the function that does the work.
type command struct {
	name    string
	args    string // the arguments in the help, after the flags
	short   string // one line
	long    string
	prepare func(*flag.FlagSet) work
}

// work is the function of a command with parsed flags; it receives the arguments.
type work func(context.Context, *session, []string) error

// commands returns the commands in the order of the help. It is a function because help lists them all.
func commands() []command {
	return []command{
		{"run", "[NAME…]", "run notebooks without a browser (the quickstart when none is named)",
			"Prepares what is missing, then runs the notebooks cell by cell. Each leaves in notebooks/out the executed notebook,\n" +
				"a page of it (NAME.html), the seconds of each cell (NAME.timings.json) and its table of results. A cell that fails\n" +
				"ends the run, and the exit status is 1; what was done so far is kept. All cells are compiled before the first one runs.", runCommand},
		{"new", "NAME", "make a notebook for a debiasing term of your own",
			"Writes notebooks/NAME.ipynb, a walkthrough of a term of your own from its formula to a table of accuracies: prototype.ipynb\n" +
				"without outputs, and without what is true of its own term alone: title, idea and exercises are for you to write. Change the term\n" +
				"in its second cell of code, and run it. A file that is there is left alone.", newCommand},
		{"lab", "", "open JupyterLab on this machine",
			"Prepares what is missing, then starts JupyterLab for this machine only and prints its address, which holds a secret\n" +
				"token. Links in the notebooks open the theory lab beside it, at port 8870. Ctrl-C stops both.", labCommand},
		{"list", "", "show the notebooks, what they are about and when they ran last", "Shows the notebooks of this folder.",
			plain((*session).list)},
		{"claims", "[ID…]", "check the claims of the papers and print their verdicts",
			"Checks what the papers claim, all or the named claims, and prints a line for each: its ID, the verdict, a number and one\n" +
				"sentence, with tabs between them. The verdict is holds, conditional, fails or undecided; everything is computed anew.\n" +
				"What is at work is told on the standard error.", claimsCommand},
		{"report", "", "gather what the papers claim, of theory and experiments, with the verdicts",
			"Checks the theory anew, decides what tables and figures claim by the committed runs, and prints a line for each claim with\n" +
				"its verdict, and with the effect or the number that shows it best. The same stands, with sources and reasons, in the page\n" +
				"notebooks/out/report.html. What is at work is told on the standard error.", reportCommand},
		{"grid", "[TABLE…]", "do the runs that the tables of the papers stand on, or show how they stand",
			"Does the missing runs of the tables, as many at a time as there are processors, and keeps what came of each in\n" +
				"notebooks/results, from where the notebooks draw. Of size smoke, the default, a table takes minutes and only shows that\n" +
				"everything runs; laptop are the committed results, in hours on two cores; paper wants a GPU. Stopped or killed at any\n" +
				"moment, it goes on from there when started again. Without a table it names those that there are. Nothing is written\n" +
				"over unasked: -again does stale results anew, -failed failed ones. When the runs end, their results are packed into a\n" +
				"file for each setting; -pack alone packs those that a killed grid left loose in notebooks/out/results. -export writes\n" +
				"every point of every run as a table or as JSON.", gridCommand},
		{"gpu-check", "", "check a GPU, or with -on cpu the CPU: numbers, speed, training, tests",
			"Checks that everything works on this machine's GPU, and how fast: one step against the pure-Go engine, the time and\n" +
				"memory of training steps in float32 and bfloat16, short trainings on FMNIST-I and CIFAR-I, and the tests of every\n" +
				"package that uses the engine. It prints a table with PASS, FAIL or \"not run\" for each; the exit status is 1 when\n" +
				"something failed. Where no GPU answers it says so; -on cpu checks the CPU instead, in some ten minutes. Ctrl-C prints\n" +
				"what was done so far. For a machine without Go see -build and \"go doc ./notebooks/gpucheck\".", gpuCheckCommand},
		{"theory-lab", "", "open a page on which the dials of the theorems are turned",
			"Builds a page on which points, priors, batch sizes, temperature and the loss are moved by hand, and bias, variance,\n" +
				"gradients and seeding are answered at once, exactly, by the library itself, compiled to WebAssembly. It lies in\n" +
				"notebooks/out/theory-lab, needs no network, and works from any file server; this command serves it for this machine only.\n" +
				"Ctrl-C stops it. Go is all that it takes.", theoryLabCommand},
		{"setup", "", "only prepare what is missing",
			"Makes notebooks/.venv with JupyterLab, the Go kernel and XLA for the CPU where it exists, all at pinned versions. Run\n" +
				"again it does nothing, or only what has changed.", setupCommand},
		{"clean", "", "remove the environment and all results",
			"Removes notebooks/.venv and notebooks/out, without asking. Caches of Go and pip and downloaded data sets stay.",
			plain((*session).clean)},
		{"help", "[COMMAND]", "explain a command", "Explains a command, or lists them all.", nil},
	}
}

// plain returns the preparation of a command without flags and arguments.
func plain(do func(*session) error) func(*flag.FlagSet) work {
	return func(*flag.FlagSet) work {
		return func(_ context.Context, s *session, _ []string) error { return do(s) }
	}
}

// usage returns the list of commands.
func usage() string {
	text := "Sets up, runs and opens the notebooks.\n\n" +
		"    go run ./notebooks            prepare what is missing, then run the quickstart\n" +
		"    go run ./notebooks COMMAND    with flags, as in: run -steps 3000 quickstart\n\nCommands:\n"
	for _, c := range commands() {
		text += fmt.Sprintf("    %-11s%s\n", c.name, c.short)
	}
	return text + "\n\"go run ./notebooks help COMMAND\" explains one with its flags.\n"
}

// explain returns the help of one command.
func explain(c command) string {
	line, flags := synopsis(c)
	return fmt.Sprintf("%s\n\n%s\n%s", line, c.long, flags)
}

// synopsis returns the usage line of a command, and its flags, "" for none.
func synopsis(c command) (line, flags string) {
	set := newFlags(c)
	if c.prepare != nil {
		c.prepare(set)
	}
	var defaults strings.Builder
	set.SetOutput(&defaults)
	set.PrintDefaults()
	line = "go run ./notebooks " + c.name
	if defaults.Len() > 0 {
		line, flags = line+" [flags]", "\nFlags:\n"+defaults.String()
	}
	return strings.TrimSpace(line + " " + c.args), flags
}

func newFlags(c command) *flag.FlagSet {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	return flags
}

// parse parses the command line. help is the text to show instead of doing anything, "" if there is work to do.
func parse(args []string) (do func(context.Context, *session) error, help string, err error) {
	// Flags without a command are for the quickstart.
	if len(args) == 0 || strings.HasPrefix(args[0], "-") && !isHelp(args[0]) {
		args = append([]string{"run"}, args...)
	}
	name, asked := args[0], false
	if name == "help" && len(args) > 1 {
		name, asked = args[1], true
	}
	if isHelp(name) || name == "help" && !asked {
		return nil, usage(), nil
	}
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		return nil, "", usagef("there is no command %q%s", name, naming.DidYouMean(name, commandNames()))
	}
	c := all[i]
	if asked {
		return nil, explain(c), nil
	}
	flags := newFlags(c)
	run := c.prepare(flags)
	rest, err := parseMixed(flags, args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil, explain(c), nil
	case err != nil:
		return nil, "", ofCommand(c, usagef("%s: %s", c.name, plainFlagError(err, flags)))
	case c.args == "" && len(rest) > 0:
		return nil, "", ofCommand(c, usagef("%s takes no argument, but got %q", c.name, rest[0]))
	}
	return func(ctx context.Context, s *session) error { return ofCommand(c, run(ctx, s, rest)) }, "", nil
}

// commandNames returns the valid first arguments of the command line.
func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// plainFlagError returns package flag's message about a flag, with more than "parse error", and with the closest of
// flags.
func plainFlagError(err error, flags *flag.FlagSet) string {
	if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		var names []string
		flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		if meant := naming.Meant(name, names); meant != "" {
			return fmt.Sprintf("%v (did you mean -%s?)", err, meant)
		}
	}
	text, failed := strings.CutSuffix(err.Error(), ": parse error")
	switch {
	case failed && strings.HasPrefix(text, "invalid boolean value"):
		return text + ": it is neither true nor false"
	case failed:
		return text + ": it is no whole number"
	}
	return text
}

func isHelp(arg string) bool { return slices.Contains([]string{"-h", "-help", "--help"}, arg) }

// parseMixed parses flags before, between and after the arguments.
func parseMixed(flags *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		left := flags.Args()
		if len(left) == 0 {
			return rest, nil
		}
		if n := len(args) - len(left); n > 0 && args[n-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// given returns the flags that were set, as written, in the order of their names.
func given(flags *flag.FlagSet) (args []string) {
	flags.Visit(func(f *flag.Flag) { args = append(args, fmt.Sprintf("-%s=%s", f.Name, f.Value)) })
	return args
}

// makeAbsolute makes the folder of a flag, if given, absolute, so that another program can use it in another folder.
func makeAbsolute(folder *string) (err error) {
	if *folder != "" {
		*folder, err = filepath.Abs(*folder)
	}
	return err
}

func runCommand(flags *flag.FlagSet) work {
	var o runOptions
	var all bool
	flags.BoolVar(&o.save, "save", false, "write the outputs back into the notebook itself, without what is of this machine")
	flags.BoolVar(&all, "all", false, "run all notebooks")
	flags.BoolVar(&o.check, "check", false, "only compile every cell, and run none; a run does so first in any case")
	o.timeout = time.Hour
	duration(flags, &o.timeout, "timeout", "the longest `time` for one cell, as in 90s or 20m; 0 means no limit (default 1h)")
	settings(flags, &o.set)
	return func(ctx context.Context, s *session, names []string) (err error) {
		switch {
		case all && len(names) > 0:
			return usagef("run: -all and names exclude each other")
		case all:
			if names, err = notebookNames(s.place); err != nil {
				return err
			}
		case len(names) == 0:
			names = []string{quickstart}
		}
		var list []*notebook
		for _, name := range names { // all are read before the first runs
			nb, err := findNotebook(s.place, name)
			if err != nil {
				return err
			}
			list = append(list, nb)
		}
		if err := checkSettings(o.set, list); err != nil {
			return err
		}
		if o.check {
			return s.checkOnly(ctx, list)
		}
		return s.prepared(ctx, false, func() error {
			for _, nb := range list {
				if err := s.checkCells(ctx, nb); err != nil {
					return err
				}
			}
			for i, nb := range list {
				if i > 0 {
					s.console.Linef("")
				}
				if err := s.runNotebook(ctx, nb, o); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func labCommand(flags *flag.FlagSet) work {
	var o labOptions
	flags.IntVar(&o.port, "port", 0, fmt.Sprintf("the `port` to use (default: the first free one from %d on)", defaultPort))
	flags.BoolVar(&o.browser, "browser", false, "also open the browser")
	settings(flags, &o.set)
	return func(ctx context.Context, s *session, _ []string) error {
		if o.port < 0 || o.port > 65535 {
			return usagef("lab: there is no port %d", o.port)
		}
		if o.port == theoryLabPort {
			return usagef("lab: at port %d the theory lab is served beside JupyterLab; take another port", o.port)
		}
		return s.prepared(ctx, false, func() error { return s.runLab(ctx, o) })
	}
}

func setupCommand(flags *flag.FlagSet) work {
	gpu := flags.Bool("gpu", false, "add the CUDA plugin and its libraries (Linux with an NVIDIA card; some 2 GB to download)")
	var names []string
	flags.BoolFunc("data", "download the full Fashion-MNIST (30 MB) into the user's cache folder, or PUCL_DATA_DIR;\n"+
		"-data=cifar-10 another data set (170 MB), and -data=fashion-mnist,cifar-10 several; the names are those\n"+
		"in notebooks/datasets.ipynb", func(value string) error {
		names = append(names, strings.Split(value, ",")...)
		return nil
	})
	return func(ctx context.Context, s *session, _ []string) error {
		data, err := findData(dataSets(), names)
		if err != nil {
			return err
		}
		return s.prepared(ctx, *gpu, func() error {
			for _, set := range data {
				if err := s.fetchData(ctx, set); err != nil {
					return err
				}
			}
			s.report()
			return nil
		})
	}
}

// report prints the capabilities of the environment.
func (s *session) report() {
	s.console.Linef("The notebooks are ready: Python %s, %s.", s.stamp.PyVer, s.goTool.version)
	switch cpu, cuda := xlaPlugins(s.place); {
	case !s.cgo():
		s.noteCompiler()
	case cuda != "":
		s.console.Linef("Engine: XLA on NVIDIA cards, and on the CPU where there is none.")
	case cpu != "":
		s.console.Linef("Engine: XLA on the CPU.")
	default:
		s.console.Linef("Engine: pure Go, as there is no package of XLA for %s on %s; a plugin in one of gomlx's places is used if there is one.",
			s.goTool.arch, s.goTool.os)
	}
	s.console.Linef("Next: go run ./notebooks, or go run ./notebooks lab")
}
