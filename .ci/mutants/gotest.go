package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const (
	niceness = "10"
	// maxData limits the data segment of each process, in bytes: a mutant may allocate without end.
	maxData = 10 << 30
	// buildTime is added to a test's time-out for the compiler and the linker.
	buildTime = 20 * time.Minute
)

// limitMemory limits the memory of this process and of its children to maxData each.
func limitMemory() error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: maxData, Max: maxData})
}

// overlay writes the mutated file and the JSON file for go's -overlay flag to folder. It returns the name of the JSON
// file.
func (m *mutant) overlay(mod *module, folder string) (string, error) {
	original, source, err := m.apply(mod.root)
	if err != nil {
		return "", err
	}
	mutated := filepath.Join(folder, filepath.Base(original))
	if err := os.WriteFile(mutated, source, 0o644); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutated}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, "overlay.json")
	return name, os.WriteFile(name, text, 0o644)
}

// compiles reports whether the mutated package builds.
func compiles(ctx context.Context, mod *module, m *mutant) (bool, error) {
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	overlay, err := m.overlay(mod, folder)
	if err != nil {
		return false, err
	}
	cmd := exec.CommandContext(ctx, "nice", "-n", niceness,
		"go", "build", "-overlay", overlay, "-o", os.DevNull, "./"+m.Package)
	cmd.Dir = mod.root
	var exit *exec.ExitError
	if out, err := cmd.CombinedOutput(); errors.As(err, &exit) && ctx.Err() == nil {
		if !bytes.Contains(out, []byte(filepath.Base(m.File))) {
			return false, fmt.Errorf("go build ./%s fails outside the mutated file: %w\n%s", m.Package, err, out)
		}
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, nil
}

// trial is one run of the tests of one package.
type trial struct {
	pkg     string // path below the module
	test    string // the only top-level test to run, or "" for all
	engine  string // "go" or "xla"
	short   bool
	timeout time.Duration
	procs   int
	overlay string // "" for the unchanged code
}

// outcome is the result of a trial.
type outcome struct {
	Passed  bool
	Test    string // the first test that failed, "time-out" or "crash"
	Seconds float64
	CPU     float64 // seconds of all processes, including compiler and linker
}

// run runs the trial with a temporary folder of its own. It returns an error if the tests do not compile.
func (t trial) run(ctx context.Context, mod *module) (outcome, error) {
	temp, err := os.MkdirTemp("", "mut")
	if err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(temp)
	ctx, cancel := context.WithTimeout(ctx, t.timeout+buildTime)
	defer cancel()
	args := []string{"-n", niceness, "go", "test", "-count=1", "-failfast", "-vet=off", "-ldflags=-w",
		fmt.Sprintf("-p=%d", t.procs), "-timeout=" + t.timeout.String()}
	if t.short {
		args = append(args, "-short")
	}
	if t.test != "" {
		args = append(args, "-run=^"+t.test+"$")
	}
	cmd := exec.CommandContext(ctx, "nice", append(args, "./"+t.pkg)...)
	cmd.Dir = mod.root
	cmd.Env = t.environment(temp, mod.flags)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err = cmd.Run()
	result := outcome{Passed: err == nil, Seconds: time.Since(began).Seconds()}
	if cmd.ProcessState != nil {
		result.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return result, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		result.Test = "time-out"
		return result, nil
	case ctx.Err() != nil:
		return outcome{}, ctx.Err()
	case !errors.As(err, &exit):
		return outcome{}, fmt.Errorf("go test ./%s: %w", t.pkg, err)
	}
	result.Test, err = failure(out.String())
	if err != nil {
		return outcome{}, fmt.Errorf("go test ./%s: %w", t.pkg, err)
	}
	return result, nil
}

// environment returns the trial's environment. GOFLAGS carries the overlay, so that tests which run go apply it too.
func (t trial) environment(temp, flags string) []string {
	env := append(os.Environ(), "TMPDIR="+temp, fmt.Sprintf("GOMAXPROCS=%d", max(2, t.procs)))
	kept := env[:0]
	for _, variable := range env {
		switch name, _, _ := strings.Cut(variable, "="); name {
		case "GOMLX_BACKEND", "PUCL_HOME", "VIRTUAL_ENV": // they select an engine outside the module
		default:
			kept = append(kept, variable)
		}
	}
	if t.engine == "go" {
		kept = append(kept, "GOMLX_BACKEND=go")
	}
	if t.overlay != "" {
		kept = append(kept, "GOFLAGS="+strings.TrimSpace(flags+" '-overlay="+t.overlay+"'"))
	}
	return kept
}

var (
	failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	failedLine = regexp.MustCompile(`(?m)^FAIL\b`)
	notBuilt   = regexp.MustCompile(`(?m)^FAIL\s.*\[(build|setup) failed\]$`)
)

// failure returns the first failed test in the output of go test, "time-out" or "crash".
func failure(out string) (string, error) {
	switch {
	case notBuilt.MatchString(out) || !failedLine.MatchString(out):
		return "", fmt.Errorf("the tests did not run; fix the cause:\n%s", tail(out))
	case strings.Contains(out, "panic: test timed out after"):
		return "time-out", nil
	}
	if match := failedTest.FindStringSubmatch(out); match != nil {
		return match[1], nil
	}
	return "crash", nil
}

// tail returns the last 30 lines of a text.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-30):], "\n")
}
