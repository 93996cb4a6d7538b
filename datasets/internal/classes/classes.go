// Package classes lists the classes of published data sets in the order of their numbers, for readers and benchmarks.
package classes

import "strconv"

// The ten classes of each set.
var (
	FashionMNIST = []string{"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"}
	CIFAR10      = []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}
	STL10        = []string{"airplane", "bird", "car", "cat", "deer", "dog", "horse", "monkey", "ship", "truck"}
)

// Imagenette and Imagewoof have a folder per class, named by its WordNet number, which determines the order.
//
// Source: Howard, "Imagenette", github.com/fastai/imagenette.
var (
	Imagenette = []string{"tench", "English springer", "cassette player", "chain saw", "church", "French horn", "garbage truck",
		"gas pump", "golf ball", "parachute"}
	ImagenetteFolders = []string{"n01440764", "n02102040", "n02979186", "n03000684", "n03028079", "n03394916", "n03417042",
		"n03425413", "n03445777", "n03888257"}
	Imagewoof = []string{"Shih-Tzu", "Rhodesian ridgeback", "beagle", "English foxhound", "Border terrier", "Australian terrier",
		"golden retriever", "Old English sheepdog", "Samoyed", "dingo"}
	ImagewoofFolders = []string{"n02086240", "n02087394", "n02088364", "n02089973", "n02093754", "n02096294", "n02099601",
		"n02105641", "n02111889", "n02115641"}
)

// STL10Unlabeled is the class name of all images of STL-10's unlabeled part.
const STL10Unlabeled = "unlabeled"

// Most is the largest number of classes without names: it keeps a mistyped label from creating a billion classes.
const Most = 1 << 16

// Numbered names n classes by their numbers.
func Numbered(n int) []string {
	var names []string
	for class := range n {
		names = append(names, strconv.Itoa(class))
	}
	return names
}
