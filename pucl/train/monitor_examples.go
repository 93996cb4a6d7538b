package train

import (
	"errors"
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/internal/pixels"
)

// monitored holds the examples that a [Monitor] measures, in parts of one size; the last part is padded.
type monitored struct {
	parts   [][]any // the inputs of the graph, for each part
	each    int     // examples in a part
	labeled []bool  // of all examples except padding
}

// The number of examples per call of the network, and the maximum number of batches read for a sample.
const (
	monitoredAtOnce = 256
	monitorBatches  = 16
)

// monitorStream separates the random draws of readings from the draws of training.
const monitorStream = 0x7761746368

// monitoredImages returns the images of m, or the first ones of the batches, and the graph from a part to the images
// without augmentation and, last, two views of each.
func monitoredImages(m Monitor, seed uint64, recipe augment.Recipe, shape augment.Shape,
	read func(step int) ([]uint8, []bool, error)) (*monitored, func(inputs []*Node) []*Node, error) {
	images, labeled, size := m.Pixels, m.Labeled, pixels.Bytes(shape)
	if m.Features != nil {
		return nil, nil, fmt.Errorf("train: Monitor.Features holds rows of features, but images are trained on; give Monitor.Pixels")
	}
	if images == nil {
		sample := newSample[uint8](m.Examples)
		for step := 0; step < monitorBatches && !sample.full(); step++ {
			images, labeled, err := read(step)
			if err != nil {
				return nil, nil, err
			}
			sample.add(images, labeled, size, func(image []uint8) string { return string(image) })
		}
		images, labeled = sample.values, sample.labeled
	}
	n := len(labeled)
	if err := pixels.CheckLabeled(images, n, "images to monitor", "labels", shape); err != nil {
		return nil, nil, fmt.Errorf("train: %w", err)
	}
	if n < 2 {
		return nil, nil, errors.New("train: one image to monitor; one alone has no spread: give 2 or more")
	}
	numbers, err := recipe.Draw(rand.New(rand.NewPCG(seed, monitorStream)), shape, 2*n)
	if err != nil {
		return nil, nil, fmt.Errorf("train: views to monitor: %w", err)
	}
	perView := recipe.Numbers()
	inputs := func(first, each int) []any {
		views := append(part(numbers[:n*perView], first, each, perView), part(numbers[n*perView:], first, each, perView)...)
		return []any{
			tensors.FromFlatDataAndDimensions(part(images, first, each, size), each, shape.Height, shape.Width, shape.Channels),
			tensors.FromFlatDataAndDimensions(views, 2*each, perView),
		}
	}
	return inParts(labeled, inputs), func(inputs []*Node) []*Node {
		images := ScalePixels(inputs[0])
		return []*Node{images, recipe.Apply(Concatenate([]*Node{images, images}, 0), inputs[1])}
	}, nil
}

// monitoredRows returns the rows of m, or the two views of the first rows of the batches, and the graph from a part to
// them.
func monitoredRows(m Monitor, batches FeatureBatches) (*monitored, func(inputs []*Node) []*Node, error) {
	d := batches.Features()
	if m.Pixels != nil {
		return nil, nil, fmt.Errorf("train: Monitor.Pixels holds images, but rows of features are trained on; give Monitor.Features")
	}
	if m.Features != nil {
		rows, columns := m.Features.Dims()
		if rows != len(m.Labeled) || columns != d || rows < 2 {
			return nil, nil, fmt.Errorf("train: %d rows of %d features and %d labels to monitor; there must be at least 2 rows of %d features, "+
				"and a label for each", rows, columns, len(m.Labeled), d)
		}
		return rowParts(m.Labeled, d, float32s(m.Features)), func(in []*Node) []*Node { return in }, nil
	}
	first, second := newSample[float32](m.Examples), newSample[float32](m.Examples)
	for step := 0; step < monitorBatches && !first.full(); step++ {
		views, labeled, err := readRows(batches, step)
		if err != nil {
			return nil, nil, err
		}
		// Views are drawn anew each time, so repeated rows cannot be detected; all count.
		b := len(labeled)
		first.add(views[:b*d], labeled, d, nil)
		second.add(views[b*d:], labeled, d, nil)
	}
	if len(first.labeled) < 2 {
		return nil, nil, fmt.Errorf("train: %d rows in the first %d batches to monitor; there must be at least 2", len(first.labeled), monitorBatches)
	}
	return rowParts(first.labeled, d, first.values, second.values), func(in []*Node) []*Node {
		return []*Node{in[0], Concatenate(in, 0)}
	}, nil
}

// rowParts cuts views of rows of d numbers into parts.
func rowParts(labeled []bool, d int, views ...[]float32) *monitored {
	return inParts(labeled, func(first, each int) (inputs []any) {
		for _, view := range views {
			inputs = append(inputs, tensors.FromFlatDataAndDimensions(part(view, first, each, d), each, d))
		}
		return inputs
	})
}

// inParts divides examples into parts; inputs returns the graph's inputs for a part.
func inParts(labeled []bool, inputs func(first, each int) []any) *monitored {
	all := &monitored{each: min(len(labeled), monitoredAtOnce), labeled: labeled}
	for first := 0; first < len(labeled); first += all.each {
		all.parts = append(all.parts, inputs(first, all.each))
	}
	return all
}

// part returns count examples of the given size, starting at first, padded with zeros if there are fewer.
func part[T any](values []T, first, count, size int) []T {
	out := make([]T, count*size)
	copy(out, values[first*size:min((first+count)*size, len(values))])
	return out
}

// sample collects examples up to a maximum number.
type sample[T any] struct {
	values  []T
	labeled []bool
	most    int
	seen    map[string]bool
}

func newSample[T any](most int) *sample[T] { return &sample[T]{most: most, seen: map[string]bool{}} }

func (s *sample[T]) full() bool { return len(s.labeled) >= s.most }

// add appends the examples of a batch. Only the first of examples with the same key counts: otherwise the monitor would
// find a copy of a query in its bank. With a nil key all examples differ.
func (s *sample[T]) add(values []T, labeled []bool, size int, key func([]T) string) {
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
