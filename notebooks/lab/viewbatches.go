package lab

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// ViewBatches draws n batches as in training, with two views of each image: labeled positives first, then unlabeled
// images in random order, in the layout of theory.AnchorLosses. Two views of every image are made once and projected by
// the model; all images of a batch differ. The seed determines views and batches.
func ViewBatches(eng *engine.Engine, model *train.Model, recipe augment.Recipe, pu *datasets.PU, labeled, unlabeled, n int, seed uint64) (
	batches [][][]float64, isLabeled []bool, err error) {
	all, positive := rows.All(pu.Images.Len()), []int{}
	for i, row := range pu.Index {
		if pu.Positive[i] && !pu.Labeled[i] {
			positive = append(positive, row)
		}
	}
	if labeled < 0 || unlabeled < 0 || labeled > len(positive) || labeled+unlabeled > len(all) {
		return nil, nil, fmt.Errorf("lab: a batch of %d labeled and %d unlabeled images cannot be drawn from %d images, %d of them positive",
			labeled, unlabeled, len(all), len(positive))
	}
	pixels, _, err := drawViews(eng, recipe, pu.Images, slices.Concat(all, all), seed)
	if err != nil {
		return nil, nil, err
	}
	e, err := model.Embed(eng, pixels)
	if err != nil {
		return nil, nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for range n {
		rng.Shuffle(len(positive), func(i, j int) { positive[i], positive[j] = positive[j], positive[i] })
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		images := slices.Clone(positive[:labeled])
		for _, row := range all {
			if len(images) < labeled+unlabeled && !slices.Contains(positive[:labeled], row) {
				images = append(images, row)
			}
		}
		batch := make([][]float64, 2*len(images))
		for i, row := range images {
			batch[i], batch[len(images)+i] = e.Z.RawRowView(row), e.Z.RawRowView(len(all)+row)
		}
		batches = append(batches, batch)
	}
	isLabeled = make([]bool, labeled+unlabeled)
	for i := range labeled {
		isLabeled[i] = true
	}
	return batches, isLabeled, nil
}
