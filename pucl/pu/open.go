package pu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/folder"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/pucl/learn"
)

// FolderConfig states how [OpenFolder] reads a folder of images. The zero value reads labeled positives from the
// sub-folder "labeled" or "positive" and unlabeled images from all others.
type FolderConfig struct {
	Positive []string // sub-folders of labeled positives; nil means "labeled" and "positive"

	// Truth lists the sub-folders of positive images of a test set: all other sub-folders hold negatives, and no image
	// is labeled. Nil means that the true classes are unknown.
	Truth []string

	// Height, Width and Gray are the size and channels of all images; see folder.Config. Zero sizes mean the size of
	// the first image, at most 64 pixels a side; images are gray if the first of each sub-folder is.
	Height, Width int
	Gray          bool
	Like          *Dataset // takes size and channels from this data set instead, as for a test set; may be nil

	CaseControl bool // the labeled positives were sampled separately; see Dataset.CaseControl
	SkipBroken  bool // skips unreadable files and lists them in Dataset.Skipped; false lists them all in an error
}

// OpenFolder reads all images below a folder; each sub-folder holds images of one kind.
func OpenFolder(path string, config FolderConfig) (*Dataset, error) {
	c := folder.Config{Height: config.Height, Width: config.Width, Gray: config.Gray}
	fsys := os.DirFS(path)
	named := map[string]string{} // sub-folders named here are classes, even "train"
	for _, name := range slices.Concat(config.Positive, config.Truth) {
		named[name] = name
	}
	if like := config.Like; like != nil {
		c.Height, c.Width, c.Gray = like.Shape.Height, like.Shape.Width, like.Shape.Channels == 1
		if like.Files != nil {
			c.Fit = like.Files.Fit
		}
	} else if c.Height == 0 && c.Width == 0 {
		var err error
		if c.Height, c.Width, c.Gray, err = sizeOf(fsys, c, named); err != nil {
			return nil, inFile(path, err)
		}
	}
	set, err := openNamed(fsys, c, named)
	if err != nil {
		return nil, inFile(path, err)
	}
	var images *datasets.Images
	var broken []error
	if config.SkipBroken {
		images, _, broken, err = set.LoadReadable(context.Background())
	} else {
		images, err = set.Load(context.Background()) // lists all broken files in its error
	}
	if err != nil {
		return nil, inFile(path, err)
	}
	d := &Dataset{
		Pixels: images.Pixels, Shape: Shape{Height: images.Height, Width: images.Width, Channels: images.Channels},
		Labeled: make([]bool, images.Len()), CaseControl: config.CaseControl, Files: &c, Skipped: broken,
	}
	marks, names, given := d.Labeled, config.Positive, config.Positive != nil
	switch {
	case config.Truth != nil:
		d.Truth = make([]bool, images.Len())
		marks, names, given = d.Truth, config.Truth, true
	case !given:
		names = []string{"labeled", "positive"}
	}
	found := false
	for i, class := range images.Labels {
		marks[i] = slices.Contains(names, images.Classes[class])
		found = found || marks[i]
	}
	classes := strings.Join(images.Classes, ", ")
	for _, name := range names {
		if given && !slices.Contains(images.Classes, name) {
			return nil, fmt.Errorf("pu: %s has no sub-folder %s; it has %s", path, name, classes)
		}
	}
	if !found {
		return nil, fmt.Errorf("pu: %s has no sub-folder \"labeled\" or \"positive\" but %s; name those of labeled "+
			"positives in Positive, or, of a test set, those of positives in Truth", path, classes)
	}
	return d, d.Validate()
}

func inFile(path string, err error) error { return fmt.Errorf("pu: %s: %w", path, err) }

// TableConfig states how [OpenTable] reads a CSV file.
type TableConfig struct {
	Label    string   // column with the labels of rows; required
	Positive []string // its values for "positive", 1 also for 1.0; nil means the only value beside empty ones
	Truth    bool     // Label holds the true class of every row, as in a test set, instead of a label
	Skip     []string // columns that are no features, such as an identifier; "" for columns without a name
	Keep     []string // features that look like row numbers, which are errors otherwise; see tabular.ReadFrame
	Words    []string // columns of numbers that are categories
	Missing  []string // texts that mean a gap; nil means the usual ones, see tabular.FrameConfig
	Comma    rune     // 0 means ','
	Like     *Dataset // the training set, for a test set: columns are read as numbers or categories as there; may be nil

	CaseControl bool // the labeled positives were sampled separately; see Dataset.CaseControl
	SkipBad     bool // skips unreadable lines and lists them in Dataset.Skipped; false lists them in an error
}

