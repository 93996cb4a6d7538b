// Verdicts checks the papers' claims and prints one line for each, as soon as it is checked: ID, verdict, number and
// one sentence, separated by tabs.
//
//	go run ./theory/claims/verdicts [-json | -markdown] [ID…]
//	go run ./theory/claims/verdicts -plant NAME [-json] [ID…]
//	go run ./theory/claims/verdicts -plants [-json] [ID…]
//
// With -plant a bug is injected into the foundations of the claims, which must change their verdicts; -plants lists the
// bugs. If a bug does not change a verdict, the claim's details, in the full records, explain why.
//
// Progress goes to the standard error.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/liveline"
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
	plantName := flags.String("plant", "", "the `name` of a mistake to plant in what the claims rest on; without IDs, all claims that it touches are checked")
	listPlants := flags.Bool("plants", false, "list the mistakes that can be planted, of the claims given or of all")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *asJSON && *asMarkdown:
		return errors.New("-json and -markdown exclude each other")
	case *listPlants && *plantName != "":
		return errors.New("-plants lists plants, and -plant plants one; ask for either")
	case *listPlants && *asMarkdown:
		return errors.New("-plants has no table in Markdown; take -json or neither")
	case *plantName != "" && *asMarkdown:
		return errors.New("a table in Markdown would not say what is planted; take -json or neither")
	}
	list, err := claims.Find(flags.Args()...)
	if err != nil {
		return err
	}
	if *listPlants {
		return writePlants(out, list, *asJSON)
	}
	var plant claims.Plant
	if *plantName != "" {
		if plant, err = claims.FindPlant(*plantName); err != nil {
			return err
		}
		if flags.NArg() == 0 {
			if list, err = claims.Find(plant.Claims...); err != nil {
				return err
			}
		}
	}
	eng, err := engine.Open()
	if err != nil {
		return err
	}
	line := liveline.New(messages)
	line.Linef("Engine: %s.", eng)
	if plant.Name != "" {
		line.Linef("Planted: %s.", plant.What)
	}
	for i, claim := range list {
		line.Begin(fmt.Sprintf("Checking %s (%d of %d)", claim.ID, i+1, len(list)))
		list[i], err = claim.CheckPlanted(eng, plant)
		line.End("")
		switch {
		case err == nil:
		case plant.Touches(claim.ID): // the error shows that the check detects the bug
			list[i].Sentence = err.Error()
		default:
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
		return writeJSON(out, list)
	case *asMarkdown:
		return claims.WriteMarkdown(out, list)
	}
	return nil
}

// writePlants lists the injectable bugs that affect one of the claims, one per line: name, bug, and the claims.
func writePlants(out io.Writer, list []claims.Claim, asJSON bool) error {
	plants := slices.DeleteFunc(claims.Plants(), func(p claims.Plant) bool {
		return !slices.ContainsFunc(list, func(c claims.Claim) bool { return p.Touches(c.ID) })
	})
	if asJSON {
		return writeJSON(out, plants)
	}
	for _, p := range plants {
		if _, err := fmt.Fprintf(out, "%s\t%s\t%s\n", p.Name, p.What, strings.Join(p.Claims, " ")); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
