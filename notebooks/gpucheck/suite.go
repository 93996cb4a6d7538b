package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/home"
)

// enginePackages are the folders of the packages whose tests use the engine. A test keeps the list complete.
var enginePackages = []string{
	"pucl/engine", "pucl/internal/onednn", "pucl/internal/programs", "pucl/augment", "pucl/encoder", "pucl/optim", "pucl/evaluate", "pucl/cluster", "pucl",
	"pucl/risk", "pucl/internal/sample", "pucl/probe", "pucl/mak", "pucl/train", "pucl/train/faults", "pucl/onnx", "pucl/classify", "pucl/baseline", "pucl/vqa", "pucl/contrast", "pucl/learn", "pucl/pu",
	"notebooks/lab", "notebooks/experiment", "notebooks/papers", "notebooks/grid", "notebooks/report", "notebooks/defaults", "notebooks/gpucheck",
	"notebooks/theorylab", "notebooks/theorylab/answers", "theory", "theory/claims", "theory/claims/verdicts", "datasets/gomlxdata",
}

// build compiles this program, the test programs of the packages and the converter of their output into dir, for use on
// a machine without Go.
func build(ctx context.Context, dir string, packages []string, say func(format string, args ...any)) error {
	root, ok := home.Dir()
	if !ok {
		return errors.New("-build: start in the folder of the checkout, where go.mod is")
	}
	dir, err := filepath.Abs(dir)
	if err = errors.Join(err, os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	for _, pkg := range []string{"./notebooks/gpucheck", "cmd/" + converter} {
		say("Compiling %s …", path.Base(pkg))
		if err := goCommand(ctx, root, "build", "-ldflags=-s -w", "-o", filepath.Join(dir, path.Base(pkg)), pkg); err != nil {
			return err
		}
	}
	for i, pkg := range packages {
		say("Compiling the tests of %s (%d of %d) …", pkg, i+1, len(packages))
		if err := buildTests(ctx, root, pkg, testProgram(dir, pkg)); err != nil {
			return err
		}
	}
	say("All is in %s. Carry it with the files of the checkout; there, in the checkout's folder:\n    %[2]s/gpucheck -tests %[2]s",
		dir, filepath.Base(dir))
	return nil
}

// converter is Go's program that converts the output of a test program to JSON. The additions of `go test -json` are
// unsuitable here: it does not report how the test program ended.
const converter = "test2json"

// testProgram returns the file of a package's test program in a folder: "pucl-engine.test".
func testProgram(folder, pkg string) string {
	return filepath.Join(folder, strings.ReplaceAll(pkg, "/", "-")+".test")
}

// buildTests compiles the tests of a package into program.
func buildTests(ctx context.Context, root, pkg, program string) error {
	return goCommand(ctx, root, "test", "-c", "-ldflags=-s -w", "-o", program, "./"+pkg)
}

// goCommand runs the go command in the module's folder; its errors include its output.
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
	root     string // of the module, which contains the test data
	programs string // folder of prebuilt test programs; "" means to build each one
	env      []string
}

// newSuite finds the requirements of the tests. The error names what is missing.
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
	env := []string{"GOMLX_BACKEND=" + backend, "NVIDIA_TF32_OVERRIDE=" + cmp.Or(os.Getenv("NVIDIA_TF32_OVERRIDE"), "0")}
	return &suite{root, programs, append(os.Environ(), env...)}, nil
}

// run runs the tests of a package.
func (s *suite) run(ctx context.Context, pkg string, progress func(string)) (*Row, error) {
	dir := filepath.Join(s.root, filepath.FromSlash(pkg))
	if _, err := os.Stat(dir); err != nil {
		return &Row{Result: NotRun, Detail: "the checkout's folder " + pkg + ", with the test data, is not here"}, nil
	}
	program := testProgram(s.programs, pkg)
	convert := exec.CommandContext(ctx, filepath.Join(s.programs, converter))
	if s.programs == "" {
		progress("compiling the tests")
		temporary, err := os.MkdirTemp("", "puclab-tests-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(temporary)
		program = testProgram(temporary, pkg)
		if err := buildTests(ctx, s.root, pkg, program); err != nil {
			return nil, errors.New("the tests do not compile: " + firstLines(err.Error(), 6))
		}
		convert = exec.CommandContext(ctx, "go", "tool", converter)
	}
	for _, file := range []string{program, convert.Path} {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return &Row{Result: NotRun, Detail: "there is no " + filepath.Base(file) + " in the folder of -tests"}, nil
		}
	}
	cmd := exec.CommandContext(ctx, program, "-test.v=test2json", "-test.timeout=20m")
	cmd.Dir, cmd.Env = dir, s.env
	counts := &tally{onTest: progress}
	ended, err := counts.convert(cmd, convert)
	if err != nil {
		return nil, fmt.Errorf("the output of the tests could not be read: %w", err)
	}
	return counts.row(ended), nil
}

