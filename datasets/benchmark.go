package datasets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puclab/puclab/datasets/internal/classes"
)

// Benchmark is a named PU classification task: the positive and negative classes of a published data set.
// [FindBenchmark] returns one; Config converts it into the configuration of a split.
type Benchmark struct {
	Name     string   // "CIFAR-I"
	Set      string   // the data set, "CIFAR-10"
	Classes  []string // the names of all classes of the set, in the order of their numbers
	Positive []int    // the positive classes
	Negative []int    // the negative classes; nil means all others

	// PaperPrior is the class prior π printed in the paper, 0 if it prints none. For STL-10 the paper prints an
	// estimate. The true prior is counted.
	PaperPrior float64
	// Positives and Negatives are the numbers of images in the training part of the data set.
	Positives, Negatives int
	// Note states caveats for comparing numbers; may be empty.
	Note string

	set *benchmarkSet
}

// benchmarks are listed as in the paper, first those of its results table.
//
// Source: "Contrastive Positive Unlabeled Learning", appendix A.7.1 for the six of Table 1, and Figures 1, 4, 5, 8, 9
// and 11 for the others; the positive side in Figure 8 is taken from the authors' published code.
var benchmarks = []Benchmark{
	benchmark("FMNIST-I", &fashionMNISTSet, 0.3, []int{1, 4, 7}, nil, ""),
	benchmark("FMNIST-II", &fashionMNISTSet, 0.7, []int{0, 2, 3, 5, 6, 8, 9}, nil, ""),
	benchmark("CIFAR-I", &cifar10Set, 0.4, []int{0, 1, 8, 9}, nil, ""),
	benchmark("CIFAR-II", &cifar10Set, 0.6, []int{2, 3, 4, 5, 6, 7}, nil, ""),
	benchmark("STL-I", &stl10Set, 0.51, []int{0, 2, 3, 8, 9}, nil, stlNote),
	benchmark("STL-II", &stl10Set, 0.49, []int{1, 4, 5, 6, 7}, nil, stlNote),
	benchmark("CIFAR-0", &cifar10Set, 0, []int{5}, []int{3}, ""),
	benchmark("CIFAR-easy", &cifar10Set, 0, []int{3, 5}, []int{0, 2},
		"The paper does not say which side is positive; published code takes cats and dogs."),
	benchmark("CIFAR-medium", &cifar10Set, 0, []int{0, 3, 5}, []int{2}, ""),
	benchmark("CIFAR-hard", &cifar10Set, 0, []int{0, 3}, []int{2, 5}, ""),
	{
		Name: "Woof-vs-Nette", set: &woofAndNetteSet, Positive: []int{10, 11, 12, 13, 14, 15, 16, 17, 18, 19},
		Positives: woofImages, Negatives: netteImages,
		Note: "The negative class English springer, of Imagenette, is a dog too.",
	},
	{
		Name: "Dogs-vs-Non-Dogs", set: &woofAndNetteSet, Positive: []int{1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19},
		Positives: woofImages + netteSpringerImages, Negatives: netteImages - netteSpringerImages,
		Note: "The paper lists no classes. Here the images are those of Woof-vs-Nette, and every dog is positive, the " +
			"English springer of Imagenette too.",
	},
}

const stlNote = "The training part has 2,500 positives, so the 3,000 labels of other data sets are impossible here. The " +
	"paper prints an estimated prior; among the labeled images it is 0.5, and among the 100,000 unlabeled ones unknown. " +
	"Published code (of VPU) holds a tenth of all images out for validation, labels the 2,250 positives that are left, and " +
	"takes all that are left as unlabeled: 90,000 of unknown class, those positives again, and 2,250 negatives."

func benchmark(name string, set *benchmarkSet, paperPrior float64, positive, negative []int, note string) Benchmark {
	b := Benchmark{Name: name, set: set, PaperPrior: paperPrior, Positive: positive, Negative: negative, Note: note}
	for class, n := range set.counts {
		switch {
		case slices.Contains(positive, class):
			b.Positives += n
		case negative == nil || slices.Contains(negative, class):
			b.Negatives += n
		}
	}
	return b
}

// Benchmarks returns all named benchmarks. The caller may modify the slices.
func Benchmarks() []Benchmark {
	all := make([]Benchmark, len(benchmarks))
	for i, b := range benchmarks {
		b.Set = b.set.name
		b.Classes = slices.Clone(b.set.classes)
		b.Positive, b.Negative = slices.Clone(b.Positive), slices.Clone(b.Negative)
		all[i] = b
	}
	return all
}

// FindBenchmark returns the benchmark with that name, ignoring case. For an unknown name the error lists all names.
func FindBenchmark(name string) (Benchmark, error) {
	return findNamed("benchmark", Benchmarks(), func(b Benchmark) string { return b.Name }, name)
}

// Prior returns the true class prior π of the benchmark's training images.
func (b Benchmark) Prior() float64 { return float64(b.Positives) / float64(b.Positives+b.Negatives) }

// PositiveNames returns the names of the positive classes.
func (b Benchmark) PositiveNames() []string { return namesOf(b.Positive, b.Classes) }

