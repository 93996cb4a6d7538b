// Package pucl implements the contrastive losses of positive and unlabeled data: multi-viewed batches, attraction and
// repulsion terms, and objectives composed of them. All are graph functions for training and for evaluation.
//
// The subject is the paper "Contrastive Positive Unlabeled Learning" (anonymous authors), whose equation and theorem
// numbers this package uses. A data set holds n_P labeled positives and n_U unlabeled examples, a mixture of positives
// and negatives. The aim is a representation that separates positives from negatives.
//
// # Symbols
//
//	b        examples in a batch
//	m        views of each example, 2 by default
//	n = m·b  rows of the multi-viewed batch, the set 𝕀 of the paper
//	P, U     rows of labeled positives, rows of unlabeled examples
//	a(i)     the other view of the example that row i shows
//	τ        temperature
//	s_ij     similarity cos(z_i, z_j)/τ
//	π        class prior, the share of positives among the unlabeled
//	γ        n_P / n_U
//
// # A loss is repulsion minus attraction
//
// Every contrastive loss here is, per anchor i, repel(i) − attract(i), averaged over anchors. Both are a [Term]: a
// function of a [Block], which holds the similarities of some anchors with all rows and masks of the kinds of pairs. A
// new idea is one such function, and [ByLabel], [Mix] and [Scale] combine terms:
//
//	halfway := pucl.Objective{
//		Name:    "halfway",
//		Attract: pucl.ByLabel(pucl.LabeledMean, pucl.Mix(0.5, pucl.OwnViews, pucl.UnlabeledMean)),
//		Repel:   pucl.LogPartition,
//	}
//
// The objectives are [SSCL], [SCLPU], [PUCL], [SCL], [MCL], [DCL], [PUNCE], [PUDebiased], [NPair], [DebiasedPos],
// [Pairwise], [IdealCL], [TrueNegatives], and [WeightedSum] of any of them. [AlignmentLoss] and [UniformityLoss] are
// measures that can be trained on. Package risk implements the risks for training classifiers on positive and unlabeled
// data.
//
// # Inspecting a loss
//
// [Objective.Value] returns the loss of a batch of plain numbers, for a check by hand. [Objective.Loss] builds it into
// a graph, with gradients, for one batch or for many at once. [Objective.PerAnchor] and [Views.Block] return the
// contribution of each anchor and each term. [ChanceLevel] returns the loss of an encoder that maps everything to one
// point.
//
// # Numerical guarantees
//
// Embeddings need no unit length and no clipping: zero rows, tiny and huge rows and temperatures of 0.01 give finite
// losses and gradients. Where an embedding is infinite or NaN, the loss of its batch and its whole gradient are NaN,
// for any terms. Batches of many rows are compared in blocks, so that memory grows with their number and not with its
// square.
//
// Functions that build graphs panic on a wrong shape or a temperature that is not positive, as gomlx requires; gomlx
// returns the message as an error when the graph is run. All other functions return errors.
package pucl
