package fashionmnist

import (
	"slices"
	"testing"

	"github.com/puclab/puclab/datasets"
)

// The benchmarks by name have the classes of this package.
func TestNamedBenchmarks(t *testing.T) {
	for name, positive := range map[string][]int{"FMNIST-I": FMNISTI(), "FMNIST-II": FMNISTII()} {
		b, err := datasets.FindBenchmark(name)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(b.Classes, Classes()) || !slices.Equal(b.Positive, positive) {
			t.Errorf("%s: classes %q, positive %v", name, b.Classes, b.Positive)
		}
		images, err := Embedded()
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := b.Config(images.Classes)
		if err != nil {
			t.Fatal(err)
		}
		pu, err := datasets.NewPU(images, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if pu.Prior != b.Prior() {
			t.Errorf("%s: prior %v of the test part, want %v", name, pu.Prior, b.Prior())
		}
	}
}
