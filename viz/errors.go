package viz

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// The errors of this package wrap one of these values; test for them with errors.Is.
var (
	// ErrNoData means that there is nothing to draw.
	ErrNoData = errors.New("no data")
	// ErrLength means that two slices that belong together have different lengths.
	ErrLength = errors.New("lengths differ")
	// ErrNotFinite means that a value is NaN or infinite.
	ErrNotFinite = errors.New("not a finite number")
	// ErrOrder means that the x values of a curve decrease.
	ErrOrder = errors.New("x values must not go backwards")
	// ErrRange means that an argument is out of its range.
	ErrRange = errors.New("out of range")
	// ErrLetter means that a text has a letter that the font of figures lacks.
	ErrLetter = errors.New("the font of figures lacks a letter")
	// ErrNoAlt means that a figure has no alternative text.
	ErrNoAlt = errors.New("the alternative text is empty")
	// ErrFormat means that Save does not support the ending of a file name.
	ErrFormat = errors.New("unknown file format")
)

// largestValue is the largest magnitude that is drawn. Beyond it the arithmetic of axes overflows float64.
const largestValue = 1e100

// checkFinite returns an error for the first entry of v that is NaN, infinite or too large to draw. The text starts
// with what, a name for v.
func checkFinite(what string, v ...float64) error {
	for i, x := range v {
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			return fmt.Errorf("viz: %s: entry %d is %g: %w", what, i, x, ErrNotFinite)
		case math.Abs(x) > largestValue:
			return fmt.Errorf("viz: %s: entry %d is %g, too large to draw: %w", what, i, x, ErrRange)
		}
	}
	return nil
}

// checkXY returns an error if x and y are not coordinates of points that can be drawn.
func checkXY(what string, x, y []float64) error {
	if len(x) != len(y) {
		return fmt.Errorf("viz: %s has %d x values and %d y values: %w", what, len(x), len(y), ErrLength)
	}
	return cmp.Or(checkFinite("the x values of "+what, x...), checkFinite("the y values of "+what, y...))
}
