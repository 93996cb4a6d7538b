package risk_test

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/risk"
)

// printRisk prints value and gradient of a risk on two logits: log 3 for a labeled example, and 0 for an unlabeled one.
// The sigmoid loss of the first is 1/4 as a positive and 3/4 as a negative; the loss of the second is 1/2 either way.
// Its slope is ∓3/16 at log 3 and ∓1/4 at 0.
func printRisk(r risk.Risk) {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := ExecOnceN(eng.Backend, func(logits, labels *Node) (*Node, *Node) {
		value := r(logits, labels)
		return value, Gradient(value, logits)[0]
	}, []float64{math.Log(3), 0}, []bool{true, false})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f %.4f\n", out[0].Value(), out[1].Value())
}

// The mean of 1/4, for the positive, and 1/2, for the example counted as negative.
func ExamplePN() {
	printRisk(risk.PN(risk.SigmoidLoss))
	// Output: 0.3750 [-0.0938 0.1250]
}

// A positive with odds of 3 to 1 has a loss of log(4/3) nats, a negative with logit 0 one of log 2: half of their sum,
// log(8/3).
func ExampleCrossEntropy() {
	printRisk(risk.CrossEntropy)
	// Output: 0.4904 [-0.1250 0.2500]
}

// With π = 0.8 the positive part is 0.8/4 and the negative part 1/2 − 0.8·3/4 = −0.1.
func ExampleUPU() {
	printRisk(risk.UPU(0.8, risk.SigmoidLoss))
	// Output: 0.1000 [-0.3000 0.2500]
}

// The negative part, −0.1, is clipped, and so is its slope.
func ExampleNNPU() {
	printRisk(risk.NNPU(0.8, risk.SigmoidLoss))
	// Output: 0.2000 [-0.1500 0.0000]
}

// The value equals NNPU, but the gradient is the gradient of the negated negative part.
func ExampleNNPUKiryo() {
	printRisk(risk.NNPUKiryo(0.8, risk.SigmoidLoss, risk.KiryoConfig{}))
	// Output: 0.2000 [0.1500 -0.2500]
}
