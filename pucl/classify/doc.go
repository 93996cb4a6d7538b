// Package classify trains encoders further, together with a linear head on their outputs; the result is a [Tuned], for
// positives against negatives or for any number of classes.
//
// [FineTune] and [FineTunePU] train by train's loop: with its checkpoints, its exact resume and its errors. [FitFewShot]
// and [FineTuneFewShot] measure what an encoder is worth to somebody who has a few labels.
package classify
