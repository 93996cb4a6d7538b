// Package gaussian draws points of the plane from two normal distributions, one for positives and one for negatives: the
// data on which "Contrastive Positive Unlabeled Learning" shows its figures 12 to 15.
//
// [Separable] and [Overlapping] are the two mixtures of these figures, [Mixture] is one of your own.
package gaussian
