package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

// TestMain makes the test program also the child process of the checks.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "-part" {
		if os.Getenv("GPUCHECK_CRASHES") != "" {
			panic("the card fell off the bus")
		}
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr, nil))
	}
	os.Exit(m.Run())
}

// fakeRunner replaces the processes of the parts, with the findings of a machine with that engine.
func fakeRunner(kind string, spoil func(p part, backend string, m *message) error) runner {
	return func(ctx context.Context, p part, backend string, tell func(string)) (message, error) {
		var m message
		switch {
		case p.Kind == kindStart:
			m.Machine = &Machine{Engine: "the engine", Kind: kind, Backend: "here", Devices: 1, Device: "Card 0"}
			m.Row = &Row{Kind: kindStart, What: "a first training step", Result: Pass, Detail: "taken"}
		default:
			tell("half way")
			m.Row = &Row{Result: Pass, Detail: "done", Values: map[string]float64{}}
			m.Memory = 2e9
		}
		if spoil == nil {
			return m, ctx.Err()
		}
		return m, errors.Join(spoil(p, backend, &m), ctx.Err())
	}
}

// runWith runs the program with a runner, and returns its status and output.
func runWith(t *testing.T, ctx context.Context, parts runner, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Setenv("PATH", t.TempDir()) // no nvidia-smi, no go
	var out, messages bytes.Buffer
	status = run(ctx, args, &out, &messages, parts)
	return status, out.String(), messages.String()
}

func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		expect.That(t, strings.Contains(text, p), "%q is not in:\n%s", p, text)
	}
}

const fast = "numbers,step,training"

func TestEverythingPasses(t *testing.T) {
	var parts []part
	see := func(p part, backend string, _ *message) error {
		parts = append(parts, p)
		expect.That(t, p.Kind == kindStart || backend == "here", "%+v runs on %q", p, backend)
		return nil
	}
	status, stdout, stderr := runWith(t, context.Background(), fakeRunner("xla-cuda", see), "-only", fast, "-steps", "7")
	expect.That(t, status == exitOK, "status %d", status)
	// On a GPU: the start, a product, two comparisons, three steps to time in two precisions, two trainings.
	expect.That(t, len(parts) == 1+1+2+6+2, "%d parts: %+v", len(parts), parts)
	last := parts[len(parts)-1]
	expect.That(t, last.Kind == kindTraining && last.Steps == 7, "the last part is %+v", last)
	has(t, stdout, "engine    the engine", "device    Card 0", "driver    not told", "card      not told", "12 passed, 0 failed, 0 not run.",
		"device memory not told, the process's 2.00 GB")
	has(t, stderr, "[1/11] numbers", "[11/11] training: CIFAR-I", "PASS after")
}

// Every kind of failure is a row with FAIL, the other checks continue, and the status is 1.
func TestFailuresAreRows(t *testing.T) {
	spoil := func(p part, backend string, m *message) error {
		switch {
		case p.Kind == kindStep && strings.HasPrefix(p.Name, "small CNN"):
			return errors.New("its process ended with signal: aborted")
		case p.Kind == kindStep:
			m.Row = nil
		case p.Kind == kindNumbers:
			m.Row.Result, m.Row.Detail = Fail, "apart"
		}
		return nil
	}
	status, stdout, _ := runWith(t, context.Background(), fakeRunner("xla-cpu", spoil), "-on", "cpu", "-only", fast, "-json")
	expect.That(t, status == exitFailed, "status %d", status)
	var r Report
	err := json.Unmarshal([]byte(stdout), &r)
	expect.Require(t, err == nil, "%v in %s", err, stdout)
	// A product, two comparisons, four timings; the start and two trainings went well.
	expect.That(t, r.count(Fail) == 7 && r.count(Pass) == 3,
		"%d failed, %d passed:\n%s", r.count(Fail), r.count(Pass), stdout)
	has(t, stdout, "signal: aborted", "its process told nothing", "a step of a ResNet-10 against pure Go")
}

