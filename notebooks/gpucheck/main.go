package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/interrupts"
	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/internal/naming"
)

// The exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // as for a program ended by Ctrl-C
)

func main() { os.Exit(run(interrupts.Context(), os.Args[1:], os.Stdout, os.Stderr, inProcess)) }

// options are the values of the command line.
type options struct {
	on             string   // "gpu", "cpu" or "go"
	only           []string // kinds of checks; empty means all
	steps          int      // of training; 0 means the defaults
	tests          string   // folder of prebuilt test programs
	markdown, json bool
	build          string // folder to build into
	part           string // one part to run, in JSON
}

// parse parses the command line.
func parse(args []string, messages io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("gpucheck", flag.ContinueOnError)
	flags.SetOutput(messages)
	flags.StringVar(&o.on, "on", "gpu", "what to check: `gpu`, cpu or go, the pure-Go engine; GOMLX_BACKEND may name a plugin")
	only := flags.String("only", "", "the `kinds` of checks to run, with commas: numbers, step, training, tests; all when not given")
	flags.IntVar(&o.steps, "steps", 0,
		"how many `steps` to train, 150 or more; 0 means 500 for FMNIST-I and 1000 for CIFAR-I on a GPU, 150 elsewhere")
	flags.StringVar(&o.tests, "tests", "", "a `folder` with test programs that -build made; without it each is compiled")
	flags.BoolVar(&o.markdown, "markdown", false, "print a Markdown table")
	flags.BoolVar(&o.json, "json", false, "print one JSON object with all numbers")
	flags.StringVar(&o.build, "build", "",
		"check nothing, but compile this program and the tests into a `folder`, for a machine without Go")
	flags.StringVar(&o.part, "part", "", "for this program itself: run one part of the checks")
	if err = flags.Parse(args); err == nil {
		o.only = strings.FieldsFunc(*only, func(r rune) bool { return r == ',' })
		if err = o.check(flags.Args()); err != nil {
			fmt.Fprintln(messages, err) // as flag does for its own errors
		}
	}
	return o, err
}

// check returns an error for invalid options.
func (o options) check(args []string) error {
	for _, kind := range o.only {
		if !slices.Contains(kinds, kind) {
			return fmt.Errorf("-only: there is no kind %q%s; there are %s", kind, naming.DidYouMean(kind, kinds), strings.Join(kinds, ", "))
		}
	}
	switch {
	case len(args) > 0:
		return fmt.Errorf("it takes no arguments, but got %q", args[0])
	case o.markdown && o.json:
		return errors.New("-json and -markdown exclude each other")
	case !slices.Contains([]string{"gpu", "cpu", "go"}, o.on):
		return fmt.Errorf("-on %s: want gpu, cpu or go", o.on)
	case o.steps < 0:
		return fmt.Errorf("-steps %d: want a positive number, or 0 for the default", o.steps)
	}
	return nil
}

// run executes the command line and returns the exit status.
func run(ctx context.Context, args []string, out, messages io.Writer, parts runner) int {
	line := liveline.New(messages)
	o, err := parse(args, messages)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case o.part != "":
		return onePart(ctx, o.part, out)
	case o.build != "":
		err = build(ctx, o.build, enginePackages, line.Linef)
	default:
		c := &checker{options: o, run: parts, line: line}
		if err = c.all(ctx); err == nil {
			err = c.report.write(out, o)
		}
		if err == nil {
			return c.report.status()
		}
	}
	switch {
	case ctx.Err() != nil:
		line.Linef("Interrupted.")
		return exitInterrupted
	case err != nil:
		line.Linef("%v", err)
		return exitFailed
	}
	return exitOK
}

// onePart does the work of a child process of this program. It reports an error in the same way as findings.
func onePart(ctx context.Context, argument string, out io.Writer) int {
	var p part
	err := json.Unmarshal([]byte(argument), &p)
	if err == nil {
		err = p.do(ctx, out)
	}
	switch {
	case err == nil:
		return exitOK
	case json.NewEncoder(out).Encode(message{Error: err.Error()}) != nil:
		return exitUsage
	}
	return exitFailed
}
