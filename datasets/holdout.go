package datasets

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// holdoutStream keeps the draws of Holdout apart from other draws made with the same seed.
const holdoutStream = 0x686f6c646f7574 // "holdout" in ASCII

// Holdout splits images in two, class by class: of each class with n images, round(share·n) chosen at random go to
// held, the others to rest. Both parts keep the order of images, hold copies, and share its slice Classes. The same
// seed gives the same split on every platform.
//
// It is an error if share is not between 0 and 1 or if a part would be empty.
func Holdout(images *Images, share float64, seed uint64) (rest, held *Images, err error) {
	if err := images.Validate(); err != nil {
		return nil, nil, err
	}
	if !(share > 0 && share < 1) { // this form also refuses NaN
		return nil, nil, fmt.Errorf("datasets: cannot hold out a share of %v: give a number between 0 and 1", share)
	}
	byClass := make([][]int, len(images.Classes))
	for i, class := range images.Labels {
		byClass[class] = append(byClass[class], i)
	}
	rng := rand.New(rand.NewPCG(seed, holdoutStream))
	var restRows, heldRows []int
	for _, rows := range byClass {
		n := int(math.Round(share * float64(len(rows))))
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		heldRows = append(heldRows, rows[:n]...)
		restRows = append(restRows, rows[n:]...)
	}
	if len(restRows) == 0 || len(heldRows) == 0 {
		return nil, nil, fmt.Errorf("datasets: holding out a share of %v of %d images leaves one part empty: "+
			"use a share nearer to 0.5 or more images", share, images.Len())
	}
	slices.Sort(restRows)
	slices.Sort(heldRows)
	rest, restErr := images.Select(restRows)
	held, heldErr := images.Select(heldRows)
	return rest, held, errors.Join(restErr, heldErr)
}
