// Package theory measures what contrastive objectives do on populations small enough to be known whole: mean, variance,
// bias against the ideal loss, and gradient; exactly where all batches can be counted, else by sampling with intervals. On
// top of that stand claims: statements of a paper, each with a check that recomputes its verdict.
//
// There is no second implementation of a loss here. What is measured are the [pucl.Objective] values that train models,
// run as graphs on the engine.
//
// # From a population to a number
//
//	Population   each class shows finitely many points, with probabilities
//	Design       how a batch is drawn: m labeled and u unlabeled examples, class prior π, two views each
//	Meter        objectives at a temperature, compiled; Exact, MonteCarlo and Gradient put it to use
//	Result       moments of attraction, log partition and loss; the ideal loss and the bias
//	Question     a number that a population and a design answer, such as LossBias
//	Search       looks for the case with the largest answer and makes it readable
//	Examine      asks all of this of one objective, a loss of your own for example, and writes a page
//
// Beside them stand closed forms to hold measurements against ([PairVariance], [LimitPartitionGap]), the
// gradients of one given batch ([AnchorGradients]), a finite joint distribution with its mutual information ([Joint]) and
// expectations of a contrast with many samples ([ExpectCounts], [CriticLoss]), and two-means in whole numbers and fractions
// ([EnumerateRationalSeeding]).
//
// Two points on a circle, two unlabeled examples, π = 1/2:
//
//	world := theory.Population{
//		Positive: theory.Uniform([]float64{1, 0}),
//		Negative: theory.Uniform([]float64{-1, 0}),
//	}
//	result, err := theory.Exact(eng, pucl.SSCL(), world, theory.Design{Unlabeled: 2, Prior: 0.5}, 1)
//
// # Symbols
//
//	m, u   labeled and unlabeled examples in a batch, b = m + u
//	n      rows of the multi-viewed batch, 2b
//	π      class prior, the share of positives in the population
//	q      prior of the unlabeled examples, the share of positives among them
//	α      share of positives among the anchors
//	c      label rate, the share of positives that get labeled (single data set only)
//	ρ      probability that the second view of an example is the first again
//	γ      ratio of labeled to unlabeled data
//	N      negatives of the ideal loss, 2b − 2
//	τ      temperature
//	s_ij   similarity cos(z_i, z_j)/τ
//
// All numbers of this package are in nats and computed in float64; equation and theorem numbers are those of the paper
// "Contrastive Positive Unlabeled Learning" (anonymous authors).
//
// # Claims
//
// Package claims, below this one, puts these instruments to the statements of the papers.
package theory
