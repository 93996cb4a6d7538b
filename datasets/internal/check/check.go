// Package check holds the checks that several readers make.
package check

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/puclab/puclab/internal/fault"
)

// Prefix puts words and a colon before an error, if there is one: for defer.
func Prefix(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), *err)
	}
}

// Image returns an error unless image i of count can be read into room bytes, which each image takes size of.
func Image(i, count, room, size int) error {
	if i < 0 || i >= count {
		return fmt.Errorf("there is no image %d: the set has %d images, numbered from 0", i, count)
	}
	return fault.If(room != size, "room for %d pixel values given, but an image has %d", room, size)
}

// Labels returns an error unless each label is a number below classes. It calls an example what.
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

// Product multiplies numbers that are not negative; ok is false where the result does not fit an int.
func Product(factors ...int) (result int, ok bool) {
	if slices.Contains(factors, 0) {
		return 0, true // whatever the others are
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
