package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

func runCommand(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("run", flag.ContinueOnError)
	var where paths
	where.register(set)
	only := set.String("only", "", "ids of the mutants to run, separated by commas; all without")
	short := set.Bool("short", false, "run the tests with -short")
	parallel := set.Int("p", 1, "number of mutants at a time")
	engine := set.String("engine", "both", "engine of the tests: go, xla, or both: go first, then XLA for survivors")
	full := set.Bool("full", false, "ignore the killers that the list records; without, they run first")
	write := set.Bool("write", false, "store the verdicts in the list")
	self := set.Bool("self", false, "check this program on a module of two small packages instead")
	if err := set.Parse(args); err != nil {
		return err
	}
	if *parallel < 1 {
		return fmt.Errorf("-p is %d; it must be at least 1", *parallel)
	}
	if err := limitMemory(); err != nil {
		return err
	}
	if *self {
		return checkSelf(ctx)
	}
	list, err := readList(where.list)
	if err != nil {
		return err
	}
	chosen, err := choose(list, *only)
	if err != nil {
		return err
	}
	r := &runner{short: *short, full: *full, procs: max(1, runtime.NumCPU() / *parallel), least: leastTime}
	if r.mod, err = loadModule(ctx, where.dir); err != nil {
		return err
	}
	if r.engines, err = enginesOf(r.mod, *engine); err != nil {
		return err
	}
	if r.state, err = openState(r.mod, filepath.Join("notebooks", "out", "mutants")); err != nil {
		return err
	}
	results := r.all(ctx, chosen, *parallel)
	if ctx.Err() == nil {
		report(results)
	}
	if *write {
		for _, one := range results {
			one.store()
		}
		if err := list.write(where.list); err != nil {
			return err
		}
	}
	return verdictOf(ctx, results)
}

// choose returns the mutants with the ids given, or all.
func choose(list *mutantList, ids string) ([]*mutant, error) {
	if ids == "" {
		return list.Mutants, nil
	}
	var chosen []*mutant
	for id := range strings.SplitSeq(ids, ",") {
		i := slices.IndexFunc(list.Mutants, func(m *mutant) bool { return m.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("-only: there is no mutant %q in the list", id)
		}
		chosen = append(chosen, list.Mutants[i])
	}
	return chosen, nil
}

// enginesOf returns the engines of a run. XLA requires the plugin in the module's notebooks/.venv: without the
// plugin, tests would fall back to the pure-Go engine.
func enginesOf(mod *module, name string) ([]string, error) {
	engines := map[string][]string{"go": {"go"}, "xla": {"xla"}, "both": {"go", "xla"}}[name]
	if engines == nil {
		return nil, fmt.Errorf("-engine is %q; it must be go, xla or both", name)
	}
	if name != "go" {
		packages := filepath.Join(mod.root, "notebooks", ".venv", "lib", "python*", "site-packages")
		pattern := filepath.Join(packages, "xla_plugins", "*", "*.so")
		if found, err := filepath.Glob(pattern); err != nil || len(found) == 0 {
			const missing = "no file matches %s; run go run ./notebooks setup, or give -engine go"
			return nil, errors.Join(fmt.Errorf(missing, pattern), err)
		}
	}
	return engines, nil
}

// judged is a mutant with its verdict.
type judged struct {
	*mutant
	verdict
	err error
}

// all judges the mutants, several at a time, and prints a line for each.
func (r *runner) all(ctx context.Context, mutants []*mutant, parallel int) []*judged {
	results := make([]*judged, len(mutants))
	places := make(chan int)
	var group sync.WaitGroup
	var mu sync.Mutex
	for range parallel {
		group.Go(func() {
			for i := range places {
				one := &judged{mutant: mutants[i]}
				one.verdict, one.err = r.judge(ctx, mutants[i])
				mu.Lock()
				results[i] = one
				fmt.Println(one)
				mu.Unlock()
			}
		})
	}
	for i := range mutants {
		places <- i
	}
	close(places)
	group.Wait()
	return results
}

// String returns the line of a mutant.
func (j *judged) String() string {
	state := "survives"
	switch {
	case j.err != nil:
		state = "ERROR " + j.err.Error()
	case j.killed:
		state = "killed by " + j.by
	case j.Killed:
		state = "SURVIVES; according to the list " + j.By + " kills it"
	}
	line := j.mutant.String() + "\n    " + state
	if j.left > 0 && !j.killed {
		line += fmt.Sprintf("; %d packages that import it indirectly were skipped", j.left)
	}
	for _, test := range j.flaky {
		line += "; " + test + " failed once and passed when repeated"
	}
	return line
}

// store writes the verdict to the list's entry. Without a verdict, the entry keeps the old one.
func (j *judged) store() {
	if j.err != nil {
		return
	}
	if j.killed {
		j.Note = ""
	}
	j.Killed, j.By = j.killed, j.by
}

// report prints how many mutants were killed, by package and by operator.
func report(results []*judged) {
	cpu := 0.0
	killed, total := map[string]int{}, map[string]int{}
	for _, one := range results {
		cpu += one.cpu
		for _, name := range []string{"  package " + one.Package, "  operator " + one.Operator, " all"} {
			total[name]++
			if one.err == nil && one.killed {
				killed[name]++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(total)) {
		fmt.Printf("%3d of %3d killed  %s\n", killed[name], total[name], strings.TrimSpace(name))
	}
	fmt.Printf("%.1f CPU minutes with mutants, including trials of earlier runs\n", cpu/60)
}

// verdictOf returns the error of the whole run.
func verdictOf(ctx context.Context, results []*judged) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failed []string
	survived := false
	for _, one := range results {
		if one.err != nil {
			failed = append(failed, one.ID)
		}
		survived = survived || one.err == nil && !one.killed && one.Killed
	}
	if len(failed) > 0 {
		return fmt.Errorf("no verdict for %s; their lines above state the cause", strings.Join(failed, ", "))
	}
	if survived {
		return errSurvived
	}
	return nil
}
