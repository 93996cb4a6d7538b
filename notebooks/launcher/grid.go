package launcher

import (
	"context"
	"flag"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/naming"
)

// gridPackage is the program that does the runs of the tables. It is built and run separately from the launcher, since
// it links XLA.
const gridPackage = "./notebooks/grid"

// gridPatience is the time that running runs have to save their state after a request to end.
const gridPatience = 20 * time.Second

// gridCommand rejects unknown names, and passes its flags to the program, which validates the rest.
func gridCommand(flags *flag.FlagSet) work {
	size := flags.String("size", "smoke", "how large the runs are: `smoke`, laptop or paper")
	flags.Int("workers", 0, "how many `runs` to do at a time; 0 means one a processor, and one alone of size paper")
	flags.String("only", "", "do the runs alone whose path, as -list shows it, holds one of these `texts` (with commas)")
	flags.String("seeds", "", "do the runs of these `seeds` alone: 1,2 or 1-5")
	flags.Bool("list", false, "only show how each run stands: done, missing, failed or stale")
	flags.Bool("again", false, "do stale runs anew, those of another configuration or version, and write over their results")
	flags.Bool("failed", false, "try failed runs again")
	pack := flags.Bool("pack", false, "do no runs, but pack the loose results of the tables, or of all: a file for each setting")
	from := flags.String("from", "", "with -pack: another `folder` of results, from which to copy what this one lacks")
	export := flags.String("export", "", "do no runs, but write the results of the tables, or of all, as `csv` or json")
	file := flags.String("o", "", "with -export: the `file` to write (default the standard output)")
	flags.String("on", "here", "where to do the runs: `here` or slurm")
	flags.String("slurm", "", "`options` of sbatch: \"--partition=gpu --time=4:00:00\"")
	results := flags.String("results", "", "`folder` of the results (default notebooks/results)")
	return func(ctx context.Context, s *session, tables []string) error {
		s.talkOnStderr()
		if err := checkNames("grid: ", "size", naming.Sizes(), *size); err != nil {
			return err
		}
		if len(tables) == 0 && !*pack && *export == "" {
			return usagef("grid: which table? There are %s", strings.Join(naming.Grids(), ", "))
		}
		if err := checkNames("grid: ", "table", naming.Grids(), tables...); err != nil {
			return err
		}
		for _, path := range []*string{results, from, file} {
			if err := makeAbsolute(path); err != nil {
				return err
			}
		}
		args := append(given(flags), tables...)
		return s.prepared(ctx, false, func() error { return s.runGrid(ctx, args) })
	}
}

// runGrid builds the program and runs it.
func (s *session) runGrid(ctx context.Context, args []string) error {
	env := s.goTool.goEnv(computeEnv(s.place, s.goTool, s.cgo())...)
	program, err := s.build(ctx, env, "the runs", gridPackage, s.place.out("grid", "bin", "grid"))
	if err != nil {
		return err
	}
	_, err = child{dir: s.place.root, env: env, stdout: s.stdout, stderr: s.stderr, wait: gridPatience}.run(ctx, program, args...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &problem{What: "Not all runs are done; why stands above.", Err: err}
}
