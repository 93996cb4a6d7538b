package launcher

import (
	"context"
	"flag"
	"os"

	"github.com/puclab/puclab/internal/naming"
)

// verdictsPackage is the program that checks the claims. It is built and run separately from the launcher, since it
// links XLA.
const verdictsPackage = "./theory/claims/verdicts"

func claimsCommand(flags *flag.FlagSet) work {
	flags.Bool("json", false, "print the full records as one JSON array")
	flags.Bool("markdown", false, "print a Markdown table")
	flags.String("plant", "", "the `name` of a mistake to plant in what the claims rest on, to see whether their checks notice")
	flags.Bool("plants", false, "list the mistakes that can be planted")
	return func(ctx context.Context, s *session, ids []string) error {
		s.talkOnStderr()
		if err := checkNames("claims: ", "claim", naming.Claims(), ids...); err != nil {
			return err
		}
		return s.prepared(ctx, false, func() error {
			return s.runForUser(ctx, s.goTool.goEnv(), "Checking the claims failed; the reason stands above.",
				s.goTool.goCommand(), append(append([]string{"run", verdictsPackage}, given(flags)...), ids...)...)
		})
	}
}

// reportPackage is the program that reports claims of theory and experiments.
const reportPackage = "./notebooks/report"

// reportCommand passes its flags to the program, which rejects invalid values.
func reportCommand(flags *flag.FlagSet) work {
	size := flags.String("size", "laptop", "how large the runs are that decide: `smoke`, laptop or paper")
	results := flags.String("results", "", "`folder` of the results (default notebooks/results)")
	flags.Bool("json", false, "print all records as one JSON object")
	flags.Bool("markdown", false, "print a Markdown table of how many claims of each experiment agree, check no theory and write no page")
	flags.Bool("index", false, "print a Markdown index of every figure, table and theorem: its notebook, its verdicts, its run time")
	return func(ctx context.Context, s *session, more []string) error {
		s.talkOnStderr()
		if err := checkNames("report: ", "size", naming.Sizes(), *size); err != nil {
			return err
		}
		if err := makeAbsolute(results); err != nil {
			return err
		}
		return s.prepared(ctx, false, func() error {
			args := append([]string{"run", reportPackage, "-page=" + s.place.out("report.html")}, given(flags)...)
			return s.runForUser(ctx, s.goTool.goEnv(), "Gathering the claims failed; the reason stands above.",
				s.goTool.goCommand(), append(args, more...)...)
		})
	}
}

// gpuCheckPackage is the program that checks the engine. It is built and run separately from the launcher, since it
// links XLA.
const gpuCheckPackage = "./notebooks/gpucheck"

// gpuCheckCommand passes its flags to the program, which rejects invalid values.
func gpuCheckCommand(flags *flag.FlagSet) work {
	on := flags.String("on", "gpu", "what to check: `gpu`, cpu or go, the pure-Go engine; GOMLX_BACKEND may name a plugin")
	flags.String("only", "", "the `kinds` of checks to run, with commas: numbers, step, training, tests; all when not given")
	flags.Int("steps", 0, "how many `steps` to train, 150 or more; "+
		"0 means 500 for FMNIST-I and 1000 for CIFAR-I on a GPU, 150 elsewhere")
	flags.Bool("json", false, "print one JSON object with all numbers")
	flags.Bool("markdown", false, "print a Markdown table")
	build := flags.String("build", "", "check nothing, but compile the check and the tests into a `folder`, for a machine without Go")
	return func(ctx context.Context, s *session, _ []string) error {
		s.talkOnStderr()
		args := given(flags)
		if err := makeAbsolute(build); err != nil {
			return err
		}
		if *build != "" {
			args = []string{"-build=" + *build}
		}
		return s.prepared(ctx, false, func() error { return s.runGPUCheck(ctx, *on, args) })
	}
}

// gpuCheckEnv returns the environment in which the program is built and run: that of the cells, so that it finds the
// plugin and CUDA as they do. With -on cpu it names the CPU plugin if CUDA's would otherwise be found first.
func (s *session) gpuCheckEnv(on string) []string {
	env := s.goTool.goEnv(computeEnv(s.place, s.goTool, s.cgo())...)
	cpu, cuda := xlaPlugins(s.place)
	if on == "cpu" && cpu != "" && cuda != "" && s.cgo() && os.Getenv("GOMLX_BACKEND") == "" {
		env = setEnv(env, "GOMLX_BACKEND=xla:"+cpu)
	}
	return env
}

// runGPUCheck builds the program and runs it.
func (s *session) runGPUCheck(ctx context.Context, on string, args []string) error {
	env := s.gpuCheckEnv(on)
	program, err := s.build(ctx, env, "the check", gpuCheckPackage, s.place.out("gpu-check", "gpucheck"))
	if err != nil {
		return err
	}
	return s.runForUser(ctx, env, "Not all is well; what is not stands above.", program, args...)
}

// build compiles a package of this module into the file program, which it returns. Programs that print partial results
// after Ctrl-C are not started by `go run`, which would not wait for that.
func (s *session) build(ctx context.Context, env []string, what, pkg, program string) (string, error) {
	return program, s.lively("Compiling "+what, func() error {
		return child{dir: s.place.root, env: env}.do(ctx, "Compiling "+what, s.goTool.goCommand(), "build", "-o", program, pkg)
	})
}
