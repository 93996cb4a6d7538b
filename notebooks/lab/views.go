package lab

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/viz"
)

// Views returns a grid of images, each twice, with two random views by recipe below each pair; the seed determines the
// views. It returns an error if there are no images or if recipe changes their size.
func Views(eng *engine.Engine, recipe augment.Recipe, images *datasets.Images, seed uint64) (*viz.Drawing, error) {
	var twice []int
	for i := range images.Len() {
		twice = append(twice, i, i)
	}
	views, pairs, err := drawViews(eng, recipe, images, twice, seed)
	if err != nil {
		return nil, err
	}
	height, width, channels := images.Shape()
	grid, err := viz.ImageGrid(slices.Concat(pairs.Pixels, views), height, width, channels, pairs.Len(), nil)
	if err != nil {
		return nil, err
	}
	grid.Title = "Images (above) and two views of each (below)"
	return grid, nil
}

// drawViews makes a view of each of the given rows of images, and returns these rows too.
func drawViews(eng *engine.Engine, recipe augment.Recipe, images *datasets.Images, rows []int, seed uint64) (
	views []uint8, chosen *datasets.Images, err error) {
	if chosen, err = images.Select(rows); err != nil {
		return nil, nil, err
	}
	height, width, channels := images.Shape()
	shape := augment.Shape{Height: height, Width: width, Channels: channels}
	numbers, err := recipe.Draw(rand.New(rand.NewPCG(seed, 0)), shape, chosen.Len())
	if err != nil {
		return nil, nil, err
	}
	views, out, err := recipe.Bytes(eng, chosen.Pixels, shape, numbers)
	if err == nil && out != shape {
		err = fmt.Errorf("lab: the views are %v and the images %v; they are to be of one size", out, shape)
	}
	return views, chosen, err
}
