package claims_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/claims"
)

func ExampleClaim_Check() {
	claim, err := claims.NoiseRate().Check(nil) // counting needs no engine
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(claim.Source)
	fmt.Println(claim.Statement)
	fmt.Println(claim.Verdict)
	fmt.Println(claim.Corrected)
	// Output:
	// Contrastive Positive Unlabeled Learning, appendix A.3.2, equation (12)
	// With the unlabeled examples taken for negatives, labels are wrong at rates E(ξ_P) = π_P/(γ + π_P) and ξ_N = 0.
	// conditional
	// ξ_P = p(ỹ≠y | y=1) = π_P/(γ + π_P), ξ_N = 0, without the expectation
}

// Positives at +1, negatives at −1: the only information is the class, log 2. The printed bound lies above it, the
// corrected one log(1 + e⁻²) below.
func ExampleLPosInformation() {
	world := theory.Population{Positive: theory.Uniform([]float64{1}), Negative: theory.Uniform([]float64{-1})}
	b, err := claims.LPosInformation(world, 0.5, 1, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("information %.4f, printed %.4f, corrected %.4f\n", b.Information, b.Printed, b.Corrected)
	// Output:
	// information 0.6931, printed 1.6648, corrected 0.5662
}

// With five examples the bound exceeds the information.
func ExampleInfoNCEBatch() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range []int{2, 5} {
		information, bound, err := claims.InfoNCEBatch(eng, b, 0.05)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("b = %d: information %.4f, bound %.4f\n", b, information, bound)
	}
	// Output:
	// b = 2: information 0.6931, bound 0.5493
	// b = 5: information 0.6931, bound 0.6952
}

// One draw of the own class in the estimate leaves a difference, for any number of draws of all data.
func ExampleDCLOnePositiveGap() {
	for _, tau := range []float64{0.5, 1, 2} {
		gap, err := claims.DCLOnePositiveGap(claims.LPosCounterexample(), 0.5, tau, 1)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("τ = %g: %.4f\n", tau, gap)
	}
	// Output:
	// τ = 0.5: 0.1709
	// τ = 1: 0.0670
	// τ = 2: 0.0303
}

// The six placements with the blue triangle at (0, 1), the other object of a shape being an object's view. All log partitions
// are log(2 + e⁻²); neighbors have s = 0, objects on opposite corners s = −2.
func ExampleHypercubeReadings() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	readings, err := claims.HypercubeReadings(eng, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range readings {
		if r.Views != claims.ShapeAsView || r.ZeroOne || r.Inner {
			continue
		}
		for i, p := range claims.Placements()[:6] {
			fmt.Printf("%v: ssCL %.3f, PUCL %.3f\n", p, r.SSCL[i], r.PUCL[i])
		}
	}
	// Output:
	// [0 1 2 3]: ssCL 0.759, PUCL 1.759
	// [0 1 3 2]: ssCL 0.759, PUCL 0.759
	// [0 2 1 3]: ssCL 2.759, PUCL 1.759
	// [0 2 3 1]: ssCL 2.759, PUCL 1.759
	// [0 3 1 2]: ssCL 0.759, PUCL 0.759
	// [0 3 2 1]: ssCL 0.759, PUCL 1.759
}

// A custom claim: a batch whose rows all coincide has the loss log(2b−1), which identifies a collapsed encoder.
func ExampleNew() {
	collapsed := claims.New(claims.Claim{
		ID:          "collapse",
		Statement:   "ssCL of a batch of two examples that show one point is log 3.",
		Assumptions: []string{"two views an example"},
	}, func(eng *engine.Engine) (claims.Finding, error) {
		point := theory.Uniform([]float64{1, 0})
		world, design := theory.Population{Positive: point, Negative: point}, theory.Design{Unlabeled: 2, Prior: 0.5}
		r, err := theory.Exact(eng, pucl.SSCL(), world, design, 0.5)
		f := claims.Finding{Verdict: claims.Holds, Number: r.Loss.Mean, Sentence: fmt.Sprintf("The loss is %.4f.", r.Loss.Mean.Value)}
		if r.Loss.Mean.String() != "1.09861" {
			f.Verdict = claims.Fails
		}
		return f, err
	})

	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	checked, err := collapsed.Check(eng)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(checked)
	// Output:
	// collapse: holds. The loss is 1.0986.
}

// Labeled points at −3 and 3 have their mean at 0, so one of the groups {−3} and {3, 4} has no center near it. The cost
// is 3² + 1, the best one ½.
func ExampleSeedingTrap_Outcome() {
	outcome, err := claims.LabelsApart(3).Outcome()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("after seeding  ", outcome.Seeded.Free.RatString())
	fmt.Println("after all rounds", outcome.Settled.Free.RatString())
	fmt.Println("best           ", outcome.Optimal.RatString())
	fmt.Println("ratio          ", outcome.Ratio())
	// Output:
	// after seeding   10
	// after all rounds 10
	// best            1/2
	// ratio           20
}

// One of the points 0, 0 and 3 is labeled: it costs 9, 9 or 18, and the best center 6.
func ExampleMeasureCentroid() {
	cost, err := claims.MeasureCentroid(theory.RationalLine(0, 0, 3), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cost.Subsets.RatString(), cost.Best.RatString())
	// Output:
	// 12 6
}

// One label and two unlabeled points at a right angle: the pseudo code labels both negative, Algorithm 1(B) never does.
func ExampleVariantAgreement() {
	x := mat.NewDense(3, 2, []float64{0, 0, 1, 0, 0, 1})
	probability, leaves, err := claims.VariantAgreement(x, []bool{true, false, false})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(probability, leaves)
	// Output:
	// 0 false
}

// γ = ½ and π = 0.9: fewer labels than Lemma 1 requires, but the mean of uPU over all data sets is the risk.
func ExampleRiskWorld_Measure() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	world := claims.LemmaOneWorld(1, 2)
	measured, err := world.Measure(eng, func(prior float64) risk.Risk { return risk.UPU(prior, risk.SigmoidLoss) }, 0.9)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("risk %.4f, mean of the estimate %.4f, standard deviation %.4f\n",
		measured[0].Risk, measured[0].Mean, math.Sqrt(measured[0].Variance))
	// Output:
	// risk 0.2875, mean of the estimate 0.2875, standard deviation 0.5175
}

// Classes at ±1, as many labeled as unlabeled examples: the bias of SCL-PU's loss in large batches, and the difference
// to it at b.
func ExampleTheorem1Limit() {
	limit, rate, err := claims.Theorem1Limit(claims.TwoPoints(), theory.Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f %+.4f/b\n", limit, rate)
	// Output:
	// 2.0559 -3.7348/b
}

// The points determine the classes, so the information is log 2: the bound of L_Pos tends to it as the temperature
// falls.
func ExampleLPosBound() {
	for _, tau := range []float64{1, 0.5, 0.1} {
		bound, err := claims.LPosBound(claims.TwoPoints(), 0.5, tau, func(share float64) float64 { return (1 - share) / share })
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.6f ", bound)
	}
	fmt.Println()
	// Output:
	// 0.566219 0.674997 0.693147
}

// A claim with a proof here shows it line by line.
func ExampleClaim_proof() {
	fmt.Println(claims.Theorem2Inequality().Proof[3])
	// Output:
	// Together E[L_ssCL | S] = L_PUCL.
}
