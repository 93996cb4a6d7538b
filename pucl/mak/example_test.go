package mak_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/mak"
)

// Two of six images are selected for a seed set with two directions. The last image has the largest loss and is an
// outlier; the second and the third are nearly equal.
func Example() {
	seed := mat.NewDense(4, 3, []float64{
		1, 0, 0,
		1, 0.1, 0,
		0, 1, 0,
		0.1, 1, 0,
	})
	pool := mak.Pool{
		Features: mat.NewDense(6, 3, []float64{
			1, 0.05, 0,
			0.6, 0.8, 0.1,
			0.6, 0.8, 0.11,
			0.9, 0.2, 0.3,
			0, 1, 0.1,
			0, 0, 1,
		}),
		ECLE: []float64{1, 4, 4, 3.5, 1.5, 4.5}, // in nats; see mak.ECLE
	}
	s, err := mak.Select(seed, pool, mak.Config{Budget: 2, Prototypes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s)
	for _, c := range s.Chosen {
		fmt.Printf("image %d: %s\n", c.Image, c.Reason())
	}
	near, err := mak.Select(seed, pool, mak.Config{Budget: 2, Prototypes: 2, Rule: mak.TailnessProximity})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(near.Images(), "without diversity")
	// Output:
	// 2 of 6 images by MAK, α = 0.5, 3 candidates, 2 prototypes
	// image 2: rank 2 by q = 0.43; 0.1494 from the nearest image that was there
	// image 3: rank 3 by q = 0.4056; 0.0558 from the nearest image that was there
	// [1 2] without diversity
}
