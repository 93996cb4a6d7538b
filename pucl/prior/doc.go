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
// Examples must be independent. If each is given several times, intervals are too short, and out-of-fold scores of
// labeled positives are too high, because the classifier has seen copies. For 500 unlabeled examples of which each is
// there 5 times, TED^n estimates 0.29 too little on average, and 55% of its intervals are shorter than 0.2 and end
// more than 0.1 below the prior. Leave out repeated rows.
//
// The file testdata/robustness.csv holds the errors of all estimators on data with outliers, heavy tails, ties,
// copies and constant features, from 25 to 10,000 examples. Fewer than 10 labeled positives are an error. Except for
// copies, no interval of BBE, DEDPUL or TED^n is shorter than 0.2 and ends more than 0.1 below the prior. Such
// intervals above the prior occur where most scores are equal, or where nothing tells the classes apart.
//
// What is estimated is the largest share of the unlabeled examples that can be positives. That is the class prior if some region holds
// positives and no negatives; no data can prove that one does, but scores can show that none does: see [Estimate]'s Overlap, which
// [KM2] and [TIcE] leave open.
package prior
