package theory_test

import (
	"fmt"
	"log"

	"github.com/puclab/puclab/theory"
)

// Labeled 0; unlabeled 1 and 3, drawn with weights 1 and 9. From 1, the point 3 is left at squared distance 4; from 3, the
// point 1 at 1: (1·4 + 9·1)/10. The best split is {0, 1} and {3}, with ½.
func ExampleEnumerateRationalSeeding() {
	s, err := theory.EnumerateRationalSeeding(theory.RationalLine(0), theory.RationalLine(1, 3))
	if err != nil {
		log.Fatal(err)
	}
	for _, start := range s.Starts {
		fmt.Printf("from row %d with probability %s: potential %s\n",
			start.Seed, start.Probability.RatString(), start.Rounds[0].Free.RatString())
	}
	seeded, _ := s.Expected()
	fmt.Println("expected", seeded.Free.RatString(), "best", s.Optimal.RatString())
	// Output:
	// from row 0 with probability 1/10: potential 4
	// from row 1 with probability 9/10: potential 1
	// expected 13/10 best 1/2
}

// The points 0, 0 and 3 have mean 1 and squared distances 1, 1 and 4 from it.
func ExampleRationalPoints_Spread() {
	fmt.Println(theory.RationalLine(0, 0, 3).Spread().RatString())
	// Output:
	// 6
}