// OpenTable reads a CSV file with a header. Columns may be numbers or categories, with gaps: [Fit] fills and encodes
// them by the training rows. A column of row numbers, as other programs write it, is an error that names the remedy.
// Package datasets has a table of accepted and rejected input.
func OpenTable(path string, config TableConfig) (*Dataset, error) {
	if config.Label == "" {
		return nil, errors.New("pu: no Label; name the column that says which rows are labeled positives, or use " +
			"Features for rows without one")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var like *tabular.Encoding
	if config.Like != nil {
		if _, like, err = config.Like.Encode(); err != nil {
			return nil, err
		}
		if like == nil {
			return nil, errors.New("pu: Like is a data set of images; give the table of the training set")
		}
	}
	frame, labels, bad, err := tabular.ReadFrame(file, tabular.FrameConfig{
		Label: config.Label, Skip: config.Skip, Keep: config.Keep, Words: config.Words, Missing: config.Missing,
		Comma: config.Comma, SkipBad: config.SkipBad, Like: like,
	})
	if err != nil {
		return nil, inFile(path, err)
	}
	values := slices.Compact(slices.Sorted(slices.Values(labels)))
	var positive []string
	for _, name := range config.Positive {
		positive = append(positive, tabular.ClassName(name))
	}
	if config.Positive == nil {
		if len(values) != 2 || values[0] != "" {
			return nil, fmt.Errorf("pu: %s: the column %s has the values %q; name those that mean \"positive\" in "+
				"Positive", path, config.Label, values)
		}
		positive = values[1:]
	}
	for _, name := range positive {
		if !slices.Contains(values, name) {
			return nil, fmt.Errorf("pu: %s: no row has %q in the column %s; it has %q", path, name, config.Label,
				values)
		}
	}
	marks := make([]bool, len(labels))
	for i, label := range labels {
		marks[i] = slices.Contains(positive, label)
	}
	d := &Dataset{Table: frame, Labeled: marks, CaseControl: config.CaseControl, Skipped: bad}
	if config.Truth {
		d.Labeled, d.Truth = make([]bool, len(labels)), marks
	}
	return d, d.Validate()
}

// Features returns the data set of rows of numbers [n, d], where NaN is a gap; labeled [n] marks the labeled positives
// and is nil for rows used only for prediction.
func Features(x *mat.Dense, labeled []bool) (*Dataset, error) {
	frame, err := tabular.NewFrame(x, nil)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Table: frame, Labeled: labeled}
	return d, d.Validate()
}

// TwoSamples returns the data set of two samples with the same columns: labeled positives, sampled separately, and
// unlabeled rows.
func TwoSamples(positive, unlabeled *mat.Dense) (*Dataset, error) {
	if positive == nil || unlabeled == nil || positive.IsEmpty() || unlabeled.IsEmpty() {
		return nil, errors.New("pu: two samples, one of which has no rows; give at least one labeled positive and " +
			"one unlabeled row")
	}
	n, columns := positive.Dims()
	m, other := unlabeled.Dims()
	if columns != other {
		return nil, fmt.Errorf("pu: labeled positives of %d features and unlabeled rows of %d; both must have the "+
			"same columns", columns, other)
	}
	var x mat.Dense
	x.Stack(positive, unlabeled)
	d, err := Features(&x, append(slices.Repeat([]bool{true}, n), make([]bool, m)...))
	if err == nil {
		d.CaseControl = true
	}
	return d, err
}

// Images returns the data set of images in memory, height×width×channels bytes each, one after the other; labeled [n]
// marks the labeled positives and is nil for images used only for prediction.
func Images(pixels []uint8, shape Shape, labeled []bool) (*Dataset, error) {
	d := &learn.Dataset{Pixels: pixels, Shape: shape, Labeled: labeled}
	return d, d.Validate()
}

// FromPU returns the data set of a PU split of images in memory, in the order of the split. Truth is set if the split
// has the true class of every example.
func FromPU(p *datasets.PU) (*Dataset, error) {
	if p == nil {
		return nil, errors.New("pu: no PU data; datasets.NewPU makes them")
	}
	images, err := p.Images.Select(p.Index)
	if err != nil {
		return nil, err
	}
	d, err := Images(images.Pixels, Shape{Height: images.Height, Width: images.Width, Channels: images.Channels}, p.Labeled)
	if err == nil {
		d.CaseControl = p.Config.Setting != datasets.SingleDataset
		if p.Unknown == nil {
			d.Truth = p.Positive
		}
	}
	return d, err
}
