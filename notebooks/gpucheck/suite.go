package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/puclab/puclab/internal/home"
)

// enginePackages are the folders of the packages whose tests use the engine. A test keeps the list complete.
var enginePackages = []string{
	"pucl/engine", "pucl/engine/onednn", "pucl/augment", "pucl/encoder", "pucl/optim", "pucl/evaluate", "pucl", "notebooks/lab",
	"notebooks/gpucheck",
	"theory", "theory/claims", "theory/claims/verdicts", "datasets/gomlxdata",
}

// testProgram is the file of a package's test program in a folder of such: "pucl-engine.test".
func testProgram(folder, pkg string) string {
	return filepath.Join(folder, strings.ReplaceAll(pkg, "/", "-")+".test")
}

// buildTests compiles the tests of a package into program.
func buildTests(ctx context.Context, root, pkg, program string) error {
	return goCommand(ctx, root, "test", "-c", "-ldflags=-s -w", "-o", program, "./"+pkg)
}

// goCommand runs the go command in the module's folder; its errors hold what it printed.
func goCommand(ctx context.Context, root string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return err
}

// suite runs test programs.
type suite struct {
	root     string // of the module, where the tests find their data
	programs string // folder of test programs built before; "" means to build each for itself
	env      []string
}

// newSuite looks for what the tests need. The error says what is missing.
func newSuite(programs, backend string) (*suite, error) {
	root, ok := home.Dir()
	if !ok {
		return nil, errors.New("the files of the checkout are not here: start in its folder, where go.mod is")
	}
	if programs == "" {
		if _, err := exec.LookPath("go"); err != nil {
			return nil, errors.New("there is no go command here: build the test programs elsewhere with -build, " +
				"and name their folder with -tests")
		}
	} else if absolute, err := filepath.Abs(programs); err != nil {
		return nil, err
	} else {
		programs = absolute
	}
	env := append(os.Environ(), "GOMLX_BACKEND="+backend)
	if os.Getenv("NVIDIA_TF32_OVERRIDE") == "" {
		env = append(env, "NVIDIA_TF32_OVERRIDE=0")
	}
	return &suite{root, programs, env}, nil
}

// run runs the tests of a package.
func (s *suite) run(ctx context.Context, pkg string, progress func(string)) Row {
	row := Row{Kind: kindTests, What: pkg, Result: Fail}
	program := testProgram(s.programs, pkg)
	if s.programs == "" {
		progress("compiling the tests")
		dir, err := os.MkdirTemp("", "puclab-tests-")
		if err != nil {
			row.Told = err.Error()
			return row
		}
		defer os.RemoveAll(dir)
		program = testProgram(dir, pkg)
		if err := buildTests(ctx, s.root, pkg, program); err != nil {
			row.Told = "the tests do not compile: " + firstLines(err.Error(), 6)
			return row
		}
	}
	if _, err := os.Stat(program); errors.Is(err, fs.ErrNotExist) {
		row.Result, row.Told = NotRun, "there is no "+filepath.Base(program)+" in the folder of -tests"
		return row
	}
	dir := filepath.Join(s.root, filepath.FromSlash(pkg))
	if _, err := os.Stat(dir); err != nil {
		row.Result, row.Told = NotRun, "the checkout's folder "+pkg+", with the test data, is not here"
		return row
	}
	cmd := exec.CommandContext(ctx, program, "-test.v=test2json", "-test.timeout=20m")
	cmd.Dir, cmd.Env = dir, s.env
	counts := &tally{onTest: progress}
	cmd.Stdout, cmd.Stderr = counts, counts // one writer for both, so it is never called twice at once
	return counts.judge(row, cmd.Run())
}

// judge makes a row of what was counted; err is how the program ended.
func (t *tally) judge(row Row, err error) Row {
	row.Told = fmt.Sprintf("%d passed, %d failed, %d skipped", t.passed, t.failed, t.skipped)
	row.Failures = t.failures
	row.Values = map[string]float64{"passed": float64(t.passed), "failed": float64(t.failed), "skipped": float64(t.skipped)}
	switch {
	case err == nil && t.failed == 0 && t.passed > 0:
		row.Result = Pass
	case err == nil && t.failed == 0:
		row.Told += "; no test ran"
	case t.failed == 0:
		row.Told += fmt.Sprintf("; the program ended with %v", err)
		if len(t.open) > 0 {
			row.Told += " in " + t.open[len(t.open)-1]
		}
		row.Told += ": " + crash(t.tail)
	}
	return row
}

// crash picks the line that says why a program ended: the first of a panic or of a failed check in XLA, else the last one.
func crash(lines []string) string {
	for _, sign := range []string{"panic:", "fatal error:", "Check failed", "SIG"} {
		for _, line := range lines {
			if strings.Contains(line, sign) {
				return strings.TrimSpace(line)
			}
		}
	}
	if len(lines) == 0 {
		return "it printed nothing"
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

// firstLines returns the first n lines of text as one.
func firstLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[:min(n, len(lines))], " / ")
}
