// Package contrast implements the methods that pretrain an encoder by a contrastive loss and train a linear classifier
// on its outputs:
//
//   - [Algorithm1] labels the unlabeled examples by two clusters, as the paper prints it.
//   - [Mixture] labels them as a mixture of positives and negatives, without clusters.
//   - [CrossFit] combines votes of several encoders on the labels; each is trained without some of the positive labels.
//   - [RiskProbe] clusters nothing: it minimizes a risk on positive and unlabeled data, such as nnPU.
//
// Each is a [learn.Method], which pu.Fit trains. Its Fit also returns the intermediate results of the method: encoders,
// embeddings and pseudo-labels.
//
// Source: "Contrastive Positive Unlabeled Learning", Algorithm 1. Mixture and CrossFit are of this library.
package contrast
