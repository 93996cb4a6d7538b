// Package classify makes classifiers of encoders: an encoder with a linear probe on its outputs is a [Classifier], of
// positives against negatives or of any number of classes.
//
// [FineTune] and [FineTunePU] train encoder and head together, by train's loop: with its checkpoints, its exact resume and its
// errors. [FitFewShot] and [FineTuneFewShot] measure what an encoder is worth to somebody who has a few labels.
package classify
