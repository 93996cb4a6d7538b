//go:build !js

// Theorylab builds a page for varying points, priors, batch sizes, temperature and loss. The page shows bias, variance,
// gradients and seeding immediately and exactly, computed by packages theory and claims compiled to WebAssembly.
//
//	go run ./notebooks/theorylab -build DIR    write the page into a folder, for any file server
//	go run ./notebooks/theorylab -answer       answer requests, one line of JSON each, as the page's program does
//
// `go run ./notebooks theory-lab` does the first and serves the folder. Package answers defines the requests and
// answers.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/puclab/puclab/internal/interrupts"
	"github.com/puclab/puclab/notebooks/theorylab/answers"
	"github.com/puclab/puclab/pucl/engine"
)

func main() {
	err := run(interrupts.Context(), os.Args[1:], os.Stdin, os.Stdout)
	if err != nil && !errors.Is(err, flag.ErrHelp) { // the requested help is already written
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run executes the command line.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("theorylab", flag.ContinueOnError)
	dir := flags.String("build", "", "write the page into this `folder`")
	answer := flags.Bool("answer", false, "answer requests from the standard input, one line of JSON each")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if (*dir == "") != *answer || flags.NArg() > 0 {
		return errors.New("theorylab: want either -build with a folder or -answer, and no arguments")
	}
	eng, err := engine.Open()
	if err != nil {
		return err
	}
	lab := answers.New(eng)
	defer lab.Close()
	if *answer {
		return answerLines(lab, in, out)
	}
	return build(ctx, lab, *dir, out)
}

// answerLines answers each line.
func answerLines(lab *answers.Lab, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if _, err := fmt.Fprintf(out, "%s\n", lab.AnswerJSON(lines.Bytes())); err != nil {
			return err
		}
	}
	return lines.Err()
}
