package papers

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/datasets"
)

// Data specifies the training and evaluation data of a run. The seed of the run enters all draws.
type Data struct {
	Benchmark string // name for datasets.FindBenchmark
	Files     Files  // of the benchmark's data set
	Labeled   int    // n_P
	// HeldOut is the held-out fraction of the training images; the same fraction of all amounts is held out in addition
	// to the training amounts.
	HeldOut float64
	// Negative lists the negative classes of the benchmark, all others being left out; nil means the benchmark's own.
	Negative []int
	// Single selects the single-dataset setting: labeled images are drawn uniformly from the positives and leave the
	// unlabeled ones, so that n_P + n_U is constant.
	Single    bool
	Unlabeled int // n_U; 0 means all available
	Total     int // n_P + n_U, with Single; 0 means all available
	// Prior is the fraction of positives among the unlabeled images, with Single among all images; 0 means the
	// benchmark's.
	Prior float64
	// Uneven is the ratio of labeling probabilities between successive positive classes; 0 means equal numbers per
	// class.
	Uneven float64
}

// set is a part of a data set with the class of each image.
type set struct {
	datasets.Source
	labels  []int
	classes []string
}

// part is a set of images with their PU labels. Rows of the split are rows of the images.
type part struct {
	images datasets.Source
	*datasets.Split
}

// opened is the opened data of a run.
type opened struct {
	train, held part
	views       *datasets.Images // a view of each of held.images
	test        set
	truth       []bool   // which of test are positive
	learn       []int    // the class of each of train.images
	aside       []int    // the class of each of held.images
	pool        []int    // rows of train.images that belong to the task, whether or not the split drew them
	poolTruth   []bool   // which of pool are positive
	neighbors   int      // number of nearest pool images in the evaluation by [Neighbors]; 0 for none
	heads       []string // for evaluation; nil for all
	note        string   // which files these are
	close       func() error
}

// open returns the data as split for that seed. Close them after use.
func (d Data) open(seed uint64) (_ *opened, err error) {
	benchmark, err := findTask(d.Benchmark)
	if err != nil {
		return nil, err
	}
	all, o, err := openFiles(benchmark.Set, d.Files)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("papers: %s: %w", d.Benchmark, err), o.close())
		}
	}()
	rest, held, err := datasets.HoldoutRows(all.labels, len(all.classes), d.HeldOut, seed)
	if err != nil {
		return nil, err
	}
	learn, aside, few := all.rows(rest), all.rows(held), d.scaled(d.HeldOut)
	o.learn, o.aside = learn.labels, aside.labels
	if o.train, err = d.split(benchmark, learn, d.Labeled, seed); err != nil {
		return nil, err
	}
	if o.held, err = few.split(benchmark, aside, few.Labeled, seed); err != nil {
		return nil, err
	}
	if o.pool, o.poolTruth, err = d.ofTask(benchmark, learn); err != nil {
		return nil, err
	}
	of, truth, err := d.ofTask(benchmark, o.test)
	o.test, o.truth = o.test.rows(of), truth
	return o, err
}

// scaled returns d with all amounts times share.
func (d Data) scaled(share float64) Data {
	for _, amount := range []*int{&d.Labeled, &d.Unlabeled, &d.Total} {
		*amount = int(math.Round(share * float64(*amount)))
	}
	return d
}

// ofTask returns the rows of a set with classes of the task, and which of them are positive.
func (d Data) ofTask(b datasets.Benchmark, s set) (rows []int, positive []bool, err error) {
	config, err := d.config(b, s.classes)
	for row, class := range s.labels {
		is := slices.Contains(config.Positive, class)
		if is || config.Negative == nil || slices.Contains(config.Negative, class) {
			rows, positive = append(rows, row), append(positive, is)
		}
	}
	return rows, positive, err
}

// config returns which classes are positive and which negative.
func (d Data) config(b datasets.Benchmark, classes []string) (datasets.SplitConfig, error) {
	config, err := b.Config(classes)
	for _, class := range d.Negative {
		config.Negative = append(config.Negative, slices.Index(classes, b.Classes[class]))
	}
	return config, err
}

// counts returns the number of positive images in the benchmark's training part, and the number of images of the task.
func (d Data) counts(b datasets.Benchmark) (positives, all float64) {
	negatives := float64(b.Negatives)
	if d.Negative != nil { // of classes of equal size
		negatives *= float64(len(d.Negative)) / float64(len(b.Classes)-len(b.Positive))
	}
	positives, all = float64(b.Positives), float64(b.Positives)+negatives
	if d.Files == BuiltIn {
		const builtIn = 8000. / 60_000 // of the training images of Fashion-MNIST
		positives, all = builtIn*positives, builtIn*all
	}
	return positives, all
}

// split makes PU data of a set.
func (d Data) split(b datasets.Benchmark, s set, labeled int, seed uint64) (part, error) {
	config, err := d.config(b, s.classes)
	if err != nil {
		return part{}, err
	}
	config.Labeled, config.Draw, config.Seed = labeled, datasets.Balanced, seed
	config.Unlabeled, config.Total, config.Prior = d.Unlabeled, d.Total, d.Prior
	if d.Single {
		config.Setting, config.Draw = datasets.SingleDataset, datasets.Uniform
	}
	if d.Uneven != 0 {
		drawUnevenly(&config, s.labels, d.Uneven)
	}
	split, err := datasets.NewSplit(s.labels, s.classes, config)
	return part{s.Source, split}, err
}

// read returns the images of these rows.
func read(source datasets.Source, rows []int) ([]uint8, error) {
	height, width, channels := source.Shape()
	size := height * width * channels
	out := make([]uint8, len(rows)*size)
	for i, row := range rows {
		if err := source.ReadImage(row, out[i*size:(i+1)*size]); err != nil {
			return nil, fmt.Errorf("papers: reading image %d: %w", row, err)
		}
	}
	return out, nil
}

// rows returns those rows of s as a set.
func (s set) rows(rows []int) set {
	labels := make([]int, len(rows))
	for i, row := range rows {
		labels[i] = s.labels[row]
	}
	return set{subset{s.Source, rows}, labels, s.classes}
}

// subset is a selection of images of a source.
type subset struct {
	datasets.Source
	index []int
}

func (s subset) Len() int                           { return len(s.index) }
func (s subset) ReadImage(i int, dst []uint8) error { return s.Source.ReadImage(s.index[i], dst) }
