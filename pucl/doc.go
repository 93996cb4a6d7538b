// Package pucl learns from positive and unlabeled data by contrast: multi-viewed batches, the terms that attract and
// repel, the objectives made of them, training, pseudo-labels and probes.
//
// The subject is the paper "Contrastive Positive Unlabeled Learning" (anonymous authors; equation and theorem numbers
// in this package are its). A data set holds n_P labeled positives and n_U unlabeled examples, a mixture of positives and
// negatives; the aim is a classifier of positives against negatives. The road, Algorithm 1:
//
//	A. [Pretrain] an encoder with a contrastive loss: [SSCL], [SCLPU], [PUCL] or another of the family
//	   ([PretrainStreamed] for images that do not fit into memory, [PretrainFeatures] for rows of a table);
//	B. label the unlabeled embeddings by clustering that starts at the labeled positives: [PUPL];
//	C. train a linear probe on the pseudo-labels with cross-entropy: [FitProbe], giving a [Classifier].
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
// The family: [SSCL], [SCLPU], [PUCL], [SCL], [MCL], [DCL], [PUNCE], [NPair], [DebiasedPos], [Pairwise], [IdealCL], and
// [WeightedSum] of any of them, with [AlignmentLoss] and [UniformityLoss] as measures that can be trained on. Risks for
// probes: [CrossEntropy], [UPU], [NNPU], [NNPUKiryo], [PN] and [UnlabeledAsNegative].
//
// Functions that build graphs panic on a wrong shape or a temperature that is not positive, as gomlx asks of them; gomlx
// hands the message back as an error when the graph is run. All other functions return errors.
package pucl
