// Package optim implements the optimizers and learning-rate schedules of contrastive training: [LARS], [SGD] and
// [AdamW], and [Cosine] with linear warm-up. A.7 is the appendix of "Contrastive Positive Unlabeled Learning"
// (anonymous authors) on the training of its encoders.
//
// An optimizer is a plain struct whose zero value works. It is also a gomlx optimizer, usable wherever gomlx takes one:
// train.NewTrainer, gradient accumulation, or a user-defined training step, which ends with
//
//	optimizer.LearningRateVar(scope, dtypes.Float32, opt.PeakRate()).SetNodeValue(rate)
//	opt.UpdateGraph(scope, g, loss)
//
// where rate is a scalar input that [Schedule.Rate] fills on the host, step by step. Without the first of the two lines
// the rate stays at its maximum.
//
// # State
//
// All state of an optimizer (velocities, moments, the count of steps) is stored in variables of the model's store, not
// trainable, under /optim and the optimizer's name. Saving and loading all variables of a store, with their Trainable
// flags, resumes a run exactly: the next step is bit-identical to that of an uninterrupted run. Clear deletes them.
//
// # Which variables decay
//
// Weight decay and the layer-wise rates of LARS are meant for matrices and convolution kernels. By default they exclude
// [Vectors]: biases and the scales and shifts of batch normalization. The field Exclude sets another rule.
package optim
