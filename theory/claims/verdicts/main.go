// Verdicts checks the papers' claims and prints one line for each, as soon as it is checked: ID, verdict, number and one
// sentence, with tabs between them.
//
//	go run ./theory/claims/verdicts [-json | -markdown] [ID…]
//
// What is at work goes to the standard error.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/claims"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func run(args []string, out, messages io.Writer) error {
	flags := flag.NewFlagSet("verdicts", flag.ContinueOnError)
	flags.SetOutput(messages)
	asJSON := flags.Bool("json", false, "print the full records as one JSON array")
	asMarkdown := flags.Bool("markdown", false, "print a Markdown table")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *asJSON && *asMarkdown {
		return errors.New("-json and -markdown exclude each other")
	}
	list, err := claims.Find(flags.Args()...)
	if err != nil {
		return err
	}
	eng, err := engine.Open()
	if err != nil {
		return err
	}
	fmt.Fprintf(messages, "Engine: %s.\n", eng)
	for i, claim := range list {
		fmt.Fprintf(messages, "Checking %s (%d of %d) …\n", claim.ID, i+1, len(list))
		if list[i], err = claim.Check(eng); err != nil {
			return err
		}
		if !*asJSON && !*asMarkdown {
			if _, err := fmt.Fprintln(out, list[i].Row()); err != nil {
				return err
			}
		}
	}
	switch {
	case *asJSON:
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(list)
	case *asMarkdown:
		return claims.WriteMarkdown(out, list)
	}
	return nil
}
