// Package evaluate measures classifiers and embeddings: with the true classes where they are known, and without a single
// negative example where they are not.
//
//   - [Binary] and [Classes]: accuracy, balanced accuracy, precision, recall, F1, [AUC] and [TopK] against the true classes.
//   - [PU]: proxy accuracy, proxy AUC, the Lee–Liu score and the PU risk, from held-out labeled positives and unlabeled examples alone.
//   - [Proxy]: which of these an epoch is chosen by.
//   - [Reliability]: whether probabilities can be believed, by the true classes or without negatives.
//   - [KNN]: the weighted nearest-neighbor classifier, over a [Bank] that knows which rows are labeled positives or one that
//     knows all classes; every reading names its bank.
//   - [Select]: one run's result in three ways that must not be mixed up: after the last epoch, at the epoch chosen without
//     negatives, and at the epoch that the test set likes best.
//   - [Summarize]: mean and Student-t interval over seeds.
//   - [Diagnose]: whether embeddings have collapsed.
//
// A classifier that gives every example the same answer can look good: where 70% of the examples are positive, "always
// positive" is right on 70%, with a recall of 1. Such a classifier is degenerate; [Confusion], [Binary], [Classes], [PU] and what
// [KNN] reads have a method Degeneracy and a String that says so. [Select] and [SummarizeSelections] pass on what an [Epoch] says of it.
//
// Scores may be on any scale on which larger means more positive: logits, probabilities, votes. A measure that is not defined
// for the data at hand, such as the precision of a classifier that predicts no positive, is NaN and prints as "undefined".
// Shares and rates lie between 0 and 1; only String turns them into percent.
package evaluate
