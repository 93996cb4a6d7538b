package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/puclab/puclab/internal/naming"
	"github.com/puclab/puclab/notebooks/experiment"
)

// options are the values of the command line.
type options struct {
	size    experiment.Size
	tables  []string
	workers int
	only    []string // parts of paths, one of which must occur in the path; empty means all
	seeds   []seeds  // empty means all
	list    bool
	again   bool
	failed  bool

	pack     bool
	from     string // another folder of results to merge; "" means none
	exported string // "csv" or "json", or "" to export nothing
	file     string // of the export; "" means standard output

	on           string   // "here" or "slurm"
	slurmOptions []string // of sbatch

	results, work string // folders; "" means the checkout's

	worker   string // file of a list of runs: do one of them
	index    int
	attached bool
}

// seeds is a range of seeds, including both ends.
type seeds struct{ first, last uint64 }

func (s seeds) String() string {
	if s.first == s.last {
		return strconv.FormatUint(s.first, 10)
	}
	return fmt.Sprintf("%d-%d", s.first, s.last)
}

// parse parses the command line. Flags may precede, separate and follow the tables.
func parse(args []string, messages io.Writer, tables catalog) (o options, err error) {
	flags := flag.NewFlagSet("grid", flag.ContinueOnError)
	flags.SetOutput(messages)
	size := flags.String("size", "smoke", "how large the runs are: `smoke`, laptop or paper")
	flags.IntVar(&o.workers, "workers", 0, "how many `runs` to do at a time; 0 means one a processor, and one alone of size paper")
	only := flags.String("only", "", "do the runs alone whose path, as -list shows it, holds one of these `texts` (with commas)")
	numbers := flags.String("seeds", "", "do the runs of these `seeds` alone: 1,2 or 1-5")
	flags.BoolVar(&o.list, "list", false, "only show how each run stands: done, missing, failed or stale")
	flags.BoolVar(&o.again, "again", false,
		"do stale runs anew, those of another configuration or version, and write over their results")
	flags.BoolVar(&o.failed, "failed", false, "try failed runs again")
	flags.BoolVar(&o.pack, "pack", false, "do no runs, but pack the loose results of the tables, or of all: a file for each setting")
	flags.StringVar(&o.from, "from", "", "with -pack: another `folder` of results, from which to copy what this one lacks")
	flags.StringVar(&o.exported, "export", "", "do no runs, but write the results of the tables, or of all, as `csv` or json")
	flags.StringVar(&o.file, "o", "", "with -export: the `file` to write (default the standard output)")
	flags.StringVar(&o.on, "on", "here", "where to do the runs: `here` or slurm")
	sbatch := flags.String("slurm", "", "`options` of sbatch: \"--partition=gpu --time=4:00:00\"")
	flags.StringVar(&o.results, "results", "", "`folder` of the results (default notebooks/results)")
	flags.StringVar(&o.work, "work", "", "`folder` in which runs that are not done keep their state (default notebooks/out/grid)")
	flags.StringVar(&o.worker, "worker", "", "for this program itself: do one run of the `list` in this file")
	flags.IntVar(&o.index, "index", 0, "for this program itself: `which` run of the list")
	flags.BoolVar(&o.attached, "attached", false, "for this program itself: speak to the program that started it, and end with it")
	if o.tables, err = parseMixed(flags, args); err != nil || o.worker != "" {
		return o, err
	}
	if o.only = split(*only); len(o.tables) == 0 && (o.pack || o.exported != "") {
		o.tables = tables.names()
	}
	if o.size, err = experiment.ParseSize(*size); err == nil {
		o.seeds, err = parseSeeds(*numbers)
	}
	if err == nil {
		o.slurmOptions, err = words(*sbatch)
	}
	if err == nil {
		err = o.check(tables)
	}
	if err != nil {
		fmt.Fprintln(messages, err) // as flag does for its own errors
	}
	return o, err
}

// parseMixed parses flags before, between and after the arguments.
func parseMixed(flags *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := flags.Parse(args); err != nil || flags.NArg() == 0 {
			return rest, err
		}
		rest, args = append(rest, flags.Arg(0)), flags.Args()[1:]
	}
}

// check returns an error for invalid options.
func (o options) check(tables catalog) error {
	there := tables.names()
	for _, name := range o.tables {
		if !slices.Contains(there, name) {
			return fmt.Errorf("there is no table %q%s; there are %s", name, naming.DidYouMean(name, there), strings.Join(there, ", "))
		}
	}
	switch {
	case len(o.tables) == 0:
		return fmt.Errorf("which table? There are %s", strings.Join(there, ", "))
	case !slices.Contains([]string{"", "csv", "json"}, o.exported):
		return fmt.Errorf("-export %s: want csv or json", o.exported)
	case o.pack && o.exported != "" || o.list && (o.pack || o.exported != ""):
		return errors.New("-list, -pack and -export exclude each other")
	case o.from != "" && !o.pack:
		return errors.New("-from is for -pack")
	case o.file != "" && o.exported == "":
		return errors.New("-o is for -export")
	case o.workers < 0:
		return fmt.Errorf("-workers %d: want a positive number, or 0 for the default", o.workers)
	case o.on != "here" && o.on != "slurm":
		return fmt.Errorf("-on %s: want here or slurm", o.on)
	case o.on == "slurm" && o.workers > 0:
		return errors.New("-workers is for this machine; on Slurm the cluster decides how many runs it does at a time")
	case o.on != "slurm" && len(o.slurmOptions) > 0:
		return errors.New("-slurm is for -on slurm")
	}
	return nil
}

