// Package optim holds the optimizers and learning-rate schedules of contrastive training: [LARS], [SGD] and [AdamW], and
// [Cosine] with linear warm-up. A.7 is the appendix of "Contrastive Positive Unlabeled Learning" (anonymous authors) that tells
// how its encoders were trained.
//
// An optimizer is a plain struct whose zero value works. It is also a gomlx optimizer, so it goes wherever gomlx takes one:
// train.NewTrainer, gradient accumulation, or a training step of one's own, which ends with
//
//	optimizer.LearningRateVar(scope, dtypes.Float32, opt.PeakRate()).SetNodeValue(rate)
//	opt.UpdateGraph(scope, g, loss)
//
// where rate is a scalar input that [Schedule.Rate] fills on the host, step by step. Without the first of the two lines the
// rate stays at its height.
//
// # State
//
// Everything that an optimizer remembers (velocities, moments, the count of steps) is a variable of the model's store, not
// trainable, under /optim and the optimizer's name. Whoever saves and loads all variables of a store, together with their
// Trainable flag, resumes a run exactly: the next step gives the same bits as if there had been no break. Clear deletes them.
//
// # Which variables decay
//
// Weight decay and the layer-wise rates of LARS are meant for matrices and convolution kernels. By default they leave out
// what [Vectors] names: biases and the scales and shifts of batch normalization. The field Exclude takes any other rule.
package optim
