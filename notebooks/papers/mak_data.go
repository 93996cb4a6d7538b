package papers

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/puclab/puclab/datasets"
	imagefolder "github.com/puclab/puclab/datasets/folder"
	"github.com/puclab/puclab/pucl/classify"
)

// OpenWorldData specifies the training data of a run of [OpenWorld]. The seed of the run enters all draws.
type OpenWorldData struct {
	Set       string  // data set of the seed set, of the test images and of the in-distribution images in the pool
	Files     Files   // of this data set
	Most      int     // images of the largest class of the seed set; 0 means the numbers of ImageNet-100-LT
	Imbalance float64 // the largest class over the smallest
	PerClass  int     // images of each class in the pool; with ImageNet none, and the pool is its other 900 classes
	Outliers  int     // in the pool
	From      string  // their source; "" for none

	Balanced int // images of each class for training the linear probe; 0 means all training images
	Shots    int // images of each class for fine-tuning
}

// world is the opened data of a run of [OpenWorld].
type world struct {
	seed   set // long-tailed
	pool   set // classes from len(tail) on are outside the seed set
	tail   *datasets.LongTail
	probe  set
	shots  classify.LabeledImages[int]
	test   set
	note   string
	closed func() error
}

// Mosaics names outliers composed of images of the data set, see [datasets.Mosaics].
const Mosaics = "mosaics"

// open returns the data as drawn for that seed. The seed also ranks the classes of the seed set from frequent to rare.
// The images for the probe and for fine-tuning are drawn from all training images, as the seed set is.
func (d OpenWorldData) open(seed uint64) (*world, error) {
	if d.Set == imageNet {
		return d.openImageNet(seed)
	}
	all, o, err := openFiles(d.Set, d.Files)
	if err != nil {
		return nil, err
	}
	w := &world{test: o.test, note: o.note, closed: o.close}
	images := all.Source.(*datasets.Images) // true of all small data sets
	fail := func(err error) (*world, error) {
		return nil, errors.Join(fmt.Errorf("papers: the open world of %s: %w", d.Set, err), o.close())
	}
	counts, err := datasets.ExponentialCounts(len(all.classes), d.Most, d.Imbalance)
	if err != nil {
		return fail(err)
	}
	if w.tail, err = datasets.NewLongTail(all.labels, datasets.LongTailConfig{Counts: counts, Mix: true, Seed: seed}); err != nil {
		return fail(err)
	}
	from, err := d.outliers(images, seed)
	if err != nil {
		return fail(err)
	}
	pool, err := datasets.NewOpenPool(images, w.tail.Rest, datasets.OpenPoolConfig{PerClass: d.PerClass, From: from, Outliers: d.Outliers, Seed: seed})
	if err != nil {
		return fail(err)
	}
	w.seed, w.pool = all.rows(w.tail.Rows), set{pool, pool.Labels, pool.Classes}
	if err := w.judges(d, all, seed); err != nil {
		return fail(err)
	}
	return w, nil
}

// outliers returns the images from which outliers are drawn, nil for none.
func (d OpenWorldData) outliers(images *datasets.Images, seed uint64) (*datasets.Images, error) {
	switch d.From {
	case "":
		return nil, nil
	case Mosaics:
		return datasets.Mosaics(images, d.Outliers, seed)
	}
	files := Official
	if d.From == "CIFAR-10" {
		files = JPEGCopies
	}
	others, o, err := openFiles(d.From, files)
	if err != nil {
		return nil, err
	}
	return others.Source.(*datasets.Images), o.close()
}

// judges draws the training images for the probe and for fine-tuning.
func (w *world) judges(d OpenWorldData, all set, seed uint64) error {
	draw := func(perClass int, stream uint64) (set, error) {
		rows, err := classify.DrawShots(all.labels, len(all.classes), perClass, rand.New(rand.NewPCG(seed, stream)))
		return all.rows(rows), err
	}
	var err error
	if w.probe = all; d.Balanced > 0 {
		if w.probe, err = draw(d.Balanced, 0xba1a); err != nil {
			return err
		}
	}
	few, err := draw(d.Shots, 0x5407)
	if err != nil {
		return err
	}
	index := make([]int, few.Len())
	for i := range index {
		index[i] = i
	}
	w.shots.Labels = few.labels
	w.shots.Pixels, err = read(few.Source, index)
	return err
}

// imageNet names the data set of size paper: ImageNet-1k in folders.
const imageNet = "ImageNet"

