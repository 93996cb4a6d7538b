package folder

import "maps"

// Imagenette returns the names of the ten classes of Imagenette, by the names of their folders: for Config.Names.
//
// Source: Howard, "Imagenette", github.com/fastai/imagenette.
func Imagenette() map[string]string { return maps.Clone(imagenette) }

// Imagewoof returns the names of the ten classes of Imagewoof, ten breeds of dogs, by the names of their folders. The
// source is that of [Imagenette].
func Imagewoof() map[string]string { return maps.Clone(imagewoof) }

var imagenette = map[string]string{
	"n01440764": "tench",
	"n02102040": "English springer",
	"n02979186": "cassette player",
	"n03000684": "chain saw",
	"n03028079": "church",
	"n03394916": "French horn",
	"n03417042": "garbage truck",
	"n03425413": "gas pump",
	"n03445777": "golf ball",
	"n03888257": "parachute",
}

var imagewoof = map[string]string{
	"n02086240": "Shih-Tzu",
	"n02087394": "Rhodesian ridgeback",
	"n02088364": "beagle",
	"n02089973": "English foxhound",
	"n02093754": "Border terrier",
	"n02096294": "Australian terrier",
	"n02099601": "golden retriever",
	"n02105641": "Old English sheepdog",
	"n02111889": "Samoyed",
	"n02115641": "dingo",
}
