package fashionmnist

import (
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
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
	set, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Validate(); err != nil {
		t.Error(err)
	}
	if set.Len() != 10_000 || set.Height != 28 || set.Width != 28 || set.Channels != 1 {
		t.Errorf("got %v, want 10000 of 28×28×1", set)
	}
	for class, n := range set.Counts() {
		if n != 1000 {
			t.Errorf("%d images of class %d, want 1000", n, class)
		}
	}
	if got := pixelSum(set); got != 573_469_082 {
		t.Errorf("the pixels add up to %d, want 573469082", got)
	}
	if got, want := set.Labels[:10], []int{9, 2, 1, 1, 6, 1, 4, 6, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("first labels %v, want %v", got, want)
	}
	first, last := 0, 0
	for i := range 28 * 28 {
		first += int(set.At(0)[i])
		last += int(set.At(9999)[i])
	}
	if first != 33_456 || last != 24_390 {
		t.Errorf("the pixels of the first and last image add up to %d and %d, want 33456 and 24390", first, last)
	}
	set.Pixels[0]++
	again, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	if got := pixelSum(again); got != 573_469_082 {
		t.Error("a change to one set reached the next")
	}
}

func TestLicense(t *testing.T) {
	text, err := License()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"MIT License", "Zalando SE", "substantial portions"} {
		if !strings.Contains(text, want) {
			t.Errorf("the license lacks %q", want)
		}
	}
}

// The draw on the real labels; the rows were computed apart from this package, as in the tests of package datasets.
func TestEmbeddedPU(t *testing.T) {
	set, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	pu, err := datasets.NewPU(set, datasets.SplitConfig{Positive: FMNISTI(), Labeled: 300, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := pu.Index[:6], []int{6899, 4732, 6860, 8470, 8969, 7965}; !slices.Equal(got, want) {
		t.Errorf("labeled rows %v, want %v", got, want)
	}
	if pu.Prior != 0.3 || pu.Len() != 10_300 {
		t.Errorf("%v: want a prior of 0.3", pu)
	}
	want := "PU data (case-control): 300 labeled positives, 10000 unlabeled, prior π = 0.3, γ = 0.03, seed 1, " +
		"positive: Trouser, Coat, Sneaker"
	if got := pu.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
