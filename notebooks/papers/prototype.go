package papers

import (
	"errors"
	"fmt"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// prototype names the grid that objectives of one's own are set beside.
const prototype = "prototype"

// Prototype is what an objective of one's own is set beside: ssCL and PUCL in a setting so small that three runs of it take two minutes,
// on images that every machine has.
func Prototype(size experiment.Size) (experiment.Grid, error) {
	return prototypes(size, prototype, pucl.SSCL(), pucl.PUCL())
}

// Own returns the runs of an objective of one's own in the setting of [Prototype].
func Own(size experiment.Size, o pucl.Objective) (experiment.Grid, error) {
	return prototypes(size, o.Name, o)
}

// prototypes returns the runs of objectives in the setting of prototypes.
func prototypes(size experiment.Size, name string, objectives ...pucl.Objective) (experiment.Grid, error) {
	s, err := prototypeSetting(size)
	if err != nil {
		return experiment.Grid{}, err
	}
	grid := experiment.Grid{Name: name, Size: size}
	for _, o := range objectives {
		for seed := range uint64(s.Seeds) {
			grid.Runs = append(grid.Runs, s.contrastive(o, seed+1))
		}
	}
	return grid, nil
}

// prototypeSetting returns the setting of prototypes at a size.
func prototypeSetting(size experiment.Size) (setting, error) {
	s := smoke()
	switch size {
	case experiment.Smoke:
		s.Name, s.Points = s.Name+", judged once", 1
	case experiment.Laptop:
		s.Encoder, s.Pretrain.Steps, s.Points = encoder.SmallCNN{}, 500, 1
		s.Pretrain.Recipe = augment.Recipe{augment.CropJitter{MinArea: 0.5}}
		s.Batch, s.Seeds = datasets.BatchConfig{Size: 256, Share: 0.25}, 3
	case experiment.Paper:
		s = paper("FMNIST-I", 1000)
		s.Seeds = 3
	default:
		return setting{}, fmt.Errorf("papers: there is no size %q", size)
	}
	list, err := withBenchmarks([]setting{s})
	return list[0], err
}

// EmbedPrototype embeds the test images of the setting of [Prototype], and tells which of them are positive.
func EmbedPrototype(eng *engine.Engine, size experiment.Size, m *train.Model) (e *train.Embedding, positive []bool, err error) {
	s, err := prototypeSetting(size)
	if err != nil {
		return nil, nil, err
	}
	data, err := s.Data.open(1) // of which the test images are the same for all seeds
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, data.close()) }()
	e, err = m.EmbedImages(eng, data.test)
	return e, data.truth, err
}