// NegativeNames returns the names of the negative classes.
func (b Benchmark) NegativeNames() []string {
	if b.Negative != nil {
		return namesOf(b.Negative, b.Classes)
	}
	return slices.DeleteFunc(slices.Clone(b.Classes), func(name string) bool { return slices.Contains(b.PositiveNames(), name) })
}

// namesOf returns the names of the classes with these numbers; nil for none.
func namesOf(numbers []int, classes []string) []string {
	var names []string
	for _, class := range numbers {
		names = append(names, classes[class])
	}
	return names
}

// Labels returns a class for each image of the training part, positives first, with each side spread evenly over its
// classes. It suffices for [NewSplit] without images. The data set has its images in another order.
func (b Benchmark) Labels() []int {
	var labels []int
	for _, side := range []struct {
		names  []string
		images int
	}{{b.PositiveNames(), b.Positives}, {b.NegativeNames(), b.Negatives}} {
		for i := range side.images {
			labels = append(labels, slices.Index(b.Classes, side.names[i%len(side.names)]))
		}
	}
	return labels
}

// String describes the benchmark in one line.
func (b Benchmark) String() string {
	return fmt.Sprintf("%s (%s): %s against %s, π = %.4g", b.Name, b.Set, strings.Join(b.PositiveNames(), ", "),
		strings.Join(b.NegativeNames(), ", "), b.Prior())
}

// Config returns the configuration of a split of data whose classes have the given names, such as Images.Classes. It
// sets Name, Positive and Negative; the caller sets the rest. Published code labels equally many examples of each
// positive class, as Draw: Balanced does.
//
// Classes are found by name, ignoring case: a folder reader may number them differently and may name them by their
// folders (n02086240). It is an error if a class is missing or occurs twice. For a benchmark in which all other classes
// are negative, it is an error if there are classes that the data set does not have.
//
// For STL-10 there may also be a class "unlabeled", from the reader's OpenAll: Config sets it as Unknown, and
// PriorEstimate to the paper's prior.
func (b Benchmark) Config(classes []string) (SplitConfig, error) {
	if b.set == nil {
		return SplitConfig{}, fmt.Errorf("datasets: the benchmark %q was not made by FindBenchmark", b.Name)
	}
	place := make([]int, len(b.set.classes))
	for i, class := range b.set.classes {
		place[i] = -1
		for number, name := range classes {
			if !strings.EqualFold(name, class) && (b.set.folders == nil || name != b.set.folders[i]) {
				continue
			}
			if place[i] >= 0 {
				return SplitConfig{}, fmt.Errorf("datasets: %s: the class %q is there twice, as %d and %d",
					b.Name, class, place[i], number)
			}
			place[i] = number
		}
	}
	missing := func(class int) error {
		return fmt.Errorf("datasets: %s needs the class %q of %s, but the classes here are %s",
			b.Name, b.set.classes[class], b.set.name, strings.Join(classes, ", "))
	}
	config := SplitConfig{Name: b.Name}
	for _, list := range []struct {
		from []int
		to   *[]int
	}{{b.Positive, &config.Positive}, {b.Negative, &config.Negative}} {
		for _, class := range list.from {
			if place[class] < 0 {
				return SplitConfig{}, missing(class)
			}
			*list.to = append(*list.to, place[class])
		}
	}
	if b.Negative == nil {
		for number, name := range classes {
			if b.set.unknown != "" && strings.EqualFold(name, b.set.unknown) {
				config.Unknown, config.PriorEstimate = append(config.Unknown, number), b.PaperPrior
				continue
			}
			if !slices.Contains(place, number) {
				return SplitConfig{}, fmt.Errorf("datasets: %s: the class %q is none of %s, so it is not known to be negative",
					b.Name, name, b.set.name)
			}
		}
		if i := slices.Index(place, -1); i >= 0 {
			return SplitConfig{}, missing(i)
		}
	}
	return config, nil
}

// benchmarkSet is the data set of benchmarks. Counts are of the training part.
type benchmarkSet struct {
	name    string
	classes []string // in the order of the published numbers
	folders []string // folder names of the classes if these differ; otherwise nil
	counts  []int    // images of each class
	unknown string   // class of images of unknown class; "" for none
}

var (
	fashionMNISTSet = benchmarkSet{name: "Fashion-MNIST", classes: classes.FashionMNIST, counts: slices.Repeat([]int{6000}, 10)}
	cifar10Set      = benchmarkSet{name: "CIFAR-10", classes: classes.CIFAR10, counts: slices.Repeat([]int{5000}, 10)}
	stl10Set        = benchmarkSet{name: "STL-10", classes: classes.STL10, counts: slices.Repeat([]int{500}, 10),
		unknown: classes.STL10Unlabeled}
	// The ten classes of Imagenette (2nd edition), then the ten of Imagewoof.
	woofAndNetteSet = benchmarkSet{name: "Imagenette and Imagewoof",
		classes: slices.Concat(classes.Imagenette, classes.Imagewoof),
		folders: slices.Concat(classes.ImagenetteFolders, classes.ImagewoofFolders)}
)

// Numbers of images in the training parts. No benchmark divides the breeds of Imagewoof, so their sum suffices.
const (
	netteImages         = 9469
	netteSpringerImages = 955
	woofImages          = 9025
)
