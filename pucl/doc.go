// Package pucl holds the contrastive losses of positive and unlabeled data: multi-viewed batches, the terms that attract and
// repel, and the objectives made of them, as graph functions that can be trained on and measured alike.
//
// The subject is the paper "Contrastive Positive Unlabeled Learning" (anonymous authors; equation and theorem numbers
// in this package are its). A data set holds n_P labeled positives and n_U unlabeled examples, a mixture of positives and
// negatives; the aim is a representation in which positives and negatives come apart.
//
// # Symbols
//
//	b        examples in a batch
//	m        views of each example, 2 unless told
//	n = m·b  rows of the multi-viewed batch, the set 𝕀 of the paper
//	P, U     rows of labeled positives, rows of unlabeled examples
//	a(i)     the other view of the example that row i shows
//	τ        temperature
//	s_ij     similarity cos(z_i, z_j)/τ
//	π        class prior, the share of positives among the unlabeled
//	γ        n_P / n_U
//
// # A loss is what attracts and what repels
//
// Every contrastive loss here is, per anchor i, repel(i) − attract(i), averaged over anchors. Both are a [Term]: a function
// of a [Block], the similarities of some anchors with all rows and the masks that say which pairs are what. A new idea is
// one such function, and [ByLabel], [Mix] and [Scale] join terms into others:
//
//	halfway := pucl.Objective{
//		Name:    "halfway",
//		Attract: pucl.ByLabel(pucl.LabeledMean, pucl.Mix(0.5, pucl.OwnViews, pucl.UnlabeledMean)),
//		Repel:   pucl.LogPartition,
//	}
//
// The family: [SSCL], [SCLPU], [PUCL], [SCL], [MCL], [DCL], [PUNCE], [PUDebiased], [NPair], [DebiasedPos], [Pairwise], [IdealCL],
// [TrueNegatives], and [WeightedSum] of any of them, with [AlignmentLoss] and [UniformityLoss] as measures that can be trained on. The risks
// by which classifiers are trained on positive and unlabeled data are in package risk.
//
// # Looking at a loss
//
// [Objective.Value] is the loss of a batch of plain numbers, for a check by hand; [Objective.Loss] is built into a graph, where
// gradients are taken, for one batch or for many at once; [Objective.PerAnchor] and [Views.Block] show what each anchor and
// each term contributes. [ChanceLevel] is what an encoder that maps everything to one point is given.
//
// # What cannot go wrong silently
//
// Embeddings need no unit length and no clipping: rows of zeros, tiny and huge rows and temperatures of 0.01 give finite losses
// and gradients. Where an embedding is infinite or NaN, the loss of its batch and all of its gradient are NaN, whatever
// the terms do. Batches of many rows are compared in blocks, so that memory grows with their number and not with its square.
//
// Functions that build graphs panic on a wrong shape or a temperature that is not positive, as gomlx asks of them; gomlx
// hands the message back as an error when the graph is run. All other functions return errors.
package pucl
