package gaussian_test

import (
	"fmt"

	"github.com/puclab/puclab/datasets/gaussian"
)

// The data of figure 12, and the posterior halfway between the two means.
func ExampleSeparable() {
	mixture := gaussian.Separable()
	points, err := mixture.Draw(gaussian.Config{Points: 1000, Prior: 0.3, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	positive := 0
	for _, class := range points.Labels {
		positive += class
	}
	fmt.Println(points)
	fmt.Println(positive, points.Classes[1])

	p, err := mixture.Posterior(1.75, 1.75, 0.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", p)
	// Output:
	// 1000 examples of 2 features in 2 classes
	// 300 positive
	// 0.766
}
