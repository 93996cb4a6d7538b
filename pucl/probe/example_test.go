package probe_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/probe"
)

// A probe for three classes applied to rows of two entries; the true classes are 0, 1 and 1.
func ExampleProbe() {
	p := &probe.Probe{
		Weights: mat.NewDense(3, 2, []float64{
			1, 0,
			0, 1,
			-1, -1,
		}),
		Bias: []float64{0, 0, 0.5},
	}
	x := mat.NewDense(3, 2, []float64{
		2, 1, // logits 2, 1, −2.5
		0, 3, // logits 0, 3, −2.5
		-1, 0, // logits −1, 0, 1.5
	})
	predicted, err := p.Predict(x)
	check(err)
	score, err := p.ScoreClasses(x, []int{0, 1, 1})
	check(err)
	fmt.Println(predicted)
	fmt.Println(score)
	// Output:
	// [0 1 2]
	// accuracy 66.7% of 3, balanced 75.0% over the 2 of 3 classes that occur
}

// A probe for positive against negative has one output, the logit of the positive class. The equivalent probe of two
// classes has half of it with each sign.
func ExampleProbe_Classes() {
	p := &probe.Probe{Weights: mat.NewDense(1, 2, []float64{2, -1}), Bias: []float64{1}}
	two, err := p.Classes()
	check(err)
	x := mat.NewDense(2, 2, []float64{
		1, 1, // 2 − 1 + 1 = 2
		-1, 3, // −2 − 3 + 1 = −4
	})
	for _, q := range []*probe.Probe{p, two} {
		logits, err := q.Logits(x)
		check(err)
		fmt.Println(mat.Formatted(logits))
	}
	// Output:
	// ⎡ 2⎤
	// ⎣-4⎦
	// ⎡-1   1⎤
	// ⎣ 2  -2⎦
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
