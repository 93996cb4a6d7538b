package fashionmnist

import (
	"slices"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/classes"
	"github.com/puclab/puclab/datasets/internal/enum"
)

// Name is the name of the data set's folder within a folder for data sets.
const Name = "fashion-mnist"

// Classes returns the names of the ten classes, in the order of their numbers 0 to 9.
func Classes() []string { return slices.Clone(classes.FashionMNIST) }

// FMNISTI returns the positive classes of the benchmark FMNIST-I: Trouser, Coat and Sneaker, a class prior of 0.3.
//
// Source: "Contrastive Positive Unlabeled Learning", appendix A.7.1.
func FMNISTI() []int { return []int{1, 4, 7} }

// FMNISTII returns the positive classes of the benchmark FMNIST-II: the seven that are not in [FMNISTI], a class prior
// of 0.7. The source is the same.
func FMNISTII() []int { return []int{0, 2, 3, 5, 6, 8, 9} }

// Part is the training or the test part of Fashion-MNIST.
type Part int

// The parts of Fashion-MNIST.
const (
	Train Part = iota // 60,000 images, 6,000 of each class
	Test              // 10,000 images, 1,000 of each class
)

var partNames = enum.Names[Part]{Unknown: "fashionmnist: unknown part", Names: []string{"train", "test"}}

// String returns "train" or "test".
func (p Part) String() string { return partNames.String(p) }

// part describes the two files of a part.
type part struct {
	count          int // of images
	images, labels file
}

// file describes one published file. It has the checksum of the content, because the same content is distributed
// uncompressed and in .gz files with different headers.
type file struct {
	name   string // without .gz
	size   int64  // of the content, in bytes
	sum    string // SHA-256 of the content
	gzSize int64  // of the official .gz file
	gzSum  string // SHA-256 of the official .gz file
}

// hosts are the web folders with the official .gz files: the data set's repository, then its bucket.
var hosts = []string{
	"https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
	"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
}

// remote returns the official .gz file for a download from the given web folders.
func (f file) remote(hosts []string) datasets.RemoteFile {
	remote := datasets.RemoteFile{Name: f.name + ".gz", Size: f.gzSize, SHA256: f.gzSum}
	for _, host := range hosts {
		remote.URLs = append(remote.URLs, host+remote.Name)
	}
	return remote
}

// Sizes and checksums of the .gz files are pinned by TensorFlow Datasets; those of the contents were taken from files
// with the MD5 sums published by the authors.
var parts = map[Part]part{
	Train: {count: 60_000,
		images: file{"train-images-idx3-ubyte", 47_040_016, "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
			26_421_880, "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
		labels: file{"train-labels-idx1-ubyte", 60_008, "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
			29_515, "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"}},
	Test: {count: 10_000,
		images: file{"t10k-images-idx3-ubyte", 7_840_016, "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
			4_422_102, "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
		labels: file{"t10k-labels-idx1-ubyte", 10_008, "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
			5_148, "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"}},
}
