// Report lists the claims of the papers, of theory and of experiments, with verdicts: it checks the theory and decides
// the claims of tables and figures from the committed runs, or from another folder. It prints a line for each claim,
// and writes a page.
//
//	go run ./notebooks/report [-size laptop] [-results FOLDER] [-page FILE] [-json | -markdown | -index]
//
// Progress goes to standard error.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/internal/wholefile"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/notebooks/papers"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/claims"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, out, messages io.Writer) error {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.SetOutput(messages)
	name := flags.String("size", string(experiment.Laptop), "how large the runs are that decide: `smoke`, laptop or paper")
	results := flags.String("results", "", "`folder` of the results (default notebooks/results)")
	file := flags.String("page", "", "`file` to write the page to; \"\" writes none")
	asJSON := flags.Bool("json", false, "print all records as one JSON object")
	asMarkdown := flags.Bool("markdown", false, "print a Markdown table of how many claims of each experiment agree")
	asIndex := flags.Bool("index", false, "print a Markdown index of every figure, table and theorem: its notebook, its verdicts, its run time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("report: it takes flags alone, not %q", flags.Arg(0))
	case *asJSON && *asMarkdown:
		return errors.New("-json and -markdown exclude each other")
	case *asIndex && (*asJSON || *asMarkdown):
		return errors.New("-index excludes -json and -markdown")
	}
	size, err := experiment.ParseSize(*name)
	if err != nil {
		return err
	}
	report, err := experiments(*results, size)
	if err != nil {
		return err
	}
	if *asMarkdown {
		return report.writeMarkdown(out)
	}
	line := liveline.New(messages)
	if report.Theory, err = theory(line); err != nil {
		return err
	}
	if report.Index, err = index(report.findings, report.Theory); err != nil {
		return err
	}
	if *file != "" {
		page, err := report.page()
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(*file), 0o777); err != nil {
			return err
		}
		if err := wholefile.Keep(*file, page, 0o644); err != nil {
			return err
		}
		line.Linef("The page is %s.", *file)
	}
	if *asIndex {
		return papers.WriteIndex(out, report.Index)
	}
	if *asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	}
	return report.writeLines(out)
}

// experiments decides the claims of tables and figures.
func experiments(folder string, size experiment.Size) (Report, error) {
	store, err := experiment.Open(folder)
	if err != nil {
		return Report{}, err
	}
	findings, err := papers.Verdicts(store, size)
	if err != nil {
		return Report{}, err
	}
	report := Report{Size: size, findings: findings}
	for _, f := range findings {
		report.Experiments = append(report.Experiments, recordOf(f))
	}
	return report, nil
}

// index returns every figure, table and theorem with its results.
func index(findings []papers.Finding, checked []claims.Claim) ([]papers.IndexRow, error) {
	root, ok := home.Dir()
	if !ok {
		return nil, errors.New("report: this is no checkout, whose notebooks the index would name: start in its folder")
	}
	return papers.IndexRows(filepath.Join(root, "notebooks"), findings, checked)
}

// theory checks all claims of the theory.
func theory(line *liveline.Line) ([]claims.Claim, error) {
	eng, err := engine.Open()
	if err != nil {
		return nil, err
	}
	line.Linef("Engine: %s.", eng)
	all := claims.All()
	for i, claim := range all {
		line.Begin(fmt.Sprintf("Checking %s (%d of %d)", claim.ID, i+1, len(all)))
		all[i], err = claim.Check(eng)
		line.End("")
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
