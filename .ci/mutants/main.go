// Command mutants measures the tests by mutation. It changes one place of a package and runs the tests, which should
// fail. A seeded generator draws the list of mutants. The list is committed, so that test suites can be compared on
// the same mutants.
//
//	go run .ci/mutants/*.go draw -seed 1 -n 60     draws a new list
//	go run .ci/mutants/*.go draw -package PATH     adds one mutant of a package to the list
//	go run .ci/mutants/*.go run                    runs the tests against every mutant of the list
//	go run .ci/mutants/*.go run -self              checks this program on a module of two functions
//
// The program applies a mutant by go's -overlay flag and never changes the work tree. It requires Linux, go and nice.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// errSurvived reports a surviving mutant that the list marks as killed. The exit status is 1 then and 2 for other
// errors.
var errSurvived = errors.New("a mutant that the list marks as killed survived")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := command(ctx, os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errSurvived):
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
}

// command runs one subcommand.
func command(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "draw":
			return drawCommand(ctx, args[1:])
		case "run":
			return runCommand(ctx, args[1:])
		}
	}
	return errors.New("usage: go run .ci/mutants/*.go draw|run [flags]; -h after either lists its flags")
}

// paths are the flags that both subcommands take.
type paths struct {
	dir  string // root of the module whose code is mutated and tested
	list string // file of the list
}

// register adds the flags to set.
func (p *paths) register(set *flag.FlagSet) {
	set.StringVar(&p.dir, "dir", ".", "root of the module to mutate and test")
	set.StringVar(&p.list, "list", filepath.Join(".ci", "mutants", "list.json"), "the list of mutants")
}

func drawCommand(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("draw", flag.ContinueOnError)
	var where paths
	where.register(set)
	seed := set.Uint64("seed", 1, "seed of the draw")
	n := set.Int("n", 60, "number of mutants")
	force := set.Bool("force", false, "replace a list that exists, with its verdicts")
	only := set.String("package", "", "add one mutant of this package (path below the module) to the list")
	if err := set.Parse(args); err != nil {
		return err
	}
	if *n < 1 {
		return fmt.Errorf("-n is %d; it must be at least 1", *n)
	}
	mod, err := loadModule(ctx, where.dir)
	if err != nil {
		return err
	}
	if *only != "" {
		list, err := readList(where.list)
		if err != nil {
			return err
		}
		return drawReplacement(ctx, mod, list, *only, where.list)
	}
	if _, err := os.Stat(where.list); err == nil && !*force {
		return fmt.Errorf("%s exists and holds verdicts; -force replaces it", where.list)
	}
	list, err := drawList(ctx, mod, *seed, *n)
	if err != nil {
		return err
	}
	return list.write(where.list)
}