// split returns the parts of a text between commas, without spaces around them and in lower case.
func split(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(strings.ToLower(text), ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// parseSeeds parses "1,3-5".
func parseSeeds(text string) ([]seeds, error) {
	var all []seeds
	for _, part := range split(text) {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		a, err := strconv.ParseUint(first, 10, 64)
		b, failed := strconv.ParseUint(last, 10, 64)
		if err != nil || failed != nil || b < a {
			return nil, fmt.Errorf("-seeds %s: %q is no seed and no range of seeds; want 1,2 or 1-5", text, part)
		}
		all = append(all, seeds{a, b})
	}
	return all, nil
}

// has reports whether the seed of a run is in the range.
func (s seeds) has(run experiment.Run) bool { return s.first <= run.Seed && run.Seed <= s.last }

// holds reports whether the path of a run contains a text.
func holds(run experiment.Run, text string) bool { return strings.Contains(run.Path(), text) }

// keeps reports whether a run is selected.
func (o options) keeps(run experiment.Run) bool {
	named := len(o.only) == 0 || slices.ContainsFunc(o.only, func(text string) bool { return holds(run, text) })
	seeded := len(o.seeds) == 0 || slices.ContainsFunc(o.seeds, func(s seeds) bool { return s.has(run) })
	return named && seeded
}

// grids returns the grids with the selected runs. It returns an error if a text or seed, perhaps misspelt, selects
// none.
func (o options) grids(tables catalog) ([]experiment.Grid, error) {
	var grids []experiment.Grid
	var all []experiment.Run
	runs := 0
	for _, name := range o.tables {
		grid, err := tables.find(name, o.size)
		if err != nil {
			return nil, err
		}
		all = append(all, grid.Runs...)
		grid = grid.Only(o.keeps)
		grids, runs = append(grids, grid), runs+len(grid.Runs)
	}
	if err := o.checkAsked(all); err != nil {
		return nil, err
	}
	if runs == 0 {
		return nil, fmt.Errorf("%s of size %s has no run that both -only and -seeds ask for; -list without them shows all",
			strings.Join(o.tables, ", "), o.size)
	}
	return grids, nil
}

// checkAsked returns an error if one of the requested texts or seeds matches none of the runs.
func (o options) checkAsked(runs []experiment.Run) error {
	among := fmt.Sprintf("no run of %s of size %s", strings.Join(o.tables, ", "), o.size)
	for _, text := range o.only {
		if slices.ContainsFunc(runs, func(r experiment.Run) bool { return holds(r, text) }) {
			continue
		}
		var settings, methods []string
		for _, r := range runs {
			parts := strings.Split(r.Path(), "/")
			settings, methods = append(settings, parts[0]), append(methods, parts[1])
		}
		settings, methods = distinct(settings), distinct(methods)
		return fmt.Errorf("-only %s: %s holds that in its path%s; the methods there are %s, and the settings %s", text, among,
			naming.DidYouMean(text, slices.Concat(methods, settings)), strings.Join(methods, ", "), strings.Join(settings, ", "))
	}
	for _, s := range o.seeds {
		if slices.ContainsFunc(runs, s.has) {
			continue
		}
		var there []string
		for _, r := range runs {
			there = append(there, strconv.FormatUint(r.Seed, 10))
		}
		return fmt.Errorf("-seeds %s: %s has such a seed; there are %s", s, among, strings.Join(distinct(there), ", "))
	}
	return nil
}

// distinct returns the sorted texts without repetitions.
func distinct(texts []string) []string { return slices.Compact(slices.Sorted(slices.Values(texts))) }

// workFolder returns the folder for unfinished runs.
func (o options) workFolder() (string, error) {
	if o.work == "" {
		return experiment.WorkFolder()
	}
	return filepath.Abs(o.work)
}

// words splits text at spaces as a shell does, except within single or double quotes, which are removed.
func words(text string) (out []string, err error) {
	var word strings.Builder
	begun, quote := false, rune(0)
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			begun, quote = true, r
		case quote == 0 && unicode.IsSpace(r):
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("grid: a quote in -slurm %s is not closed; close it", text)
	}
	if begun {
		out = append(out, word.String())
	}
	return out, nil
}
