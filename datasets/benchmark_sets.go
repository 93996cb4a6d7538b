package datasets

import (
	"slices"

	"github.com/puclab/puclab/datasets/internal/classes"
)

// benchmarkSet is a data set that benchmarks are made of. Counts are of the training part.
type benchmarkSet struct {
	name    string
	classes []string // in the order of the published numbers
	folders []string // how folders name the classes, where they do so in another way; else nil
	counts  []int    // images of each class
	unknown string   // the class under which readers put images of which nobody knows the class, if there are such
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

// Images of the training parts. Of Imagewoof no benchmark divides the breeds, so their sum is enough.
const (
	netteImages         = 9469
	netteSpringerImages = 955
	woofImages          = 9025
)
