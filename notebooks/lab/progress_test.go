//go:build unix

package lab

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/train"
)

// The display has a start, the loss beside the chance level, a speed that excludes pauses, and an end that states the
// outcome.
func TestProgressIsWholeAtEveryEnd(t *testing.T) {
	step := train.Progress{
		Step: 3, Steps: 4, Loss: 1.5, Chance: 2, Rate: 0.0123, Examples: 8, Example: "image", Views: 48,
		Reading: &train.Reading{Step: 3, Projections: evaluate.Collapse{EffectiveRank: 2.5}},
	}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"done", nil, "loss 1.500 (chance 2.000)"},
		{"stopped", &train.Stopped{}, ""},
		{"failed", errors.New("the disk is full"), "failed"},
	} {
		if tt.name == "stopped" {
			tt.err, tt.want = context.Canceled, "stopped"
		}
		var b bytes.Buffer
		p := Progress(&b, "PUCL")
		p.Start(train.Progress{Steps: 4, Example: "image"})
		p.Step(step)
		p.End(step, tt.err)
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		expect.That(t, len(lines) == 3 && lines[0] == "PUCL: preparing the first step" &&
			lines[1] == "PUCL: step 3 of 4 (75 %), loss 1.500 (chance 2.000), rate 0.012, rank 2.5" &&
			strings.HasPrefix(lines[2], "PUCL: 3 of 4 steps in ") && strings.HasSuffix(lines[2], ", "+tt.want),
			"%s:\n%s", tt.name, b.String())
	}
	var b bytes.Buffer
	p := Progress(&b, "PUCL")
	p.Start(train.Progress{Step: 2, Steps: 4})
	p.End(train.Progress{Step: 2, Steps: 4}, nil)
	expect.That(t, strings.HasPrefix(b.String(), "PUCL: going on after step 2 of 4, preparing\n"),
		"a run that goes on says %q", b.String())
}

// A run whose steps are all done reports this, so that it does not seem instantaneous.
func TestProgressOfWhatIsDone(t *testing.T) {
	var b bytes.Buffer
	p := Progress(&b, "PUCL")
	p.Start(train.Progress{Step: 4, Steps: 4})
	p.End(train.Progress{Step: 4, Steps: 4}, nil)
	expect.That(t, strings.HasSuffix(b.String(), ", all done before\n"), "it says %q", b.String())
}

// Only the error reports an interrupt before the first step.
func TestProgressOfAnInterruptBeforeTheFirstStep(t *testing.T) {
	var b bytes.Buffer
	p := Progress(&b, "PUCL")
	p.Start(train.Progress{Steps: 4})
	p.End(train.Progress{Steps: 4}, context.Canceled)
	if strings.Contains(b.String(), "stopped") || !strings.HasPrefix(b.String(), "PUCL: preparing the first step\nPUCL: 0 of 4 steps in ") {
		t.Errorf("it says %q", b.String())
	}
}

// Each note about the start is one separate line, printed once.
func TestProgressShowsNotes(t *testing.T) {
	var b bytes.Buffer
	p := Progress(&b, "PUCL")
	at := train.Progress{Step: 1, Steps: 4, Notes: []string{"the newest checkpoint is damaged"}}
	p.Start(at)
	p.Step(at)
	p.End(at, nil)
	if text := b.String(); !strings.HasPrefix(text, "PUCL: note: the newest checkpoint is damaged\nPUCL: going on after step 1 of 4") ||
		strings.Count(text, "damaged") != 1 {
		t.Errorf("it says\n%s", text)
	}
}

