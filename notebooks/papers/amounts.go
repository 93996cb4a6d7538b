package papers

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
)

// Common settings of figures over amounts of data. Batches are drawn without forced labels, so a batch has the γ and π
// of the data and the bias of Theorem 1. Encoders are evaluated with fully labeled data, by [Neighbors] and [Ceiling],
// and by PUPL from z, once, at the end.

// ofFigures returns the setting of a task in runs of figures at a size, without name and amounts.
func ofFigures(size experiment.Size, task string) (s setting, err error) {
	switch size {
	case experiment.Smoke:
		s = smoke()
		s.Data.Labeled = 0
	case experiment.Laptop:
		s = laptopFashion("", 0, nil)
		s.Pretrain.Steps = 500
	case experiment.Paper:
		s = paperFigure(task)
	default:
		return s, size.Unknown()
	}
	s.Data.Benchmark, s.Batch.Share, s.Points, s.Judge = task, 0, 1, judgedBy
	if s.Seeds = 3; size == experiment.Smoke {
		s.Seeds = 1
	}
	if size != experiment.Paper { // heads take little of a run's time, and Figure 3 needs all
		s.Heads = []string{PUPLOnZ, Ceiling}
	}
	return s, nil
}

// paperFigure returns a task as in the paper's figures: [woofAndNette], with ResNet-34 if every dog is positive, or
// CIFAR-10 as in [paper] for the images of four or two of its classes.
func paperFigure(task string) setting {
	s := woofAndNette()
	switch task {
	case "Woof-vs-Nette":
	case "Dogs-vs-Non-Dogs":
		s.Encoder = encoder.ResNet{Depth: 34, Pixels: encoder.ImageNetPixels()}
	case "CIFAR-0":
		s = paperDogsAndCats()
	default:
		s = paperDogsAndCats()
		s.Pretrain.Steps *= 2 // twice as many images
	}
	return s
}

// competitive is the margin, in points of accuracy, for "stays competitive": a method may be at most this far below
// another. The authors' numbers require it: with many labels PUCL is 0.8 to 1.8 points below SCL-PU. A lead of any size
// is allowed.
const competitive = 2

// caseControl returns the setting with n_U unlabeled images, a fraction prior of them positive, and γ n_U additional
// labeled images.
func (s setting) caseControl(unlabeled int, gamma, prior float64) setting {
	s.Data.Unlabeled, s.Data.Prior, s.Data.Labeled = unlabeled, prior, int(math.Round(gamma*float64(unlabeled)))
	s.Name = caseControlName(s.Data.Benchmark, unlabeled, gamma, prior)
	return s
}

// singleSet returns the setting with N images, a fraction prior of them positive, with γ labeled images per unlabeled
// one.
func (s setting) singleSet(total int, gamma, prior float64) setting {
	s.Data.Single, s.Data.Total, s.Data.Prior = true, total, prior
	s.Data.Labeled = int(math.Round(float64(total) * gamma / (1 + gamma)))
	s.Name = oneSetName(s.Data.Benchmark, total, gamma, prior)
	return s
}

// caseControlName names a setting of caseControl.
func caseControlName(task string, unlabeled int, gamma, prior float64) string {
	return fmt.Sprintf("%s, %d unlabeled, γ = %g, π = %g", task, unlabeled, gamma, prior)
}

// oneSetName names a setting of singleSet.
func oneSetName(task string, total int, gamma, prior float64) string {
	return fmt.Sprintf("%s, one set of %d, γ = %g, π = %g", task, total, gamma, prior)
}

// ofSize returns the parameters of a figure at a size.
func ofSize[T any](bySize map[experiment.Size]T, size experiment.Size) (T, error) {
	of, ok := bySize[size]
	if !ok {
		return of, size.Unknown()
	}
	return of, nil
}

// gridOf returns the runs of settings with these objectives, ordered by seed and then by setting.
func gridOf(name string, size experiment.Size, list []setting, objectives ...pucl.Objective) (experiment.Grid, error) {
	grid := experiment.Grid{Name: name, Size: size}
	list, err := withBenchmarks(list)
	if err != nil {
		return grid, err
	}
	for seed := range uint64(5) {
		for _, s := range list {
			for _, o := range objectives {
				if seed < uint64(s.Seeds) {
					grid.Runs = append(grid.Runs, s.contrastive(o, seed+1))
				}
			}
		}
	}
	return grid, nil
}
