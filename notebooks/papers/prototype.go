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

// prototype names the grid of baselines for user-defined objectives.
const prototype = "prototype"

// Prototype has the baselines for user-defined objectives: ssCL and PUCL in a setting so small that three runs take two
// minutes, on images that every machine has.
func Prototype(size experiment.Size) (experiment.Grid, error) {
	return PrototypeConfig{Size: size}.Beside()
}

// PrototypeConfig configures the training of a user-defined objective. Zero values of all fields but Size select the
// setting of [Prototype], whose runs the module has; another number of steps is another setting without stored runs.
type PrototypeConfig struct {
	Size  experiment.Size
	Steps int // of each training; 0 means 500 at size laptop, 20 at size smoke, the paper's 300 epochs at size paper
	Seeds int // number of trainings, with seeds 1, 2, …; 0 means three, or two at size smoke
}

// Beside returns the runs of ssCL and PUCL.
func (c PrototypeConfig) Beside() (experiment.Grid, error) {
	return c.runs(prototype, pucl.SSCL(), pucl.PUCL())
}

// Own returns the runs of a user-defined objective. Its name identifies them, so another formula needs another name.
func (c PrototypeConfig) Own(o pucl.Objective) (experiment.Grid, error) { return c.runs(o.Name, o) }

// runs returns the runs of objectives.
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

// WithDefaults returns the configuration with zeros replaced by their defaults.
func (c PrototypeConfig) WithDefaults() (PrototypeConfig, error) {
	s, err := c.setting()
	return PrototypeConfig{Size: c.Size, Steps: s.Pretrain.Steps, Seeds: s.Seeds}, err
}

// setting returns the setting. Another number of steps gives it another name, so that its results are stored
// separately.
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

// Embed embeds the test images of the setting, and returns which of them are positive.
func (c PrototypeConfig) Embed(eng *engine.Engine, m *train.Model) (e *train.Embedding, positive []bool, err error) {
	s, err := c.setting()
	if err != nil {
		return nil, nil, err
	}
	data, err := s.Data.open(1) // the test images are the same for all seeds
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, data.close()) }()
	e, err = m.EmbedImages(eng, data.test)
	return e, data.truth, err
}
