package lab

import (
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
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
		if tt.ok != (err == nil) || tt.ok != strings.HasPrefix(out.String(), "✓ the number: ") {
			t.Errorf("%g near %g within %g: %v, and it prints %q", tt.got, tt.want, tt.tolerance, err, out.String())
		}
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
		if (err == nil) != (number == "right") || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", number, err, out)
		}
	}
}
