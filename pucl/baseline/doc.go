// Package baseline implements published methods of learning from positive and unlabeled data, all on the loop of
// [train.Run], with any encoder of this module, on images and on rows of features:
//
//	result, err := baseline.Train(ctx, eng, data, baseline.Config{Method: baseline.NNPU{Prior: 0.3}, Seed: 1})
//	logits, err := result.Network.Score(eng, test) // above 0 means positive
//
// A [Method] is a value whose fields are its hyper-parameters. The zero value of a field is the default of its paper or
// its comment; a class prior must be given. The comment of a method lists its known differences from the paper, with
// the programs it was compared with, by the names of their repositories on GitHub. Formulas have no equation numbers,
// since the papers of 2020 and later were not available. Every method has a version, which changes whenever the same
// seed would give other numbers.
//
// No type of this package has a field for a true class. During training, the proxies of package evaluate are computed
// on held-out positives and unlabeled examples, and test examples are scored without their classes. [Result.Select]
// then reports the last epoch, the epoch chosen without negatives and the oracle separately.
//
// All methods share some choices that their authors made differently. A batch passes labeled positives and unlabeled
// examples through the network together, so that batch normalization uses both. Optimizer, learning rate and schedule
// are those of [train.Settings], the same for all networks and phases of a method.
package baseline