func TestTheWrongEngineIsRefused(t *testing.T) {
	for _, tt := range []struct{ on, kind, want string }{
		{"gpu", "xla-cpu", "no GPU answers; what opens is the engine."}, {"gpu", "go", "-on cpu"},
		{"cpu", "xla-cuda", "GOMLX_BACKEND=xla:cpu"}, {"go", "xla-cpu", "not the pure-Go one"},
	} {
		status, stdout, stderr := runWith(t, context.Background(), fakeRunner(tt.kind, nil), "-on", tt.on)
		expect.That(t, status == exitFailed && stdout == "",
			"-on %s with %s: status %d, %q", tt.on, tt.kind, status, stdout)
		has(t, stderr, tt.want)
	}
	status, _, stderr := runWith(t, context.Background(), func(context.Context, part, string, func(string)) (message, error) {
		return message{}, errors.New("no such plugin")
	})
	expect.That(t, status == exitFailed, "an engine that does not open: status %d", status)
	has(t, stderr, "the engine does not work: no such plugin")
}

// Ctrl-C prints the completed checks and the number of the others.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	parts := fakeRunner("go", func(p part, _ string, _ *message) error {
		if p.Kind == kindTraining {
			cancel()
		}
		return nil
	})
	status, stdout, _ := runWith(t, ctx, parts, "-on", "go", "-only", fast, "-markdown")
	expect.That(t, status == exitInterrupted, "status %d", status)
	has(t, stdout, "| PASS | start | a first training step | taken | 0 |", "| PASS | step |", "6 passed, 0 failed, 0 not run. Interrupted: 2 more were left undone.")
	expect.That(t, !strings.Contains(stdout, "| training |"), "the interrupted check has a row:\n%s", stdout)
}

// Without Go and without test programs the tests are reported as not run, which is not a failure.
func TestTestsThatCannotRun(t *testing.T) {
	status, stdout, _ := runWith(t, context.Background(), fakeRunner("go", nil), "-on", "go", "-only", "tests")
	expect.That(t, status == exitOK, "status %d", status)
	has(t, stdout, "not run  tests  theory/claims/verdicts", "no go command here", fmt.Sprintf("1 passed, 0 failed, %d not run.", len(enginePackages)))
}

func TestWrongCommandLines(t *testing.T) {
	for want, args := range map[string][]string{
		"no kind \"speed\"": {"-only", "step,speed"}, "want gpu, cpu or go": {"-on", "tpu"}, "exclude each other": {"-json", "-markdown"},
		"takes no arguments": {"now"}, "want a positive number": {"-steps", "-1"}, "not defined": {"-nosuch"},
	} {
		status, _, stderr := runWith(t, context.Background(), nil, args...)
		expect.That(t, status == exitUsage, "%q: status %d", args, status)
		has(t, stderr, want)
	}
}

// The parts run in separate processes; their findings, errors and crashes are returned.
func TestProcesses(t *testing.T) {
	ctx := context.Background()
	var told []string
	found := expect.Must(inProcess(ctx, part{Kind: kindStart}, "go", func(s string) { told = append(told, s) }))(t)
	if m := found.Machine; m == nil || m.Kind != "go" || m.Backend != "go" || m.Devices != 1 || !strings.Contains(m.Versions, "gomlx v") || m.Hardware == "" {
		t.Errorf("machine %+v", m)
	}
	expect.That(t, found.Row != nil && found.Row.Result == Pass && found.Row.Values["loss_nats"] > 0 &&
		found.Memory > 0, "row %+v, memory %g", found.Row, found.Memory)
	_, err := inProcess(ctx, part{Kind: "nosuch"}, "go", nil)
	expect.That(t, err != nil && err.Error() == `there is no check "" of the kind "nosuch"`, "%v", err)
	expect.Error(t, expect.Err(inProcess(ctx, part{Kind: kindStart}, "xla:/no/such/plugin.so", nil)),
		"/no/such/plugin.so")
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := inProcess(short, part{Kind: kindStep, Name: "ResNet-18, 2×32 views 32×32, SGD, float32"}, "go", func(string) {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("interrupted: %v", err)
	}
	took := time.Since(began)
	expect.That(t, took <= 10*time.Second, "the interrupted process took %v to end", took)
	t.Setenv("GPUCHECK_CRASHES", "1")
	expect.Error(t, expect.Err(inProcess(ctx, part{Kind: kindStart}, "go", nil)),
		"exit status 2: panic: the card fell off the bus")
}
