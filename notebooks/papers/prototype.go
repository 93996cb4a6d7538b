package papers

import (
	"cmp"
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
	return PrototypeConfig{Size: size}.Beside()
}

// PrototypeConfig says how an objective of one's own is trained. The zero value of all but Size is the setting of [Prototype], whose runs
// come with the module; with another number of steps it is another setting, all runs of which are to be done.
type PrototypeConfig struct {
	Size  experiment.Size
	Steps int // of each training; 0 means 500 of size laptop, 20 of size smoke, the 300 epochs of the paper of size paper
	Seeds int // how many trainings, of seeds 1, 2, …; 0 means three, two of size smoke
}

// Beside returns the runs of ssCL and PUCL.
func (c PrototypeConfig) Beside() (experiment.Grid, error) {
	return c.runs(prototype, pucl.SSCL(), pucl.PUCL())
}

// Own returns the runs of an objective of one's own. They are named by the objective's name: another formula needs another one.
func (c PrototypeConfig) Own(o pucl.Objective) (experiment.Grid, error) { return c.runs(o.Name, o) }

// runs returns those of objectives.
func (c PrototypeConfig) runs(name string, objectives ...pucl.Objective) (experiment.Grid, error) {
	s, err := c.setting()
	if err != nil {
		return experiment.Grid{}, err
	}
	grid := experiment.Grid{Name: name, Size: c.Size}
	for _, o := range objectives {
		for seed := range uint64(s.Seeds) {
			grid.Runs = append(grid.Runs, s.contrastive(o, seed+1))
		}
	}
	return grid, nil
}

// WithDefaults returns the configuration with the numbers that its zeros stand for.
func (c PrototypeConfig) WithDefaults() (PrototypeConfig, error) {
	s, err := c.setting()
	return PrototypeConfig{Size: c.Size, Steps: s.Pretrain.Steps, Seeds: s.Seeds}, err
}

// setting returns the setting. With another number of steps it has another name, so that its results lie beside the others.
func (c PrototypeConfig) setting() (setting, error) {
	if c.Steps < 0 || c.Seeds < 0 {
		return setting{}, fmt.Errorf("papers: %d steps and %d seeds; take 1 or more of each, or 0 for the usual", c.Steps, c.Seeds)
	}
	s, err := prototypeSetting(c.Size)
	if err != nil {
		return setting{}, err
	}
	if c.Steps > 0 && c.Steps != s.Pretrain.Steps {
		s.Pretrain.Steps = c.Steps
		s.Name = fmt.Sprintf("%s, %d steps", s.Name, c.Steps)
	}
	s.Seeds = cmp.Or(c.Seeds, s.Seeds)
	return s, nil
}

// prototypeSetting returns the setting of [Prototype] at a size.
func prototypeSetting(size experiment.Size) (setting, error) {
	s := smoke()
	switch size {
	case experiment.Smoke:
		s.Name, s.Points = s.Name+", judged once", 1
	case experiment.Laptop:
		s.Encoder, s.Pretrain.Steps, s.Points = encoder.SmallCNN{Mean: 0.286, Std: 0.353}, 500, 1
		s.Pretrain.Recipe = augment.Recipe{augment.CropJitter{MinArea: 0.5}}
		s.Batch, s.Seeds = datasets.BatchConfig{Size: 256, Share: 0.25}, 3
	case experiment.Paper:
		s = paper("FMNIST-I", 1000)
		s.Seeds = 3
	default:
		return setting{}, size.Unknown()
	}
	return s.withBenchmark()
}

// Embed embeds the test images of the setting, and tells which of them are positive.
func (c PrototypeConfig) Embed(eng *engine.Engine, m *train.Model) (e *train.Embedding, positive []bool, err error) {
	s, err := c.setting()
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
