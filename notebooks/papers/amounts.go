package papers

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
)

// What runs of the figures have in common that go over amounts of data: batches are drawn as they come, so that a batch has the γ and the
// π of the data and the bias that Theorem 1 is about; and encoders are judged by what knows all classes, [Neighbors] and [Ceiling], and by
// PUPL from z, once, at the end.

// ofFigures returns the setting of a task in runs of figures at a size, without its name and its amounts.
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
	if size != experiment.Paper { // where heads take little of a run, and Figure 3 looks at all
		s.Heads = []string{PUPLOnZ, Ceiling}
	}
	return s, nil
}

// paperFigure is a task as the figures of the paper have it: [woofAndNette], with ResNet-34 where every dog is positive, or CIFAR-10 as in
// [paper] for the images of four or two of its classes.
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
		s.Pretrain.Steps *= 2 // as many images twice
	}
	return s
}

// competitive is by how many points of accuracy a method that "stays competitive" may be below another. The numbers of the paper's authors
// need that much: where labels are many PUCL is 0.8 to 1.8 points below SCL-PU. By how much it is above does not matter.
const competitive = 2

// caseControl returns the setting with n_U unlabeled images, a share prior of them positive, and γ n_U labeled ones beside them.
func (s setting) caseControl(unlabeled int, gamma, prior float64) setting {
	s.Data.Unlabeled, s.Data.Prior, s.Data.Labeled = unlabeled, prior, int(math.Round(gamma*float64(unlabeled)))
	s.Name = caseControlName(s.Data.Benchmark, unlabeled, gamma, prior)
	return s
}

// singleSet returns the setting with N images, a share prior of them positive, so many of which are labeled that there are γ for each
// that is not.
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

// ofSize returns what a figure goes over at a size.
func ofSize[T any](bySize map[experiment.Size]T, size experiment.Size) (T, error) {
	of, ok := bySize[size]
	if !ok {
		return of, size.Unknown()
	}
	return of, nil
}

// gridOf returns the runs of settings by these objectives: seed after seed, in each the settings in their order.
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
