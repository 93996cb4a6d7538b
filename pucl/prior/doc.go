// Package prior estimates the class prior: the share of positives among unlabeled examples, from labeled positives beside them.
//
// Three estimators read the scores of a classifier that tells labeled from unlabeled examples, two read the rows themselves:
//
//   - [DEDPUL] and [BBE], the most precise ones here, and [ElkanNoto], the oldest: of scores; [BBEOfOrder] of their order alone
//   - [KM2] and [TIcE]: of rows of features
//
// Scores must come from classifiers that did not learn from the examples they score, which [OutOfFold] sees to with any classifier;
// [Trees] is one for tables:
//
//	fit, err := prior.Trees{}.OfRows(x, labeled)
//	scores, err := prior.OutOfFold(labeled, prior.Folds{}, fit)
//	estimate, err := prior.DEDPUL(scores, labeled, prior.Config{})
//
// [TEDn] alternates between an estimate and a classifier that leaves out as many unlabeled examples.
//
// The data are two samples (the case-control view): labeled positives drawn from all positives, and an unlabeled sample. Where the
// labeled ones were taken out of the one sample that there is, the estimate is that of what remains of it, and [Estimate.OneSample]
// converts it. That the labeled ones are drawn evenly is supposed by all, and cannot be seen: where a third of the positives has five
// times as many labels as the next, and that as the last, a prior of ½ is estimated as about a quarter, and intervals know nothing of it.
//
// What is estimated is the largest share of the unlabeled examples that can be positives. That is the class prior if some region holds
// positives and no negatives; no data can prove that one does, but scores can show that none does: see [Estimate]'s Overlap, which
// [KM2] and [TIcE] leave open.
package prior
