package experiment

import (
	"fmt"

	"github.com/puclab/puclab/internal/naming"
)

// Size is the size of the runs of a grid, which decides where they can be done.
type Size string

const (
	// Smoke has built-in images, an MLP, about 20 steps: minutes for a whole table, to check that everything runs.
	Smoke  Size = "smoke"
	Laptop Size = "laptop" // small encoders on whole data sets: hours on two cores
	Paper  Size = "paper"  // the encoders, batches and epochs of the papers: a GPU
)

// ParseSize returns the size of this name.
func ParseSize(name string) (Size, error) {
	switch s := Size(name); s {
	case Smoke, Laptop, Paper:
		return s, nil
	}
	return "", Size(name).Unknown()
}

// Unknown returns the error for an unknown size.
func (s Size) Unknown() error {
	return fmt.Errorf("experiment: there is no size %q%s; choose %s, %s or %s", string(s), naming.DidYouMean(string(s), naming.Sizes()), Smoke, Laptop, Paper)
}