// imageNet100 are the folders of the classes of ImageNet-100-LT, from the largest class to the smallest.
//
// Source: the list of files that the authors of MAK published.
const imageNet100 = `n02116738 n03930630 n04517823 n02087046 n01820546 n03062245 n02974003 n03947888 n02018207 n03379051 n07831146 n07715103
	n04099969 n01735189 n01692333 n07836838 n02123045 n02106550 n02172182 n04429376 n03777754 n04418357 n03032252 n02009229 n03017168 n07753275
	n02090622 n01558993 n02396427 n01983481 n02091831 n02099849 n04589890 n04067472 n04592741 n01978455 n02788148 n02100583 n02108089 n02488291
	n03642806 n03787032 n04111531 n02093428 n02859443 n03424325 n02104029 n07714571 n03775546 n01749939 n04026417 n04238763 n04435653 n03494278
	n02231487 n02877765 n02107142 n02259212 n03492542 n04485082 n13040303 n01729322 n04127249 n02119022 n04229816 n03637318 n02089867 n03764736
	n04136333 n02804414 n01773797 n02701002 n03891251 n04336792 n03085013 n03594734 n02326432 n02113978 n02869837 n03584829 n01980166 n02109047
	n02138441 n13037406 n03903868 n02114855 n03530642 n02113799 n04493381 n03785016 n02086240 n03794056 n02105505 n02086910 n03837869 n01855672
	n02085620 n02089973 n03259280 n02483362`

// openImageNet opens ImageNet-1k in folders "train" and "val", a sub-folder for each class: a seed set of 100 classes
// with the numbers of ImageNet-100-LT, and the images of the 900 others as the pool. The images of a class in the seed
// set are drawn randomly.
func (d OpenWorldData) openImageNet(seed uint64) (*world, error) {
	train, err := openImageNetPart("train")
	if err != nil {
		return nil, err
	}
	test, err := openImageNetPart("val")
	if err != nil {
		return nil, err
	}
	learn, others, err := ofImageNet100(train)
	if err != nil {
		return nil, err
	}
	judged, _, err := ofImageNet100(test)
	if err != nil {
		return nil, err
	}
	w := &world{test: judged, pool: others, note: imageNet, closed: func() error { return nil }}
	if w.tail, err = datasets.NewLongTail(learn.labels, datasets.LongTailConfig{Counts: datasets.ImageNet100LTCounts(), Seed: seed}); err != nil {
		return nil, fmt.Errorf("papers: %s: %w", imageNet, err)
	}
	w.seed = learn.rows(w.tail.Rows)
	if err := w.judges(d, learn, seed); err != nil {
		return nil, fmt.Errorf("papers: %s: %w", imageNet, err)
	}
	return w, nil
}

// openImageNetPart opens a part of ImageNet-1k.
func openImageNetPart(part string) (set, error) {
	folders := datasets.Folders("imagenet")
	for _, folder := range folders {
		dir := filepath.Join(folder, part)
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return set{}, err
		}
		images, err := imagefolder.Open(os.DirFS(dir), imagefolder.Config{Height: 224})
		if err != nil {
			return set{}, fmt.Errorf("papers: %s: %w", imageNet, err)
		}
		return set{images, images.Labels, images.Classes}, nil
	}
	return set{}, fmt.Errorf("papers: %s is not on this machine: put its images into a folder %q with a sub-folder for each class, such as n02116738, "+
		"in one of %s: %w", imageNet, part, strings.Join(folders, ", "), fs.ErrNotExist)
}

// ofImageNet100 separates the images of the 100 classes, numbered by rank, from those of the other classes, which
// follow.
func ofImageNet100(all set) (learn, others set, err error) {
	names := strings.Fields(imageNet100)
	number := make([]int, len(all.classes)) // of each class
	classes := slices.Clone(names)
	for i, name := range all.classes {
		if number[i] = slices.Index(names, name); number[i] < 0 {
			number[i] = len(classes)
			classes = append(classes, name)
		}
	}
	for _, name := range names {
		if !slices.Contains(all.classes, name) {
			return learn, others, fmt.Errorf("papers: %s lacks the class %s: give all classes of ImageNet-100", imageNet, name)
		}
	}
	var in, out []int
	labels := make([]int, len(all.labels))
	for row, class := range all.labels {
		if labels[row] = number[class]; labels[row] < len(names) {
			in = append(in, row)
		} else {
			out = append(out, row)
		}
	}
	learn, others = set{all.Source, labels, classes}.rows(in), set{all.Source, labels, classes}.rows(out)
	learn.classes = names
	return learn, others, nil
}
