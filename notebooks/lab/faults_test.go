//go:build unix

package lab

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

const faultFolder = "PUCL_TEST_FAULT_FOLDER"

// TestFaultChild is the cell that TestFaultInterruptedCell runs; by itself it tests nothing. Its checkpoint interval
// exceeds its steps, so only an interruption saves the state before the end.
func TestFaultChild(t *testing.T) {
	folder := os.Getenv(faultFolder)
	if folder == "" {
		return
	}
	m := Must(train.Pretrain(Interruptible(), Must(engine.Open()), noise{}, train.Config{
		Steps: 12, Encoder: encoder.MLP{Hidden: []int{}, Dim: 2}, Projection: 2, Checkpoint: folder, CheckpointEvery: 1000,
		Observer: train.OnStep(func(p train.Progress) {
			fmt.Println("step", p.Step)
			time.Sleep(30 * time.Millisecond)
		}),
	}))
	text := fmt.Sprintf("%x %x", m.History.Losses, m.History.GradientNorms)
	Check(os.WriteFile(filepath.Join(folder, "result"), []byte(text), 0o644))
}

// runCell runs the cell and sends it the signal when it prints that step; with step "" it sends none.
func runCell(t *testing.T, folder, step string, signal syscall.Signal) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFaultChild$")
	cmd.Env = append(os.Environ(), faultFolder+"="+folder, "GOMLX_BACKEND=go:ops_sequential") // any engine
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	expect.NoError(t, err)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if step != "" && lines.Text() == step {
			expect.NoError(t, cmd.Process.Signal(signal))
		}
	}
	if err := cmd.Wait(); (err == nil) != (step == "") {
		t.Errorf("%v after %q: %v", signal, step, err)
	}
}

// A cell that is stopped by the stop button's signal, or by the signal that ends its kernel, resumes when it is run
// again. Its result is bit-identical to an uninterrupted cell's.
func TestFaultInterruptedCell(t *testing.T) {
	expect.Slow(t)
	results := map[string]string{}
	for name, steps := range map[string][]string{
		"let alone": {""}, "interrupt": {"step 3", "step 8", ""}, "terminated": {"step 3", "step 8", ""},
	} {
		folder := t.TempDir()
		for _, step := range steps {
			runCell(t, folder, step, map[string]syscall.Signal{"interrupt": syscall.SIGINT, "terminated": syscall.SIGTERM}[name])
		}
		text, err := os.ReadFile(filepath.Join(folder, "result"))
		expect.Require(t, err == nil && len(text) != 0, "%v", err)
		results[name] = string(text)
	}
	for name, got := range results {
		expect.Equal(t, got, results["let alone"], "%s: it ends in", name)
	}
	t.Log("| signals to a notebook's cell | stopped 4, gone on to their ends 2 |")
}
