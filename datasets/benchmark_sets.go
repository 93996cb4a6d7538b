package datasets

// setClass is a class of a published data set: its name, and how folders call it where that differs.
type setClass struct{ name, folder string }

func setClasses(names ...string) []setClass {
	classes := make([]setClass, len(names))
	for i, name := range names {
		classes[i].name = name
	}
	return classes
}

// benchmarkSet is a data set that benchmarks are made of. Counts are of the training part.
type benchmarkSet struct {
	name    string
	classes []setClass // in the order of the published numbers
	counts  []int      // images of each class
	unknown string     // the class under which readers put images of which nobody knows the class, if there are such
}

// counts10 is the same number for each of ten classes.
func counts10(n int) []int { return []int{n, n, n, n, n, n, n, n, n, n} }

var (
	fashionMNISTSet = benchmarkSet{
		name: "Fashion-MNIST",
		classes: setClasses("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag",
			"Ankle boot"),
		counts: counts10(6000),
	}
	cifar10Set = benchmarkSet{
		name: "CIFAR-10",
		classes: setClasses("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship",
			"truck"),
		counts: counts10(5000),
	}
	stl10Set = benchmarkSet{
		name:    "STL-10",
		classes: setClasses("airplane", "bird", "car", "cat", "deer", "dog", "horse", "monkey", "ship", "truck"),
		counts:  counts10(500),
		unknown: "unlabeled",
	}
	// The ten classes of Imagenette (2nd edition), then the ten of Imagewoof; each ten by their WordNet numbers, which
	// name the folders.
	woofAndNetteSet = benchmarkSet{
		name: "Imagenette and Imagewoof",
		classes: []setClass{
			{"tench", "n01440764"}, {"English springer", "n02102040"}, {"cassette player", "n02979186"},
			{"chain saw", "n03000684"}, {"church", "n03028079"}, {"French horn", "n03394916"},
			{"garbage truck", "n03417042"}, {"gas pump", "n03425413"}, {"golf ball", "n03445777"},
			{"parachute", "n03888257"},
			{"Shih-Tzu", "n02086240"}, {"Rhodesian ridgeback", "n02087394"}, {"beagle", "n02088364"},
			{"English foxhound", "n02089973"}, {"Border terrier", "n02093754"}, {"Australian terrier", "n02096294"},
			{"golden retriever", "n02099601"}, {"Old English sheepdog", "n02105641"}, {"Samoyed", "n02111889"},
			{"dingo", "n02115641"},
		},
	}
)

// Images of the training parts. Of Imagewoof no benchmark divides the breeds, so their sum is enough.
const (
	netteImages         = 9469
	netteSpringerImages = 955
	woofImages          = 9025
)
