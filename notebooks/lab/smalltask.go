package lab

import (
	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/fashionmnist"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/theory"
)

// The sizes of SmallTask.
const (
	taskImages = 3000
	heldImages = 400
)

// SmallTask returns FMNIST-I on 3,000 of the built-in images, for a training run of seconds, and 400 other images for
// evaluation. All 3,000 are unlabeled data. Labeled is the number of labeled positives among them; the seed selects
// these.
func SmallTask(labeled int, seed uint64) (learn, held *datasets.PU, err error) {
	images, err := fashionmnist.Embedded()
	if err != nil {
		return nil, nil, err
	}
	part := func(first, n, labeled int) (*datasets.PU, error) {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = first + i
		}
		chosen, err := images.Select(rows)
		if err != nil {
			return nil, err
		}
		return datasets.NewPU(chosen, datasets.SplitConfig{Positive: fashionmnist.FMNISTI(), Labeled: labeled, Seed: seed})
	}
	if learn, err = part(0, taskImages, labeled); err != nil {
		return nil, nil, err
	}
	held, err = part(taskImages, heldImages, 0)
	return learn, held, err
}

// Population returns the projections of images by a model as a population for package theory. Each class consists of
// the projections of its unlabeled images, with equal probabilities.
func Population(eng *engine.Engine, model *train.Model, pu *datasets.PU) (p theory.Population, err error) {
	e, err := model.EmbedImages(eng, pu.Images)
	if err != nil {
		return p, err
	}
	var points [2][][]float64 // negative, positive
	for i, row := range pu.Index {
		switch {
		case pu.Labeled[i]:
		case pu.Positive[i]:
			points[1] = append(points[1], e.Z.RawRowView(row))
		default:
			points[0] = append(points[0], e.Z.RawRowView(row))
		}
	}
	p = theory.Population{Positive: theory.Uniform(points[1]...), Negative: theory.Uniform(points[0]...)}
	return p, p.Validate()
}
