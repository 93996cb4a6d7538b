//go:build unix

package faults_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/puclab/puclab/datasets"
	_ "github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/interrupts"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// Environment of the child program that the tests of faults start, which is this test program itself.
const (
	faultFolder = "PUCL_FAULT_FOLDER" // of checkpoints; not empty only in the child program
	faultResult = "PUCL_FAULT_RESULT" // file for the complete result of the run
	faultEvery  = "PUCL_FAULT_EVERY"  // steps between checkpoints
	faultSeed   = "PUCL_FAULT_SEED"
	faultHold   = "PUCL_FAULT_HOLD" // step after which the run waits for a signal; may be empty
	faultGate   = "PUCL_FAULT_GATE" // file that the run waits for after its third step; may be empty
	faultKind   = "PUCL_FAULT_KIND" // of the run: a key of faultKinds
	faultMode   = "PUCL_FAULT_MODE" // of the programs with a full or read-only disk; else empty
)

// noFolder selects a run without checkpoints.
const noFolder = "none"

// Files of a checkpoint folder.
const newest, before = "training.checkpoint", "training.checkpoint.before"

// faultSteps is the number of steps of the runs in these tests.
const faultSteps = 8

// faults returns the number of faults that a test injects: n times PUCL_FAULTS if that is set.
func faults(t *testing.T, n int) int {
	t.Helper()
	text := os.Getenv("PUCL_FAULTS")
	if text == "" {
		return n
	}
	factor, err := strconv.Atoi(text)
	expect.Require(t, err == nil && factor >= 1, "PUCL_FAULTS is %q; give how many times as many faults to try", text)
	return n * factor
}

// faultBatches returns the batches of these runs: PU batches of noise with stripes, which the run reads ahead.
func faultBatches(t *testing.T) *datasets.Batches {
	rng := rand.New(rand.NewPCG(8, 9))
	images := &datasets.Images{Height: 8, Width: 8, Channels: 1, Classes: []string{"across", "down"}}
	for i := range 64 {
		for p := range 64 {
			images.Pixels = append(images.Pixels, uint8(rng.IntN(60)+140*([]int{p / 8, p % 8}[i%2]/2%2)))
		}
		images.Labels = append(images.Labels, i%2)
	}
	pu := expect.Must(datasets.NewPU(images, datasets.SplitConfig{Positive: []int{0}, Labeled: 12, Seed: 1}))(t)
	return expect.Must(datasets.NewBatches(pu, datasets.BatchConfig{Size: 8, Share: 0.25, Seed: 1}))(t)
}

// faultConfig returns the run of these tests: a network of convolutions that is compiled in a moment, with Adam.
func faultConfig(folder string, every int, seed uint64) train.Config {
	return train.Config{
		Steps: faultSteps, Encoder: oneConvolution, Projection: 3, LearningRate: 0.01, Seed: seed,
		Recipe: augment.Recipe{augment.Flip{Probability: 0.5}}, Checkpoint: folder, CheckpointEvery: every,
		Monitor: train.Monitor{Every: 3, Examples: 16},
	}
}

// oneConvolution is a network that compiles in a moment and uses oneDNN.
var oneConvolution = encoder.Func{Name: "one convolution", Graph: func(scope *model.Scope, images *Node, _ bool) *Node {
	x := encoder.ReLU(encoder.Convolution(scope.In("convolution"), images, 8, 3, 2))
	return ReduceMean(x, 1, 2)
}}

// steps is an observer that calls a function before the first step and one after every step.
type steps struct {
	start, step func(train.Progress)
}

func (s steps) Start(p train.Progress) { s.start(p) }

func (s steps) Step(p train.Progress) { s.step(p) }

func (s steps) End(train.Progress, error) {}

