package datasets

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/datasets/internal/check"
)

// holdoutStream separates the random stream of Holdout from other streams of the same seed.
const holdoutStream = 0x686f6c646f7574 // "holdout" in ASCII

// Holdout splits images in two, class by class: of each class with n images, round(share·n) random ones go to held, the
// others to rest. Both parts keep the order of images, hold copies, and share its slice Classes. The same seed gives
// the same split on every platform.
//
// It is an error if share is not between 0 and 1 or if a part would be empty.
func Holdout(images *Images, share float64, seed uint64) (rest, held *Images, err error) {
	if err := images.Validate(); err != nil {
		return nil, nil, err
	}
	restRows, heldRows, err := HoldoutRows(images.Labels, len(images.Classes), share, seed)
	if err != nil {
		return nil, nil, err
	}
	rest, restErr := images.Select(restRows)
	held, heldErr := images.Select(heldRows)
	return rest, held, errors.Join(restErr, heldErr)
}

// HoldoutRows is [Holdout] for examples of any kind, such as those of a [Source]: it returns the rows of both parts, in
// ascending order. Example i has the class labels[i], a number below classes.
func HoldoutRows(labels []int, classes int, share float64, seed uint64) (rest, held []int, err error) {
	if !(share > 0 && share < 1) { // this form also rejects NaN
		return nil, nil, fmt.Errorf("datasets: cannot hold out a share of %v: give a number between 0 and 1", share)
	}
	if classes < 0 {
		return nil, nil, fmt.Errorf("datasets: cannot hold out examples of %d classes: give the number of classes", classes)
	}
	byClass, err := rowsByClass(labels, classes)
	if err != nil {
		return nil, nil, err
	}
	rng := rand.New(rand.NewPCG(seed, holdoutStream))
	for _, rows := range byClass {
		n := int(math.Round(share * float64(len(rows))))
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		held = append(held, rows[:n]...)
		rest = append(rest, rows[n:]...)
	}
	if len(rest) == 0 || len(held) == 0 {
		return nil, nil, fmt.Errorf("datasets: holding out a share of %v of %d examples leaves one part empty: "+
			"use a share nearer to 0.5 or more examples", share, len(labels))
	}
	slices.Sort(rest)
	slices.Sort(held)
	return rest, held, nil
}

// rowsByClass returns the rows of each class, ascending. It is an error if a label is not below classes.
func rowsByClass(labels []int, classes int) ([][]int, error) {
	if err := check.Labels("datasets: example", labels, classes); err != nil {
		return nil, err
	}
	byClass := make([][]int, classes)
	for row, class := range labels {
		byClass[class] = append(byClass[class], row)
	}
	return byClass, nil
}
