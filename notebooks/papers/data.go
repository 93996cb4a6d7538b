package papers

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/datasets"
)

// Data says what a run learns from and what it is judged on. The seed of the run goes into all draws.
type Data struct {
	Benchmark string  // as datasets.FindBenchmark knows it
	Files     Files   // of the benchmark's data set
	Labeled   int     // n_P
	HeldOut   float64 // share of the training images that is held out, with as large a share of all amounts beside those to learn from

	Unlabeled int     // n_U; 0 means as many as there are
	Prior     float64 // share of positives among the unlabeled images, of one data set in all of it; 0 means that of the benchmark
	OneSet    bool    // labels are within one data set, of N = n_P + n_U images (datasets.SingleDataset), not beside it
	Total     int     // N, with OneSet; 0 means as many as there are
}

// set is a part of a data set with the class of each image.
type set struct {
	datasets.Source
	labels  []int
	classes []string
}

// part is images and what is known of them as PU data. Rows of the split are those of the images.
type part struct {
	images datasets.Source
	*datasets.Split
}

// opened is data, opened.
type opened struct {
	train, held part
	views       *datasets.Images // a view of each of held.images
	test        set
	truth       []bool // which of test are positive
	pool        []bool // which of train.images are positive, drawn into the split or not
	neighbors   int    // by how many of them embeddings are judged too, see [Neighbors]; 0 for none
	note        string // which files these are
	close       func() error
}

// open returns the data as a run with that seed sees them. Close them after use.
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
	if all, err = all.ofTask(benchmark); err != nil {
		return nil, err
	}
	if o.test, err = o.test.ofTask(benchmark); err != nil {
		return nil, err
	}
	rest, held, err := datasets.HoldoutRows(all.labels, len(all.classes), d.HeldOut, seed)
	if err != nil {
		return nil, err
	}
	learn := all.rows(rest)
	if o.train, err = d.split(benchmark, learn, d.Labeled, seed); err != nil {
		return nil, err
	}
	aside := d.scaled(d.HeldOut)
	if o.held, err = aside.split(benchmark, all.rows(held), aside.Labeled, seed); err != nil {
		return nil, err
	}
	if o.pool, err = learn.positive(benchmark); err != nil {
		return nil, err
	}
	o.truth, err = o.test.positive(benchmark)
	return o, err
}

// scaled returns d with all amounts times share.
func (d Data) scaled(share float64) Data {
	for _, amount := range []*int{&d.Labeled, &d.Unlabeled, &d.Total} {
		*amount = int(math.Round(share * float64(*amount)))
	}
	return d
}

// split makes PU data of a set.
func (d Data) split(b datasets.Benchmark, s set, labeled int, seed uint64) (part, error) {
	config, err := b.Config(s.classes)
	if err != nil {
		return part{}, err
	}
	config.Labeled, config.Draw, config.Seed = labeled, datasets.Balanced, seed
	config.Unlabeled, config.Total, config.Prior = d.Unlabeled, d.Total, d.Prior
	if d.OneSet {
		config.Setting = datasets.SingleDataset
	}
	split, err := datasets.NewSplit(s.labels, s.classes, config)
	return part{s.Source, split}, err
}

// positive returns which of the images are positive.
func (s set) positive(b datasets.Benchmark) (truth []bool, err error) {
	config, err := b.Config(s.classes)
	for _, class := range s.labels {
		truth = append(truth, slices.Contains(config.Positive, class))
	}
	return truth, err
}

// ofTask returns the images of the classes that the task is about: all of them, unless it names its negative ones.
func (s set) ofTask(b datasets.Benchmark) (set, error) {
	config, err := b.Config(s.classes)
	if err != nil || config.Negative == nil {
		return s, err
	}
	var rows []int
	for i, class := range s.labels {
		if slices.Contains(config.Positive, class) || slices.Contains(config.Negative, class) {
			rows = append(rows, i)
		}
	}
	return s.rows(rows), nil
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

// subset is some images of a source.
type subset struct {
	datasets.Source
	index []int
}

func (s subset) Len() int                           { return len(s.index) }
func (s subset) ReadImage(i int, dst []uint8) error { return s.Source.ReadImage(s.index[i], dst) }
