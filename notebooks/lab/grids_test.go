package lab

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/notebooks/papers"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/train"
)

// The module's own results are found for each small size of the cells, and the sentence counts them.
func TestCommitted(t *testing.T) {
	for _, size := range []string{"", "smoke", "laptop"} {
		t.Setenv("PUCL_SIZE", size)
		cells, told, err := Committed("gaussians")
		expect.That(t, err == nil && len(cells.Standings) == 380 &&
			told == "gaussians, size laptop: 380 of 380 runs done.", "size %q: %q, %v", size, told, err)
	}
	grid := expect.Must(papers.Find("gaussians", experiment.Smoke))(t)
	told := tellGrid(grid, &experiment.Cells{Standings: []experiment.Standing{
		{State: experiment.Done}, {State: experiment.Missing}, {State: experiment.Stale, Why: "a is of another run"}}})
	for _, want := range []string{"1 of 3 runs done, 1 missing, 1 stale.", "`go run ./notebooks grid -size smoke gaussians`", "Left out: a is of another run."} {
		expect.That(t, strings.Contains(told, want), "%q, want %q in it", told, want)
	}
}

// The caption of smoke runs warns that they are too small for conclusions; captions of other sizes state only the size.
func TestTellSize(t *testing.T) {
	cells := &experiment.Cells{Standings: []experiment.Standing{
		{Run: experiment.Run{Seed: 1}, State: experiment.Done, Result: &experiment.Result{Points: []experiment.Point{{Step: 20}}}}}}
	for size, want := range map[experiment.Size]string{
		experiment.Smoke:  "Size smoke: one seed, 20 steps. It shows that everything runs, and not who wins.",
		experiment.Laptop: "Size laptop: one seed, 20 steps.",
	} {
		expect.Equal(t, tellSize(size, cells), want)
	}
}

// An unknown size, an unknown grid and a stale result each return an error with a remedy before any training.
func TestRunGridRefuses(t *testing.T) {
	refuse := func(name string, words ...string) {
		t.Helper()
		_, err := RunGrid(name, t.Output())
		for _, word := range words {
			expect.That(t, err != nil && strings.Contains(err.Error(), word), "%v, want %q in it", err, word)
		}
	}
	t.Setenv("PUCL_SIZE", "huge")
	refuse("figure-1", `no size "huge"`, "smoke, laptop or paper")
	_, _, err := Committed("figure-1")
	expect.That(t, err != nil && strings.Contains(err.Error(), "smoke, laptop or paper"), "%v", err)
	t.Setenv("PUCL_SIZE", "smoke")
	refuse("figure-99", `no table "figure-99"`, "figure-1")

	t.Setenv(home.Env, t.TempDir()) // a checkout without results
	t.Setenv("PUCL_SIZE", "")
	_, told := expect.Must2(Committed("figure-9"))(t)
	expect.That(t, strings.Contains(told, "63 missing. `go run ./notebooks grid -size laptop figure-9`"), "%q", told)
	bench := expect.Must(Open("grids"))(t)
	grid := expect.Must(papers.Find("figure-1", experiment.Smoke))(t)
	file := filepath.Join(bench.Path("results"), "smoke", grid.Runs[3].Path()+".json")
	expect.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	expect.NoError(t, os.WriteFile(file, []byte(`{"Format": 99}`), 0o644))
	refuse("figure-1", "is of format 99", "; or remove "+bench.Path("results"))
}

// small returns the configuration of a two-step run.
func small() train.Config {
	return train.Config{Steps: 2, Encoder: encoder.SmallCNN{Width: 1, Dim: 2}, Projection: 2, Recipe: augment.Recipe{}, Monitor: train.Monitor{Every: 1, Examples: 4}}
}

func TestPretrainKeepsTheModel(t *testing.T) {
	eng, b := enginetest.Open(t), bench(t)
	m := expect.Must(b.Pretrain(eng, "m", noise{}, small()))(t)
	again := expect.Must(b.Model("m"))(t)
	expect.That(t, again.History.Losses[1] == m.History.Losses[1], "the model on the bench is another one")
	r := LastReading(again)
	expect.That(t, r.Step == 2, "the last reading is that of step %d", r.Step)
	_, err := os.Stat(b.Path("m.run"))
	expect.That(t, os.IsNotExist(err), "the checkpoint is still there: %v", err)
	expect.That(t, expect.Err(b.Pretrain(eng, "a/b", noise{}, small())) != nil, "a bad name was taken")
	if r := LastReading(&train.Model{}); r.Step != 0 {
		t.Errorf("a model without readings has %v", r)
	}
}

func TestViews(t *testing.T) {
	eng := enginetest.Open(t)
	images := &datasets.Images{Height: 8, Width: 8, Channels: 1, Pixels: make([]uint8, 3*64), Labels: make([]int, 3), Classes: []string{"a"}}
	grid := expect.Must(Views(eng, augment.Recipe{augment.Flip{}}, images, 1))(t)
	expect.That(t, grid.Title != "", "the grid has no title")
	smaller := augment.Recipe{augment.Crop{Height: 4, Width: 4}}
	expect.Error(t, expect.Err(Views(eng, smaller, images, 1)), "4×4×1")
	none := &datasets.Images{Height: 8, Width: 8, Channels: 1}
	expect.That(t, expect.Err(Views(eng, augment.Recipe{}, none, 1)) != nil, "a grid of no image was drawn")
}

