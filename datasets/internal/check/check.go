// Package check provides checks shared by several readers.
package check

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/puclab/puclab/internal/fault"
)

// Prefix prepends words and a colon to an error that is not nil; for defer.
func Prefix(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), *err)
	}
}

// Image returns an error unless image i of count exists and room equals size, the number of bytes of an image.
func Image(i, count, room, size int) error {
	if i < 0 || i >= count {
		return fmt.Errorf("there is no image %d: the set has %d images, numbered from 0", i, count)
	}
	return fault.If(room != size, "room for %d pixel values given, but an image has %d", room, size)
}

// Labels returns an error unless each label is from 0 to classes−1. The argument what names an example.
func Labels(what string, labels []int, classes int) error {
	for i, class := range labels {
		if class < 0 || class >= classes {
			return fmt.Errorf("%s %d has class %d, but there are %d classes, numbered from 0", what, i, class, classes)
		}
	}
	return nil
}

// Counts returns an error unless each class has want of the labels, which are numbers below len(classes).
func Counts(file string, labels []int, classes []string, want int) error {
	counts := make([]int, len(classes))
	for _, class := range labels {
		counts[class]++
	}
	for class, n := range counts {
		if n != want {
			return fmt.Errorf("%s has %d images of the class %s instead of %d: it does not hold this set", file, n, classes[class], want)
		}
	}
	return nil
}

// Product multiplies non-negative numbers; ok is false if the result does not fit an int.
func Product(factors ...int) (result int, ok bool) {
	if slices.Contains(factors, 0) {
		return 0, true // for all other factors
	}
	total := uint64(1)
	for _, f := range factors {
		high, low := bits.Mul64(total, uint64(f))
		if high != 0 || low > math.MaxInt {
			return 0, false
		}
		total = low
	}
	return int(total), true
}
