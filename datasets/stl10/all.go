package stl10

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/check"
)

// All is the parts Train and Unlabeled as one PU data set: labeled images come from Train, most of the unlabeled ones
// from Unlabeled. It is a datasets.Source on disk.
type All struct {
	// Labels holds the class of each image: 0 to 9, or 10 for the part Unlabeled.
	Labels []int
	// Classes holds the ten names of [Classes], and then [UnlabeledClass].
	Classes []string

	rows             []int // the images of the set, by their numbers among all 105,000
	train, unlabeled *Set
}

// OpenAll opens both parts, as [Open] does. The benchmarks STL-I and STL-II of published code, with a tenth of the
// images for validation, are:
//
//	all, err := stl10.OpenAll(os.DirFS(dir), stl10.Options{})
//	set, validation, err := all.Holdout(0.1, seed)
//	benchmark, err := datasets.FindBenchmark("STL-I")
//	cfg, err := benchmark.Config(set.Classes)
//	cfg.Labeled = 2250 // 450 of each of five classes
//	split, err := datasets.NewSplit(set.Labels, set.Classes, cfg)
//	batches, err := datasets.NewSourceBatches(set, split, datasets.BatchConfig{})
//
// 94,500 examples are then unlabeled: 90,000 of unknown class, the 2,250 labeled images again, and 450 of each negative
// class. For only the 90,000, also set cfg.Setting to datasets.SingleDataset and cfg.Negative to []int{}.
//
// Source: the code of Chen et al., "A Variational Approach for Learning from Positive and Unlabeled Data" (VPU), NeurIPS 2020.
func OpenAll(fsys fs.FS, opts Options) (*All, error) {
	return openAll(parts[Train], parts[Unlabeled], fsys, opts)
}

func openAll(labeled, rest part, fsys fs.FS, opts Options) (*All, error) {
	train, err := labeled.open(fsys, opts)
	if err != nil {
		return nil, err
	}
	unlabeled, err := rest.open(fsys, opts)
	if err != nil {
		return nil, errors.Join(err, train.Close())
	}
	a := &All{Classes: append(Classes(), UnlabeledClass), train: train, unlabeled: unlabeled}
	a.Labels = slices.Concat(train.Labels, slices.Repeat([]int{len(Classes())}, unlabeled.Len()))
	for row := range a.Labels {
		a.rows = append(a.rows, row)
	}
	return a, nil
}

// Holdout splits the set in two, class by class, as datasets.Holdout does; the unlabeled images count as one class.
// Both parts read the files of a: close a after use, not the parts.
func (a *All) Holdout(share float64, seed uint64) (rest, held *All, err error) {
	restRows, heldRows, err := datasets.HoldoutRows(a.Labels, len(a.Classes), share, seed)
	if err != nil {
		return nil, nil, err
	}
	take := func(rows []int) *All {
		part := &All{Classes: a.Classes, train: a.train, unlabeled: a.unlabeled}
		for _, row := range rows {
			part.rows = append(part.rows, a.rows[row])
			part.Labels = append(part.Labels, a.Labels[row])
		}
		return part
	}
	return take(restRows), take(heldRows), nil
}

// Len returns the number of images.
func (a *All) Len() int { return len(a.rows) }

// Shape returns the size of an image, 96×96×3.
func (a *All) Shape() (height, width, channels int) { return a.train.Shape() }

// ReadImage reads image i as [Set.ReadImage] does.
func (a *All) ReadImage(i int, dst []uint8) error {
	if err := check.Image(i, a.Len(), len(dst), imageSize); err != nil {
		return fmt.Errorf("stl10: %w", err)
	}
	row := a.rows[i]
	if row < a.train.Len() {
		return a.train.ReadImage(row, dst)
	}
	return a.unlabeled.ReadImage(row-a.train.Len(), dst)
}

// String describes the set in one line.
func (a *All) String() string {
	unknown := 0
	for _, class := range a.Labels {
		if class == len(a.Classes)-1 {
			unknown++
		}
	}
	return fmt.Sprintf("%d images of STL-10 in %d classes, and %d without a class", a.Len()-unknown, len(a.Classes)-1, unknown)
}

// Close closes both files.
func (a *All) Close() error { return errors.Join(a.train.Close(), a.unlabeled.Close()) }
