// Package theory measures contrastive objectives on small, fully known populations: mean, variance, bias against the
// ideal loss, and gradient. Measurements are exact if all batches can be enumerated, else sampled with intervals.
// Claims build on them: statements of a paper, each with a check that recomputes its verdict.
//
// The package has no second implementation of a loss. It measures the [pucl.Objective] values that train models, run as
// graphs on the engine.
//
// # From a population to a number
//
//	Population   finitely many points of each class, with probabilities
//	Design       how a batch is drawn: m labeled and u unlabeled examples, class prior π, two views each
//	Meter        a compiled objective at a temperature; used by Exact, MonteCarlo, Gradient and GradientCovariance
//	Result       moments of attraction, log partition and loss; the ideal loss and the bias
//	Question     a quantity of a population and a design, such as LossBias
//	Search       finds the case with the largest value and simplifies it
//	Examine      measures all of this for one objective, for example your own loss, and writes a page
//
// There are also closed forms to compare measurements with ([PairVariance], [Population.PairGradientRest],
// [LimitPartitionGap] and its rate of convergence, [LimitPartitionRate]), the gradients of one given batch
// ([AnchorGradients]), a finite joint distribution with its mutual information ([Joint]), expectations of a contrast
// with many samples ([ExpectCounts], [CriticLoss]), and two-means in whole numbers and fractions
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
//	π      class prior, the fraction of positives in the population
//	q      prior of the unlabeled examples, the fraction of positives among them
//	α      fraction of positives among the anchors
//	c      label rate, the fraction of positives that are labeled (single data set only)
//	ρ      probability that the second view of an example equals the first
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
// Package claims, below this one, applies these tools to the statements of the papers.
package theory
