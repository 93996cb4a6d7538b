package pucl

import (
	"errors"
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/augment"
)

// watched are the examples that a Watch measures, cut into parts of one size, the last one filled up with what does not count.
type watched struct {
	parts   [][]any // what the graph takes, for each part
	each    int     // examples in a part
	labeled []bool  // of all examples that count
}

// looks are the ways to look at watched examples in a graph: the examples as they are and, last, two views of each where there
// are two.
type looks func(inputs []*Node) []*Node

// Of a sample, how many examples go through the network at once, and how many batches are read to get it.
const (
	watchedAtOnce = 256
	watchBatches  = 16
)

// watchStream keeps the draws of readings apart from those of training.
const watchStream = 0x7761746368 // "watch" in ASCII

// watchedImages are the images of w, or those that the batches hand out first, with two views drawn for each.
func watchedImages(w Watch, seed uint64, recipe augment.Recipe, batches Batches) (*watched, looks, error) {
	height, width, channels := batches.ImageShape()
	size := height * width * channels
	pixels, labeled := w.Pixels, w.Labeled
	if w.Features != nil {
		return nil, nil, fmt.Errorf("pucl: Watch.Features holds rows of features, but images are trained on; give Watch.Pixels")
	}
	if pixels == nil {
		sample := newGathering[uint8](w.Examples)
		for step := 0; step < watchBatches && !sample.full(); step++ {
			pixels, labeled, err := batches.Batch(step)
			if err != nil {
				return nil, nil, fmt.Errorf("pucl: batch %d: %w", step, err)
			}
			if len(pixels) != len(labeled)*size {
				return nil, nil, wrongBatch(step, len(labeled), len(pixels), height, width, channels)
			}
			sample.add(pixels, labeled, size, func(image []uint8) string { return string(image) })
		}
		pixels, labeled = sample.values, sample.labeled
	}
	n, shape := len(labeled), augment.Shape{Height: height, Width: width, Channels: channels}
	if err := labeledImages(pixels, n, "images to watch", "labels", shape); err != nil {
		return nil, nil, err
	}
	if n < 2 {
		return nil, nil, errors.New("pucl: one image to watch; one alone has no spread: give 2 or more")
	}
	numbers, err := recipe.Draw(rand.New(rand.NewPCG(seed, watchStream)), shape, 2*n)
	if err != nil {
		return nil, nil, fmt.Errorf("pucl: views to watch: %w", err)
	}
	perView := recipe.Numbers()
	all := &watched{each: min(n, watchedAtOnce), labeled: labeled}
	for first := 0; first < n; first += all.each {
		all.parts = append(all.parts, []any{
			tensors.FromFlatDataAndDimensions(part(pixels, first, all.each, size), all.each, height, width, channels),
			tensors.FromFlatDataAndDimensions(append(part(numbers[:n*perView], first, all.each, perView),
				part(numbers[n*perView:], first, all.each, perView)...), 2*all.each, perView),
		})
	}
	return all, func(inputs []*Node) []*Node {
		images := scalePixels(inputs[0])
		return []*Node{images, recipe.Apply(Concatenate([]*Node{images, images}, 0), inputs[1])}
	}, nil
}

// watchedRows are the rows of w, or the two views of those that the batches hand out first.
func watchedRows(w Watch, batches FeatureBatches) (*watched, looks, error) {
	d := batches.Features()
	if w.Pixels != nil {
		return nil, nil, fmt.Errorf("pucl: Watch.Pixels holds images, but rows of features are trained on; give Watch.Features")
	}
	if w.Features != nil {
		rows, columns := w.Features.Dims()
		if rows != len(w.Labeled) || columns != d || rows < 2 {
			return nil, nil, fmt.Errorf("pucl: %d rows of %d features and %d labels to watch; there must be at least 2 rows of %d features, "+
				"and a label for each", rows, columns, len(w.Labeled), d)
		}
		return rowParts(w.Labeled, d, float32s(w.Features)), func(in []*Node) []*Node { return in }, nil
	}
	first, second := newGathering[float32](w.Examples), newGathering[float32](w.Examples)
	for step := 0; step < watchBatches && !first.full(); step++ {
		views, labeled := batches.Batch(step)
		b := len(labeled)
		if len(views) != 2*b*d {
			return nil, nil, fmt.Errorf("pucl: batch %d holds %d labels and %d numbers; two views of rows of %d need %d numbers for each label",
				step, b, len(views), d, 2*d)
		}
		// Views are drawn anew each time, so the same row met twice cannot be told; all count.
		first.add(views[:b*d], labeled, d, nil)
		second.add(views[b*d:], labeled, d, nil)
	}
	if len(first.labeled) < 2 {
		return nil, nil, fmt.Errorf("pucl: %d rows in the first %d batches to watch; there must be at least 2", len(first.labeled), watchBatches)
	}
	return rowParts(first.labeled, d, first.values, second.values), func(in []*Node) []*Node {
		return []*Node{in[0], Concatenate(in, 0)}
	}, nil
}

// float32s are the entries of x row by row.
func float32s(x *mat.Dense) []float32 {
	n, d := x.Dims()
	values := make([]float32, 0, n*d)
	for i := range n {
		for _, v := range x.RawRowView(i) {
			values = append(values, float32(v))
		}
	}
	return values
}

// rowParts cuts views of rows of d numbers into parts.
func rowParts(labeled []bool, d int, views ...[]float32) *watched {
	n := len(labeled)
	all := &watched{each: min(n, watchedAtOnce), labeled: labeled}
	for first := 0; first < n; first += all.each {
		var inputs []any
		for _, view := range views {
			inputs = append(inputs, tensors.FromFlatDataAndDimensions(part(view, first, all.each, d), all.each, d))
		}
		all.parts = append(all.parts, inputs)
	}
	return all
}

// part copies count examples of that size from the first on, filled up with zeros where there are fewer.
func part[T any](values []T, first, count, size int) []T {
	out := make([]T, count*size)
	copy(out, values[first*size:min((first+count)*size, len(values))])
	return out
}

// gathering gathers examples up to a number.
type gathering[T any] struct {
	values  []T
	labeled []bool
	most    int
	seen    map[string]bool
}

func newGathering[T any](most int) *gathering[T] {
	return &gathering[T]{most: most, seen: map[string]bool{}}
}

func (s *gathering[T]) full() bool { return len(s.labeled) >= s.most }

// add takes in the examples of a batch. Of examples with the same key only the first counts: the monitor would find a copy of
// a query in its bank. A nil key tells all apart.
func (s *gathering[T]) add(values []T, labeled []bool, size int, key func([]T) string) {
	for i, l := range labeled {
		example := values[i*size : (i+1)*size]
		if s.full() {
			return
		}
		if key != nil {
			if s.seen[key(example)] {
				continue
			}
			s.seen[key(example)] = true
		}
		s.values, s.labeled = append(s.values, example...), append(s.labeled, l)
	}
}
