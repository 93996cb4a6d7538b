// Package mak selects images of an open pool that are added to a long-tailed seed set, without labels. It implements
// open-world sampling by MAK, model-aware k-center, each of its parts alone, and baselines.
//
// A model trained on the seed set s⁰ gives three quantities for each image of the pool.
//
//   - Tailness: its ECLE, the expected contrastive loss over random augmentations. Rare classes are learned less well,
//     so their images have larger losses. [ECLE] estimates it from the projections of M pairs of views.
//   - Proximity: its distance D = 1 − largest cosine to one of the [Prototypes] of the seed set, the centers of
//     k-means. Outliers also have large losses, but large distances too.
//   - Diversity: its distance from the images already selected, by k-center greedy, [cluster.KCenter].
//
// [Select] combines them by Algorithm 1 of the source: the C images with the largest score
//
//	q = α·N(ECLE) − (1−α)·N(D),   N(v) = (v − mean(v))/std(v),
//
// are the candidates, from which k-center greedy takes K, starting from the seed set. Std is the population standard
// deviation. A [Selection] lists the images in the order of selection, with scores and the reason for each; it can be
// written as CSV or JSON.
//
// Two choices differ from the text of the source. The printed loop runs while |s∖s⁰| ≤ K and so takes K + 1 images, one
// more than the objective allows (theory's claim mak-budget); this package takes K. Its arg max is over all candidates,
// including selected ones; here it is over the others. Unspecified parameters follow the authors' code: α = ½, C =
// 1.5·K, M = 10, ten prototypes, τ = 0.2. Proximity and diversity use encoder outputs of unaugmented images, and ECLE
// projections of augmented ones. That code pairs ten views with each other, 45 pairs in all; here each of the M pairs
// has its own two views, as in the slides.
//
// The package works on features of any data set: embed images with package train and pass the rows.
//
// Source: Jiang, Chen, Chen and Wang, "Improving Contrastive Learning on Imbalanced Seed Data via Open-World Sampling", 2021, equations 2
// to 4 and Algorithm 1.
package mak
