package lab

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
)

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

// What is not so fails the cell, with the sentence.
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

// What ends a cell is said without the engine's own words, and all else as it is.
func TestSentence(t *testing.T) {
	_, err := ExecOnce(enginetest.Open(t).Backend, func(x *Node) *Node { return ReduceSum(x, 9) }, []float64{1, 2})
	expect.Require(t, err != nil, "a sum over an axis that is not there")
	said := sentence(err)
	expect.That(t, strings.HasPrefix(said, "building the graph: ") && strings.Contains(said, "out-of-range") &&
		!strings.Contains(said, "panicked") && !strings.Contains(said, "Exec:"), "the engine's %q is told as %q", err,
		said)
	expect.Equal(t, sentence(errors.New("mine: 1 of 2")), "mine: 1 of 2")
}

// Two bins by hand: the name has the mean distance from the diagonal, intervals are two standard errors and end at 0.
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
