// Package baseline holds published methods of learning from positive and unlabeled data, all on the one loop of [train.Run], with any
// encoder of this module, on images and on rows of features:
//
//	result, err := baseline.Train(ctx, eng, data, baseline.Config{Method: baseline.NNPU{Prior: 0.3}, Seed: 1})
//	logits, err := result.Network.Score(eng, test) // above 0 means positive
//
// A [Method] is a value whose fields are its hyper-parameters and whose zero value is what its paper or its comment names, except
// for a class prior, which must be told. What a method is known to do differently from its paper stands in its comment, with the
// programs, by the names of their repositories on GitHub, that it was compared with; formulas are given without equation numbers,
// since the papers of 2020 and later were not at hand. Every method has a version, which changes whenever the same seed would give
// other numbers.
//
// No type of this package has a place for a true class. While training goes on, the proxies of the package evaluate are taken on
// held-out positives and unlabeled examples, and test examples are scored without their classes; [Result.Select] then tells the
// last epoch, the one chosen without negatives and the oracle apart.
//
// All methods share what their authors did in ways of their own: a batch holds labeled positives and unlabeled examples in one
// pass through the network, so that batch normalization sees both, and optimizer, learning rate and schedule are those of
// [train.Settings], the same for all networks and phases of a method.
package baseline
