package lab

import (
	"errors"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/fashionmnist"
)

// Piles splits the 10,000 built-in images of FMNIST-I into three sets before any other step. A fifth is the fully
// labeled test set judge. Of the rest, the fraction checked is the validation set and the remainder is the training
// set. The seed selects the labeled positives of the last two sets; the split is the same for all seeds.
func Piles(checked float64, learnLabels, checkLabels int, seed uint64) (learn, check *datasets.PU, judge *datasets.Images, err error) {
	images, err := fashionmnist.Embedded()
	if err != nil {
		return nil, nil, nil, err
	}
	rest, judge, err := datasets.Holdout(images, 0.2, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	first, second, err := datasets.Holdout(rest, checked, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	split := func(images *datasets.Images, labels int) (*datasets.PU, error) {
		return datasets.NewPU(images, datasets.SplitConfig{Positive: fashionmnist.FMNISTI(), Labeled: labels, Seed: seed})
	}
	learn, err = split(first, learnLabels)
	check, checkErr := split(second, checkLabels)
	return learn, check, judge, errors.Join(err, checkErr)
}
