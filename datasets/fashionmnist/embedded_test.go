package fashionmnist

import (
	"slices"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
)

// pixelSum adds up all pixels.
func pixelSum(set *datasets.Images) (sum int64) {
	for _, p := range set.Pixels {
		sum += int64(p)
	}
	return sum
}

// The numbers were taken from the files by a few lines of Python.
func TestEmbedded(t *testing.T) {
	set := expect.Must(Embedded())(t)
	expect.NoError(t, set.Validate())
	expect.That(t, set.Len() == 10_000 && set.Height == 28 && set.Width == 28 && set.Channels == 1,
		"got %v, want 10000 of 28×28×1", set)
	for class, n := range set.Counts() {
		expect.That(t, n == 1000, "%d images of class %d, want 1000", n, class)
	}
	expect.Equal(t, pixelSum(set), 573_469_082, "the pixels add up to")
	expect.Equal(t, set.Labels[:10], []int{9, 2, 1, 1, 6, 1, 4, 6, 5, 7}, "first labels")
	first, last := 0, 0
	for i := range 28 * 28 {
		first += int(set.At(0)[i])
		last += int(set.At(9999)[i])
	}
	expect.That(t, first == 33_456 && last == 24_390,
		"the pixels of the first and last image add up to %d and %d, want 33456 and 24390", first, last)
	set.Pixels[0]++
	again := expect.Must(Embedded())(t)
	expect.Equal(t, pixelSum(again), 573_469_082, "a change to one set reached the next")
}

func TestLicense(t *testing.T) {
	expect.Contains(t, expect.Must(License())(t), "MIT License", "Zalando SE", "substantial portions")
}

// The benchmarks by name have the classes of this package.
func TestNamedBenchmarks(t *testing.T) {
	for name, positive := range map[string][]int{"FMNIST-I": FMNISTI(), "FMNIST-II": FMNISTII()} {
		b := expect.Must(datasets.FindBenchmark(name))(t)
		expect.That(t, slices.Equal(b.Classes, Classes()) && slices.Equal(b.Positive, positive),
			"%s: classes %q, positive %v", name, b.Classes, b.Positive)
		images := expect.Must(Embedded())(t)
		cfg := expect.Must(b.Config(images.Classes))(t)
		pu := expect.Must(datasets.NewPU(images, cfg))(t)
		expect.That(t, pu.Prior == b.Prior(), "%s: prior %v of the test part, want %v", name, pu.Prior, b.Prior())
	}
}
