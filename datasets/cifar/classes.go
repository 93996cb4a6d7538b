package cifar

import (
	"slices"

	"github.com/puclab/puclab/datasets/internal/classes"
)

// Folder names of the data sets within a folder for data sets.
const (
	Name10  = "cifar-10"
	Name100 = "cifar-100"
)

// Classes10 returns the names of the ten classes of CIFAR-10, in the order of their numbers.
func Classes10() []string { return slices.Clone(classes.CIFAR10) }

// Classes100 returns the names of the hundred classes of CIFAR-100, in the order of their numbers, which is
// alphabetical.
func Classes100() []string {
	var names []string
	for _, s := range superclasses {
		names = append(names, s.classes[:]...)
	}
	slices.Sort(names)
	return names
}

// superclasses lists the twenty superclasses of CIFAR-100 in the order of their numbers, each with its five classes.
var superclasses = []struct {
	name    string
	classes [5]string
}{
	{"aquatic_mammals", [5]string{"beaver", "dolphin", "otter", "seal", "whale"}},
	{"fish", [5]string{"aquarium_fish", "flatfish", "ray", "shark", "trout"}},
	{"flowers", [5]string{"orchid", "poppy", "rose", "sunflower", "tulip"}},
	{"food_containers", [5]string{"bottle", "bowl", "can", "cup", "plate"}},
	{"fruit_and_vegetables", [5]string{"apple", "mushroom", "orange", "pear", "sweet_pepper"}},
	{"household_electrical_devices", [5]string{"clock", "keyboard", "lamp", "telephone", "television"}},
	{"household_furniture", [5]string{"bed", "chair", "couch", "table", "wardrobe"}},
	{"insects", [5]string{"bee", "beetle", "butterfly", "caterpillar", "cockroach"}},
	{"large_carnivores", [5]string{"bear", "leopard", "lion", "tiger", "wolf"}},
	{"large_man-made_outdoor_things", [5]string{"bridge", "castle", "house", "road", "skyscraper"}},
	{"large_natural_outdoor_scenes", [5]string{"cloud", "forest", "mountain", "plain", "sea"}},
	{"large_omnivores_and_herbivores", [5]string{"camel", "cattle", "chimpanzee", "elephant", "kangaroo"}},
	{"medium_mammals", [5]string{"fox", "porcupine", "possum", "raccoon", "skunk"}},
	{"non-insect_invertebrates", [5]string{"crab", "lobster", "snail", "spider", "worm"}},
	{"people", [5]string{"baby", "boy", "girl", "man", "woman"}},
	{"reptiles", [5]string{"crocodile", "dinosaur", "lizard", "snake", "turtle"}},
	{"small_mammals", [5]string{"hamster", "mouse", "rabbit", "shrew", "squirrel"}},
	{"trees", [5]string{"maple_tree", "oak_tree", "palm_tree", "pine_tree", "willow_tree"}},
	{"vehicles_1", [5]string{"bicycle", "bus", "motorcycle", "pickup_truck", "train"}},
	{"vehicles_2", [5]string{"lawn_mower", "rocket", "streetcar", "tank", "tractor"}},
}

// Superclasses100 returns the names of the twenty superclasses of CIFAR-100, in the order of their numbers.
func Superclasses100() []string {
	names := make([]string, len(superclasses))
	for i, s := range superclasses {
		names[i] = s.name
	}
	return names
}

// Superclass100 returns for each of the hundred classes the number of its superclass.
func Superclass100() []int {
	numbers, names := make([]int, 100), Classes100()
	for i, s := range superclasses {
		for _, class := range s.classes {
			numbers[slices.Index(names, class)] = i
		}
	}
	return numbers
}
