package launcher

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// gpuCheckPackage is the program that checks the engine. It is built and run apart from the launcher, since it links XLA.
const gpuCheckPackage = "./notebooks/gpucheck"

// gpuCheckOptions are what the command line asks for; the program judges what it makes no sense of.
type gpuCheckOptions struct {
	on, only, build string
	steps           int
	json, markdown  bool
}

func gpuCheckCommand(flags *flag.FlagSet) func(context.Context, *session, []string) error {
	var o gpuCheckOptions
	flags.StringVar(&o.on, "on", "gpu", "what to check: `gpu`, cpu or go, the pure-Go engine; GOMLX_BACKEND may name a plugin")
	flags.StringVar(&o.only, "only", "", "the `kinds` of checks to run, with commas: numbers, step, training, tests; all when not given")
	flags.IntVar(&o.steps, "steps", 0, "how many `steps` to train, 150 or more; "+
		"0 means 500 for FMNIST-I and 1000 for CIFAR-I on a GPU, 150 elsewhere")
	flags.BoolVar(&o.json, "json", false, "print one JSON object with all numbers")
	flags.BoolVar(&o.markdown, "markdown", false, "print a Markdown table")
	flags.StringVar(&o.build, "build", "", "check nothing, but compile the check and the tests into a `folder`, for a machine without Go")
	return func(ctx context.Context, s *session, _ []string) (err error) {
		s.console = &console{w: s.stderr, width: 100} // the standard output is for the table alone
		if o.build != "" {
			if o.build, err = filepath.Abs(o.build); err != nil {
				return err
			}
		}
		use, err := s.prepare(ctx, false)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, use.release()) }()
		return s.runGPUCheck(ctx, o)
	}
}

// args are the program's arguments.
func (o gpuCheckOptions) args() []string {
	if o.build != "" {
		return []string{"-build", o.build}
	}
	args := []string{"-on", o.on}
	if o.only != "" {
		args = append(args, "-only", o.only)
	}
	if o.steps != 0 {
		args = append(args, "-steps", strconv.Itoa(o.steps))
	}
	if o.json {
		args = append(args, "-json")
	}
	if o.markdown {
		args = append(args, "-markdown")
	}
	return args
}

// gpuCheckEnv is the environment in which the program is built and run: that of the cells, so that it finds the plugin and
// CUDA as they do. With -on cpu the CPU plugin is named where CUDA's would be found first.
func (s *session) gpuCheckEnv(on string) []string {
	env := s.goTool.goEnv(kernelGoEnv(s.place, s.goTool, s.cgo())...)
	env = setEnv(env, "PUCL_HOME="+s.place.root, "GOMLX_NO_AUTO_INSTALL=1")
	cpu, cuda := xlaPlugins(s.place)
	if cuda == "" {
		return env
	}
	for name, value := range cudaEnv(sitePackages(s.place)) {
		env = setEnv(env, name+"="+value)
	}
	if on == "cpu" && cpu != "" && s.cgo() && os.Getenv("GOMLX_BACKEND") == "" {
		env = setEnv(env, "GOMLX_BACKEND=xla:"+cpu)
	}
	return env
}

// runGPUCheck builds the program and runs it, with its lines going straight to the user. It is not left to `go run`, which
// would not wait for the program to print what it has when Ctrl-C ends it.
func (s *session) runGPUCheck(ctx context.Context, o gpuCheckOptions) error {
	env := s.gpuCheckEnv(o.on)
	program := filepath.Join(s.place.out(), "gpu-check", "gpucheck")
	s.console.line("Compiling the check …")
	out, err := child{dir: s.place.root, env: env}.run(ctx, s.goTool.goCommand(), "build", "-o", program, gpuCheckPackage)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return classify("Compiling the check", out, err)
	}
	cmd := exec.CommandContext(ctx, program, o.args()...)
	cmd.Dir, cmd.Env = s.place.root, env
	cmd.Stdout, cmd.Stderr = s.stdout, s.stderr
	ownGroup(cmd)
	cmd.Cancel = func() error { return signalGroup(cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return &problem{What: "Not all is well; what is not stands above.", Err: err}
	}
	return nil
}
