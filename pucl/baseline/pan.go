package baseline

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/internal/numeric"
)

// panVersion is the version of [PAN].
const panVersion = 1

// PAN trains a classifier C against a discriminator D, two networks of one kind. D separates labeled positives from
// unlabeled examples, and C agrees with it on these; D is trained to classify the positives that C finds there as
// unlabeled nevertheless:
//
//	max over D, min over C:  E_P[log D] + E_U[log(1−D)] + λ E_U[(log(1−C) − log C)(2D − 1)]
//
// The last part is KL(D‖C) − KL(D‖1−C). It needs no class prior. The reported loss is D's own part, negated.
// Training returns C alone.
//
// Source: Wenpeng Hu, Ran Le, Bing Liu, Feng Ji, Jinwen Ma, Dongyan Zhao and Rui Yan, "Predictive Adversarial Learning
// from Positive and Unlabeled Data", AAAI 2021, compared with the program of wu-dd/PUBench; the method PAN of
// AlonKellner-RedHat/PU-Bench is another one, with other losses. Differences from the former: both networks move in the
// same step instead of alternating. C minimizes its part without the factor λ, which for it is only a learning rate.
// Means over the two kinds replace sums. There are no margins of 0.01 within the logarithms. E_U[log(1−D)] is complete,
// where the program counts only unlabeled examples that D finds less positive than the mean; so D overfits the labeled
// positives later. log(1−C) − log C is the negative logit of C, so its scale grows throughout training: only its sign
// is meaningful. With few labeled positives the choice of the epoch matters much, as for [VPU].
type PAN struct {
	Lambda float64 // λ; 0 means 0.0001, the paper's, negative means that D ignores C
}

func (m PAN) check() error {
	return checkNumbers("PAN", number{name: "Lambda", value: m.lambda(), most: math.MaxFloat64})
}

func (m PAN) lambda() float64 { return orDefault(m.Lambda, 1e-4) }

func (PAN) version() int { return panVersion }

// String implements [Method].
func (m PAN) String() string { return fmt.Sprintf("PAN λ=%g", m.lambda()) }

func (m PAN) plan() plan {
	return plan{
		other: func(s *sight) *Node { return s.see(s.scope.At(secondScope), s.x).logits },
		loss: func(b batch) *Node {
			ownPart := Add(ReduceAllMean(numeric.LogOnePlusExp(Neg(b.positive(b.other)))), // −log D
				ReduceAllMean(numeric.LogOnePlusExp(b.unlabeled(b.other)))) // −log(1−D)
			c, d := b.unlabeled(b.logits), AddScalar(MulScalar(Sigmoid(b.unlabeled(b.other)), 2), -1)
			disagreement := func(c, d *Node) *Node { return Neg(ReduceAllMean(Mul(c, d))) }
			ofC := disagreement(c, StopGradient(d))
			ofD := MulScalar(disagreement(StopGradient(c), d), -m.lambda())
			others := Add(ofC, ofD)
			return Add(ownPart, Sub(others, StopGradient(others)))
		},
	}
}