// TestFaultChild is the program that the tests of faults start; by itself it tests nothing. It trains to the end, or
// until it is stopped, and prints its progress.
func TestFaultChild(t *testing.T) {
	folder := os.Getenv(faultFolder)
	if folder == "" {
		return
	}
	fmt.Println("begin")
	every := expect.Must(strconv.Atoi(os.Getenv(faultEvery)))(t)
	seed := expect.Must(strconv.ParseUint(os.Getenv(faultSeed), 10, 64))(t)
	ctx := interrupts.Context()
	eng := expect.Must(engine.Open())(t) // enginetest sets its kind
	fmt.Println("engine", eng.Name())
	batches := faultBatches(t)
	config := faultConfig(folder, every, seed)
	if folder == noFolder {
		config.Checkpoint = ""
	}
	if mode := os.Getenv(faultMode); mode != "" {
		faultModes[mode](ctx, t, eng, batches, config)
		return
	}
	config.Observer = steps{
		func(p train.Progress) { fmt.Println("start", p.Step) },
		func(p train.Progress) {
			fmt.Println("step", p.Step)
			if os.Getenv(faultKind) != "" {
				time.Sleep(5 * time.Millisecond) // so that the run does not end before it can be killed
			}
			if strconv.Itoa(p.Step) == os.Getenv(faultHold) {
				select {
				case <-ctx.Done():
				case <-time.After(time.Minute):
				}
			}
			for p.Step == 3 && !there(os.Getenv(faultGate)) {
				time.Sleep(5 * time.Millisecond)
			}
		},
	}
	text, err := faultKinds[os.Getenv(faultKind)](ctx, eng, batches, config)
	ended(err)
	expect.NoError(t, os.WriteFile(os.Getenv(faultResult), []byte(text), 0o644))
}

// ended ends the program and prints the error of a run for the parent.
func ended(err error) {
	if err != nil {
		fmt.Printf("error %q\n", err.Error())
		os.Exit(3)
	}
}

// there reports whether a file exists at path, or path is "".
func there(path string) bool {
	_, err := os.Stat(path)
	return path == "" || err == nil
}

// faultModes are alternatives of the program to training to the end.
var faultModes = map[string]func(context.Context, *testing.T, *engine.Engine, *datasets.Batches, train.Config){}

// program is a run in its own process.
type program struct {
	*exec.Cmd
	lines *bufio.Scanner
	said  []string // all lines so far
}

// faultRun configures a program.
type faultRun struct {
	kind, backend, folder, result string
	every                         int
	seed                          uint64
	env                           []string
}

// start starts the run.
func (r faultRun) start(t *testing.T) *program {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFaultChild$")
	cmd.Env = append(os.Environ(), faultFolder+"="+r.folder, faultResult+"="+r.result, faultEvery+"="+strconv.Itoa(max(1, r.every)),
		faultSeed+"="+strconv.FormatUint(r.seed, 10), faultKind+"="+r.kind)
	if r.backend != "" {
		cmd.Env = append(cmd.Env, "GOMLX_BACKEND="+r.backend)
	}
	cmd.Env = append(cmd.Env, r.env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	expect.NoError(t, err)
	return &program{Cmd: cmd, lines: bufio.NewScanner(out)}
}

// next reads a line; ok is false at the end of the output.
func (p *program) next() (line string, ok bool) {
	if !p.lines.Scan() {
		return "", false
	}
	p.said = append(p.said, p.lines.Text())
	return p.lines.Text(), true
}

// until reads lines until one begins with prefix, and reports whether one did.
func (p *program) until(prefix string) bool {
	for {
		line, ok := p.next()
		if !ok || strings.HasPrefix(line, prefix) {
			return ok
		}
	}
}

// end waits for the end of the run and returns the error that it printed, "" for none; killed is true if it was killed
// before it could print one.
func (p *program) end(t *testing.T) (failure string, killed bool) {
	t.Helper()
	for {
		if _, ok := p.next(); !ok {
			break
		}
	}
	err := p.Wait()
	if status, ok := p.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
		return "", true
	}
	for _, line := range p.said {
		if quoted, ok := strings.CutPrefix(line, "error "); ok {
			failure, err = strconv.Unquote(quoted)
			expect.That(t, err == nil, "%v", err)
			return failure, false
		}
	}
	expect.That(t, err == nil, "%v after %q", err, p.said)
	return "", false
}

// last returns the number in the last line that begins with word, -1 if there is none.
func (p *program) last(word string) int {
	for _, line := range slices.Backward(p.said) {
		var n int
		if _, err := fmt.Sscanf(line, word+" %d", &n); err == nil {
			return n
		}
	}
	return -1
}

// must waits for the run to end and returns its result.
func (r faultRun) must(t *testing.T) string {
	t.Helper()
	failure, _ := r.start(t).end(t)
	expect.Require(t, failure == "", "%v", failure)
	return r.read(t)
}

// read returns the result of a run that ended.
func (r faultRun) read(t *testing.T) string {
	t.Helper()
	f := expect.Must(os.Open(r.result))(t)
	defer f.Close()
	data, err := io.ReadAll(f)
	expect.Require(t, err == nil && len(data) != 0, "%d bytes, %v", len(data), err)
	return string(data)
}
