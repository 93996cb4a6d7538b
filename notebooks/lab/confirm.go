package lab

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// Confirm prints "✓ what" if ok is true. Otherwise it ends the cell with "✗ what" and exit status 1, as [Check] does.
// Solutions of exercises call it, so that every run of a notebook tests them.
func Confirm(what string, ok bool) { Check(confirm(os.Stdout, what, ok)) }

// ConfirmNear confirms that got lies within tolerance of want and prints both numbers. NaN and ±Inf are never within
// tolerance.
func ConfirmNear(what string, got, want, tolerance float64) {
	Check(confirmNear(os.Stdout, what, got, want, tolerance))
}

func confirm(w io.Writer, what string, ok bool) error {
	if !ok {
		return errors.New(what)
	}
	_, err := fmt.Fprintln(w, "✓", what)
	return err
}

func confirmNear(w io.Writer, what string, got, want, tolerance float64) error {
	near := math.Abs(got-want) <= tolerance && !math.IsInf(tolerance, 0)
	return confirm(w, fmt.Sprintf("%s: %.6g, expected %.6g within %.2g", what, got, want, tolerance), near)
}
