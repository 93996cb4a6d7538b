// Package evaluate measures classifiers and embeddings, with true classes or from positive and unlabeled examples
// alone.
//
//   - [Binary] and [Classes]: accuracy, balanced accuracy, precision, recall, F1, [AUC] and [TopK] against the true classes.
//   - [PU]: proxy accuracy, proxy AUC, the Lee–Liu score and the PU risk, from held-out labeled positives and unlabeled
//     examples.
//   - [Proxy]: the measure of these that selects an epoch.
//   - [Reliability]: calibration of probabilities, with true classes or without negatives.
//   - [KNN]: the weighted nearest-neighbor classifier, over a [Bank] of labeled positives or of fully labeled data;
//     every result names its bank.
//   - [Select]: the result of one run by three rules that are not comparable: the last epoch, the epoch selected
//     without negatives, and the epoch with the best test result.
//   - [Summarize]: mean and Student-t interval over seeds.
//   - [Diagnose]: collapse of embeddings.
//
// A classifier with constant output can look good: if 70% of the examples are positive, "always positive" has an
// accuracy of 70% and a recall of 1. Such a classifier is degenerate. [Confusion], [Binary], [Classes], [PU] and the
// results of [KNN] have a method Degeneracy, and their String states it. [Select] and [SummarizeSelections] pass on the
// Degenerate field of [Epoch].
//
// Scores may have any scale on which larger means more positive: logits, probabilities, votes. A measure that is
// undefined for the given data, such as the precision of a classifier that predicts no positive, is NaN and prints as
// "undefined". Shares and rates lie between 0 and 1; only String turns them into percent.
package evaluate