// event is a line of the converter, as described in `go doc test2json`.
type event struct{ Action, Test, Output string }

// tally counts the outcomes of a test program.
type tally struct {
	passed, failed, skipped int      // tests and examples; a subtest counts with its test, but a skipped one counts too
	failures                []string // names, of the innermost subtests
	open                    []string // started but not ended: where a program crashed
	tail                    []string // the last lines
	onTest                  func(name string)
}

// convert runs a test program with its output piped through the converter, and counts events. ended is how the program
// ended; err means that its output could not be read.
func (t *tally) convert(program, converter *exec.Cmd) (ended, err error) {
	out, err := program.StdoutPipe()
	lines, failed := converter.StdoutPipe()
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	program.Stderr, converter.Stdin = program.Stdout, out
	if err := converter.Start(); err != nil {
		return nil, err
	}
	if err := program.Start(); err != nil {
		return err, converter.Wait()
	}
	err = out.Close() // only the converter reads: if it ends early, so does the program
	for decoder := json.NewDecoder(lines); err == nil; {
		var e event
		if err = decoder.Decode(&e); err == nil {
			t.add(e)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	err = errors.Join(err, lines.Close())
	return program.Wait(), errors.Join(err, converter.Wait())
}

// tailLines is the number of lines kept to show where a program crashed.
const tailLines = 40

// add counts an event.
func (t *tally) add(e event) {
	switch e.Action {
	case "output":
		if line := strings.TrimRight(e.Output, "\r\n"); strings.TrimSpace(line) != "" {
			t.tail = append(t.tail, line)
			t.tail = t.tail[max(0, len(t.tail)-tailLines):]
		}
	case "run":
		t.open = append(t.open, e.Test)
		t.onTest(e.Test)
	case "pass", "skip", "fail":
		t.open = slices.DeleteFunc(t.open, func(other string) bool { return other == e.Test })
		whole, inner := e.Test == "", strings.Contains(e.Test, "/") // the whole package, a subtest
		switch {
		case whole || inner && e.Action == "pass":
		case e.Action == "pass":
			t.passed++
		case e.Action == "skip":
			t.skipped++
		default:
			if !inner {
				t.failed++
			}
			t.addFailure(e.Test)
		}
	}
}

// addFailure adds the name of a failed test, instead of the enclosing test and not in addition to its subtests: the
// testing package may report either first.
func (t *tally) addFailure(name string) {
	if slices.ContainsFunc(t.failures, func(other string) bool { return strings.HasPrefix(other, name+"/") }) {
		return
	}
	t.failures = append(slices.DeleteFunc(t.failures, func(other string) bool { return strings.HasPrefix(name, other+"/") }), name)
}

// row reports the counts; err is how the program ended.
func (t *tally) row(err error) *Row {
	row := &Row{Result: Fail, Failures: t.failures,
		Detail: fmt.Sprintf("%d passed, %d failed, %d skipped", t.passed, t.failed, t.skipped),
		Values: map[string]float64{"passed": float64(t.passed), "failed": float64(t.failed), "skipped": float64(t.skipped)}}
	switch {
	case t.failed > 0:
	case err == nil && t.passed > 0:
		row.Result = Pass
	case err == nil:
		row.Detail += "; no test ran"
	default:
		row.Detail += fmt.Sprintf("; the program ended with %v", err)
		if len(t.open) > 0 {
			row.Detail += " in " + t.open[len(t.open)-1]
		}
		row.Detail += ": " + crash(t.tail)
	}
	return row
}
