package pucl_test

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
)

// The examples below score the batch of ExampleSSCL: two examples at right angles, each shown twice and unchanged. At
// τ = 0.5 every anchor has similarity 2 to its other view and 0 to the two rows of the other example, so that
// log Z = log(e² + 2) = 2.2395.
var rightAngles = [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}

// print prints the loss of o on z with the given labels at τ = 0.5.
func print(o pucl.Objective, z [][]float64, labeled ...bool) {
	eng, err := engine.Open()
	check(err)
	loss, err := o.Value(eng, z, labeled, 0.5)
	check(err)
	fmt.Printf("%s %.4f\n", o.Name, loss)
}

// With one class, every anchor is attracted to all three others, a mean similarity of 2/3: log(e² + 2) − 2/3. With two
// classes, it is attracted to its other view alone.
func ExampleSCL() {
	eng, err := engine.Open()
	check(err)
	for _, class := range [][]int32{{7, 7}, {1, 7}} {
		loss, err := pucl.SCL().ValueOfClasses(eng, rightAngles, class, 0.5)
		fmt.Printf("%.4f %v\n", loss, err)
	}
	// Output:
	// 1.5729 <nil>
	// 0.2395 <nil>
}

// A quarter of SCL-PU, 1.5729, and three quarters of ssCL, 0.2395.
func ExampleMCL() {
	print(pucl.MCL(0.25), rightAngles, false, false)
	// Output: MCL 0.5729
}

// The first example is labeled: its anchors score log(e² + 2) − 2 = 0.2395. The others are attracted by
// 0.25·(0 + 0 + 2)/3 + 0.75·2 = 5/3 and score 0.5729.
func ExamplePUNCE() {
	print(pucl.PUNCE(0.25), rightAngles, true, false)
	// Output: puNCE 0.4062
}

// The mean over the two negatives is e⁰ = 1. At τ⁺ = 0.1 it is corrected to (1 − 0.1 e²)/0.9 = 0.290, and the loss is
// log(1 + 2·0.290/e²); at 0.2 it falls to the floor e⁻², and the loss to log(1 + 2e⁻⁴).
func ExampleDCL() {
	print(pucl.DCL(pucl.DCLConfig{TauPlus: 0.1}), rightAngles, false, false)
	print(pucl.DCL(pucl.DCLConfig{TauPlus: 0.2}), rightAngles, false, false)
	// Output:
	// DCL 0.0756
	// DCL 0.0360
}

// Only the first example is labeled, so no other example of its class is given and its anchors score 0. The negatives
// of the other anchors are the two labeled rows: log(e² + 2·1) − 2.
func ExamplePUDebiased() {
	print(pucl.PUDebiased(0.25), rightAngles, true, false)
	// Output: PU-debiased 0.2395
}

// One of the two rows of the other example is in another view, so there is one negative: log(1 + e⁻²).
func ExampleNPair() {
	print(pucl.NPair(), rightAngles, false, false)
	// Output: N-pair 0.1269
}

// τ⁺ encodes a share of false positives, here a fifth in batches of 128 pairs. It is unrelated to the share of a class.
func ExampleTauPlusForRate() {
	fmt.Printf("%.5f without false positives, which is ssCL; %.5f\n", pucl.TauPlusForRate(0, 128, 2), pucl.TauPlusForRate(0.2, 128, 2))
	// Output: 0.00392 without false positives, which is ssCL; 0.00490
}

// P = (e² + 1 + 1)/3 and P⁻ = 1, so P⁺ = (P − 0.5)/0.5 = 5.259 and the loss is log(1 + 2/5.259).
func ExampleDebiasedPos() {
	print(pucl.DebiasedPos(pucl.DebiasedPosConfig{TauPlus: 0.5}), rightAngles, false, false)
	// Output: DebiasedPos 0.3223
}

// The two views of an example coincide; rows of different examples are √2 apart, 2 − √2 too close for a margin of 2:
// (2 − √2)² = 0.3431.
func ExamplePairwise() {
	print(pucl.Pairwise(2), rightAngles, false, false)
	// Output: pairwise 0.3431
}

// Two classes and one negative: log(1 + e⁻²).
func ExampleIdealCL() {
	eng, err := engine.Open()
	check(err)
	loss, err := pucl.IdealCL(1).ValueOfClasses(eng, rightAngles, []int32{1, 0}, 0.5)
	fmt.Printf("%.4f %v\n", loss, err)
	// Output: 0.1269 <nil>
}

// The views of the first example are at right angles, a squared distance of 2; the views of the second agree.
func ExampleAlignmentLoss() {
	print(pucl.AlignmentLoss(), [][]float64{{1, 0}, {0, 1}, {0, 1}, {0, 1}}, false, false)
	// Output: alignment 1.0000
}

// In each view there is one pair of examples, at right angles: log exp(−2·2).
func ExampleUniformityLoss() {
	print(pucl.UniformityLoss(), rightAngles, false, false)
	// Output: uniformity -4.0000
}

// 0.2395 of ssCL and a tenth of −4.
func ExampleWeightedSum() {
	o := pucl.WeightedSum("ssCL + 0.1 uniformity", pucl.Part{Weight: 1, Objective: pucl.SSCL()}, pucl.Part{Weight: 0.1, Objective: pucl.UniformityLoss()})
	print(o, rightAngles, false, false)
	// Output: ssCL + 0.1 uniformity -0.1605
}

// Labeled rows repel no labeled anchor, because they are of one class. The first image is labeled: its anchors have the
// loss log(2) − 2, the anchors of the second image log(e² + 2) − 2. The README shows this program.
func ExampleObjective() {
	eng, err := engine.Open()
	check(err)
	mine := pucl.Objective{
		Name:    "no repulsion among labeled",
		Attract: pucl.ByLabel(pucl.LabeledMean, pucl.OwnViews),
		Repel:   func(b *pucl.Block) *Node { return pucl.LogSumExp(b, Not(b.Labeled)) },
	}
	z := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}} // two images: first views, then second views
	loss, err := mine.Value(eng, z, []bool{true, false}, 0.5)
	fmt.Printf("%s: %.4f nats, %v\n", mine.Name, loss, err)
	// Output: no repulsion among labeled: -0.5337 nats, <nil>
}

// With two classes, both rows of the other example are true negatives, as in ssCL: log(1 + 2e⁻²). With one class there
// is no negative. In the third batch, two of three examples share class and direction. ssCL pushes these two apart,
// log(3 + 2e⁻²) for each of their anchors; with true negatives all anchors score log(1 + 4e⁻²).
func ExampleTrueNegatives() {
	eng, err := engine.Open()
	check(err)
	for _, class := range [][]int32{{1, 7}, {7, 7}} {
		loss, err := pucl.TrueNegatives(0).ValueOfClasses(eng, rightAngles, class, 0.5)
		fmt.Printf("%.4f %v\n", loss, err)
	}
	z := [][]float64{{1, 0}, {1, 0}, {0, 1}, {1, 0}, {1, 0}, {0, 1}}
	for _, o := range []pucl.Objective{pucl.SSCL(), pucl.TrueNegatives(0)} {
		loss, err := o.ValueOfClasses(eng, z, []int32{7, 7, 1}, 0.5)
		fmt.Printf("%s %.4f %v\n", o.Name, loss, err)
	}
	// Output:
	// 0.2395 <nil>
	// 0.0000 <nil>
	// ssCL 0.9342 <nil>
	// true negatives 0.4327 <nil>
}
