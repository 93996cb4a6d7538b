// Package contrast holds the methods that pretrain an encoder by a contrastive loss and train a linear classifier on its
// outputs:
//
//   - [Algorithm1] labels the unlabeled examples by two clusters, as the paper prints it.
//   - [Mixture] labels them by the mixture of positives and negatives that they are, without clusters.
//   - [CrossFit] lets several encoders vote on the labels, each of which never sees some of the labeled positives.
//   - [RiskProbe] clusters nothing: it minimizes a risk on positive and unlabeled data, such as nnPU.
//
// Each is a [learn.Method], which pu.Fit trains. Its Fit returns what the method made on the way as well: encoders,
// embeddings and pseudo-labels.
//
// Source: "Contrastive Positive Unlabeled Learning", Algorithm 1. Mixture and CrossFit are of this library.
package contrast
