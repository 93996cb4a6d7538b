// Package classify trains encoders further, together with a linear head on their outputs; the result is a [Tuned], for
// positives against negatives or for any number of classes.
//
// [FineTune] and [FineTunePU] use train's loop with its checkpoints, exact resume and errors. [FitFewShot] and
// [FineTuneFewShot] evaluate an encoder with few labels.
package classify
