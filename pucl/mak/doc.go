// Package mak chooses images of an open pool to be learned from beside a long-tailed seed set, none of them labeled: open-world
// sampling by MAK, model-aware k-center, with each of its parts alone and what it is compared with.
//
// A model that was trained on the seed set s⁰ tells three things about each image of the pool.
//
//   - Tailness: its ECLE, the contrastive loss that is to be expected over random augmentations. Rare classes are learned worse, so
//     their images have larger losses. [ECLE] estimates it from the projections of M pairs of views.
//   - Proximity: its distance D = 1 − largest cosine to one of the [Prototypes] of the seed set, the centers of k-means. Outliers have
//     large losses too, and lie far off.
//   - Diversity: its distance from what is already there, by k-center greedy, [cluster.KCenter].
//
// [Select] unites them as Algorithm 1 of the source does: the C images of the largest score
//
//	q = α·N(ECLE) − (1−α)·N(D),   N(v) = (v − mean(v))/std(v),
//
// are the candidates, of which k-center greedy takes K, starting from the seed set. Std is that of a population. A [Selection] is a value:
// images in the order in which they were chosen, with their scores and the reason for each, to be written as CSV or JSON.
//
// Two readings. The printed loop runs while |s∖s⁰| ≤ K and so takes K + 1 images, one more than the objective allows (theory's claim
// mak-budget); here it takes K. Its arg max is over all candidates, those already chosen included; here it is over the others. What
// the slides leave open is as in the authors' code: α = ½, C = 1.5·K, M = 10, ten prototypes, τ = 0.2, proximity and
// diversity on encoder outputs of images as they are, ECLE on projections of augmented ones. That code pairs ten views with each other,
// 45 pairs in all; here each of the M pairs is of two views of its own, as the slides have it.
//
// The package takes values, and knows no data set: embed images by package train and hand the rows in.
//
// Source: Jiang, Chen, Chen and Wang, "Improving Contrastive Learning on Imbalanced Seed Data via Open-World Sampling", 2021, equations 2
// to 4 and Algorithm 1.
package mak