// Speeds are in images or rows, with the number of views of each: two in pretraining, one in fine-tuning, which also
// has no chance level.
func TestProgressSaysHowManyViews(t *testing.T) {
	for views, want := range map[int]string{
		1: `tuning: 2 steps in [\d. ]+s, [\d,]+ rows/s, loss 0\.250\n$`, 2: `tuning: 2 steps in [\d. ]+s, [\d,]+ rows/s × 2 views, loss 0\.250\n$`,
	} {
		var b bytes.Buffer
		p := Progress(&b, "tuning")
		p.Start(train.Progress{Steps: 2, Example: "row"})
		first := train.Progress{Step: 1, Steps: 2, Loss: 0.5, Examples: 8, Example: "row", Views: 8 * views}
		p.Step(first)
		time.Sleep(2 * time.Millisecond) // so that there is a speed
		last := first
		last.Step, last.Loss, last.Views = 2, 0.25, 16*views
		p.Step(last)
		p.End(last, nil)
		expect.That(t, regexp.MustCompile(want).MatchString(b.String()), "%d views:\n%s", views, b.String())
	}
}

const interruptFolder = "PUCL_TEST_INTERRUPT_FOLDER"

// endless performs a run that takes far longer than the test.
func endless(folder string) error {
	eng, err := engine.Open()
	if err != nil {
		return err
	}
	_, err = train.Pretrain(Interruptible(), eng, noise{}, train.Config{
		Steps: 1_000_000, Encoder: encoder.SmallCNN{Width: 1, Dim: 2}, Projection: 2, Checkpoint: folder,
		Observer: Progress(os.Stdout, "endless"),
	})
	return err
}

// TestInterruptedCell is the program that TestInterrupt starts; by itself it tests nothing.
func TestInterruptedCell(t *testing.T) {
	if folder := os.Getenv(interruptFolder); folder != "" {
		Check(endless(folder))
	}
}

// The signal that GoNB sends to an interrupted cell ends training: its state is saved and a sentence is printed. The
// same cell resumes from there.
func TestInterrupt(t *testing.T) {
	folder := t.TempDir()
	said := interrupt(t, folder)
	found := regexp.MustCompile(`pretraining stopped after (\d+) of 1000000 steps \(interrupt signal received\); its state is saved in ` +
		regexp.QuoteMeta(filepath.Join(folder, "training.checkpoint")) + `: run the same again, and it goes on from there`).FindStringSubmatch(said)
	expect.Require(t, found != nil && strings.Contains(said, "✗ train: ") && strings.Contains(said, ", stopped\n"),
		"an interrupted run says\n%s", said)
	if again := interrupt(t, folder); !strings.Contains(again, "endless: going on after step "+found[1]+" of 1000000") {
		t.Errorf("the run after %s steps goes on with\n%s", found[1], again)
	}
}

// interrupt starts the run, interrupts it after its first step and returns its output.
func interrupt(t *testing.T, folder string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestInterruptedCell$")
	cmd.Env = append(os.Environ(), interruptFolder+"="+folder, "GOMLX_BACKEND=go:ops_sequential")
	out := expect.Must(cmd.StdoutPipe())(t)
	var said, stderr bytes.Buffer
	cmd.Stderr = &stderr
	expect.NoError(t, cmd.Start())
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "endless: step ") {
			expect.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		}
	}
	started := time.Now()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("the interrupted program ended with %v:\n%s%s", err, said.String(), stderr.String())
	}
	took := time.Since(started)
	expect.That(t, took <= 4*time.Second, "it took %v to stop; GoNB kills after five seconds", took)
	return said.String() + stderr.String()
}

// Curves draws the history that a model has, with or without readings.
func TestCurves(t *testing.T) {
	eng := enginetest.Open(t)
	config := train.Config{Steps: 4, Encoder: encoder.SmallCNN{Width: 1, Dim: 2}, Projection: 2}
	config.Monitor = train.Monitor{Every: 2, Examples: 12}
	m := expect.Must(train.Pretrain(context.Background(), eng, noise{}, config))(t)
	full := expect.Must(Curves(m, "noise", "PUCL"))(t)
	m.History = train.History{Losses: m.History.Losses}
	bare := expect.Must(Curves(m, "noise", "PUCL"))(t)
	_, tall := full.Size()
	_, low := bare.Size()
	expect.That(t, low < tall, "%g points without a history, %g with", low, tall)
}
