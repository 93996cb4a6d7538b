package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// The exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // as of a program that Ctrl-C ends
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { // a second Ctrl-C ends it at once
		<-ctx.Done()
		stop()
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, newProgress(os.Stderr), inProcess))
}

// run does what the command line asks for and returns the exit status.
func run(ctx context.Context, args []string, out io.Writer, p *progress, parts runner) int {
	var o options
	flags := flag.NewFlagSet("gpucheck", flag.ContinueOnError)
	flags.SetOutput(p.w)
	flags.StringVar(&o.on, "on", "gpu", "what to check: `gpu`, cpu or go, the pure-Go engine; GOMLX_BACKEND may name a plugin")
	only := flags.String("only", "", "the `kinds` of checks to run, with commas: numbers, step, training, tests; all when not given")
	flags.IntVar(&o.steps, "steps", 0, "how many `steps` to train, 150 or more; "+
		"0 means 500 for FMNIST-I and 1000 for CIFAR-I on a GPU, 150 elsewhere")
	flags.StringVar(&o.tests, "tests", "", "a `folder` with test programs that -build made; without it each is compiled")
	markdown := flags.Bool("markdown", false, "print a Markdown table")
	asJSON := flags.Bool("json", false, "print one JSON object with all numbers")
	buildTo := flags.String("build", "", "check nothing, but compile this program and the tests into a `folder`, for a machine without Go")
	single := flags.String("part", "", "for this program itself: run one part of the checks")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	var err error
	switch o.only, err = kindsOf(*only); {
	case err != nil:
	case flags.NArg() > 0:
		err = fmt.Errorf("it takes no arguments, but got %q", flags.Arg(0))
	case *markdown && *asJSON:
		err = errors.New("-json and -markdown exclude each other")
	case o.on != "gpu" && o.on != "cpu" && o.on != "go":
		err = fmt.Errorf("-on %s: want gpu, cpu or go", o.on)
	case o.steps < 0:
		err = fmt.Errorf("-steps %d: want a positive number, or 0 for the default", o.steps)
	}
	if err != nil {
		p.say("%v", err)
		return exitUsage
	}
	switch {
	case *single != "":
		return onePart(ctx, *single, out)
	case *buildTo != "":
		err = build(ctx, *buildTo, enginePackages, p.say)
	default:
		c := &checker{options: o, run: parts, progress: p}
		if err = c.all(ctx); err == nil {
			return c.finish(out, *markdown, *asJSON)
		}
	}
	switch {
	case ctx.Err() != nil:
		p.say("Interrupted.")
		return exitInterrupted
	case err != nil:
		p.say("%v", err)
		return exitFailed
	}
	return exitOK
}

// onePart is what the processes do that this program starts. An error goes the way of what is found.
func onePart(ctx context.Context, argument string, out io.Writer) int {
	var p part
	err := json.Unmarshal([]byte(argument), &p)
	if err == nil {
		err = runPart(ctx, p, out)
	}
	if err == nil {
		return exitOK
	}
	if err := json.NewEncoder(out).Encode(message{Error: err.Error()}); err != nil {
		return exitUsage
	}
	return exitFailed
}

// finish prints the report and returns the exit status.
func (c *checker) finish(out io.Writer, markdown, asJSON bool) int {
	write := c.report.writeText
	switch {
	case markdown:
		write = c.report.writeMarkdown
	case asJSON:
		write = c.report.writeJSON
	}
	switch err := write(out); {
	case err != nil:
		c.progress.say("%v", err)
		return exitFailed
	case c.report.Left > 0:
		return exitInterrupted
	case c.report.count(Fail) > 0:
		return exitFailed
	}
	return exitOK
}