// The loop visits every item once, in order. Its line appears before the first item and ends with their number.
func TestWatch(t *testing.T) {
	var b bytes.Buffer
	var seen []string
	for i, name := range watch(&b, "loss", []string{"ssCL", "PUCL"}) {
		seen = append(seen, name)
		expect.That(t, i == len(seen)-1, "item %d has index %d", len(seen)-1, i)
		expect.That(t, strings.HasPrefix(b.String(), "loss 0 of 2 (0 %)\n"), "during item %d it says %q", i, b.String())
	}
	expect.That(t, slices.Equal(seen, []string{"ssCL", "PUCL"}), "it went through %q", seen)
	expect.That(t, regexp.MustCompile(`\n2 losses in .*\n$`).MatchString(b.String()),
		"at the end it says\n%s", b.String())
}

// A loop that is left early prints how many items were done; without items nothing is printed.
func TestWatchLeftEarly(t *testing.T) {
	var b bytes.Buffer
	for i := range watch(&b, "claim", make([]int, 4)) {
		if i == 1 {
			break
		}
	}
	expect.That(t, regexp.MustCompile(`\n1 of 4 claims in .*, left at claim 2\n$`).MatchString(b.String()),
		"it says\n%s", b.String())
	b.Reset()
	for range watch(&b, "claim", []int(nil)) {
		t.Error("there is nothing to go through")
	}
	expect.That(t, b.Len() == 0, "of nothing it says\n%s", b.String())
}

func TestConfirm(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		got, want, tolerance float64
		ok                   bool
	}{
		{1, 1, 0, true}, {1, 1.25, 0.25, true}, {1, 0.75, 0.25, true}, {1, 1.26, 0.25, false}, {1, 0.74, 0.25, false}, {1, 1, -1, false},
		{nan, 1, 1, false}, {1, nan, 1, false}, {1, 1, nan, false}, {inf, inf, 1, false}, {inf, 1, inf, false}, {1, 2, inf, false},
	} {
		var out strings.Builder
		err := confirmNear(&out, "the number", tt.got, tt.want, tt.tolerance)
		expect.That(t, tt.ok == (err == nil) && tt.ok == strings.HasPrefix(out.String(), "✓ the number: "),
			"%g near %g within %g: %v, and it prints %q", tt.got, tt.want, tt.tolerance, err, out.String())
	}
}

const confirmNumber = "PUCL_TEST_CONFIRM"

// TestConfirmingCell is the cell that TestConfirmEndsTheCell runs; by itself it tests nothing.
func TestConfirmingCell(t *testing.T) {
	switch os.Getenv(confirmNumber) {
	case "right":
		Confirm("it holds", true)
		ConfirmNear("so does this", 1, 1.5, 0.5)
	case "wrong":
		Confirm("it holds", false)
	case "far":
		ConfirmNear("so does this", 1, 2, 0.5)
	}
}

// A false statement fails the cell and prints the statement.
func TestConfirmEndsTheCell(t *testing.T) {
	for number, want := range map[string]string{
		"right": "✓ it holds\n✓ so does this: 1, expected 1.5 within 0.5\n", "wrong": "✗ it holds\n",
		"far": "✗ so does this: 1, expected 2 within 0.5\n",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestConfirmingCell$")
		cmd.Env = append(os.Environ(), confirmNumber+"="+number)
		out, err := cmd.CombinedOutput()
		expect.That(t, (err == nil) == (number == "right") && strings.Contains(string(out), want),
			"%s: %v\n%s", number, err, out)
	}
}

// sentence removes the engine's own wording from an error and leaves other errors unchanged.
func TestSentence(t *testing.T) {
	_, err := ExecOnce(enginetest.Open(t).Backend, func(x *Node) *Node { return ReduceSum(x, 9) }, []float64{1, 2})
	expect.Require(t, err != nil, "a sum over an axis that is not there")
	said := sentence(err)
	expect.That(t, strings.HasPrefix(said, "building the graph: ") && strings.Contains(said, "out-of-range") &&
		!strings.Contains(said, "panicked") && !strings.Contains(said, "Exec:"), "the engine's %q is told as %q", err,
		said)
	expect.Equal(t, sentence(errors.New("mine: 1 of 2")), "mine: 1 of 2")
}

// Two bins by hand: the name has the mean distance from the diagonal; intervals are two standard errors and are cut at
// 0.
func TestReliabilityCurve(t *testing.T) {
	r := evaluate.Reliability{
		{Mean: 0.1, Positive: 0.02, Error: 0.02, Share: 0.5},
		{Mean: 0.8, Positive: 0.6, Error: 0.1, Share: 0.5},
	}
	probabilities := []float64{0.1, 0.8}
	curve := ReliabilityCurve("a head", r, probabilities)
	expect.Require(t, curve.Name == "a head: 0.140" && len(curve.Bins) == 2 && len(curve.Probabilities) == 2,
		"got %+v", curve)
	for i, want := range [][4]float64{{0.1, 0.02, 0, 0.0592}, {0.8, 0.6, 0.404, 0.796}} {
		b := curve.Bins[i]
		for j, got := range [4]float64{b.Mean, b.Positive, b.Low, b.High} {
			expect.That(t, math.Abs(got-want[j]) <= 1e-12, "bin %d: got %v, want %v", i, b, want)
		}
	}
}
