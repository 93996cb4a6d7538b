// Package prior estimates the class prior, the share of positives among unlabeled examples, from labeled positives and
// unlabeled examples.
//
// Three estimators use the scores of a classifier of labeled against unlabeled examples, two use the rows themselves:
//
//   - [DEDPUL] and [BBE], the most precise ones here, and [ElkanNoto], the oldest, use scores; [BBEOfOrder] uses only
//     their order
//   - [KM2] and [TIcE] use rows of features
//
// Scores must come from classifiers that were not trained on the scored examples. [OutOfFold] ensures that for any
// classifier; [Trees] is a classifier for tables:
//
//	fit, err := prior.Trees{}.OfRows(x, labeled)
//	scores, err := prior.OutOfFold(labeled, prior.Folds{}, fit)
//	estimate, err := prior.DEDPUL(scores, labeled, prior.Config{})
//
// [TEDn] alternates between an estimate and a classifier trained without a matching number of unlabeled examples.
//
// The data are two samples (the case-control view): labeled positives drawn from all positives, and an unlabeled
// sample. In the single-dataset setting the estimate refers to the remaining unlabeled examples, and
// [Estimate.OneSample] converts it. All estimators assume that labeled positives are a random sample of the positives,
// which the data cannot show. For example, let three equal groups of positives be labeled at rates 25 : 5 : 1. A prior
// of ½ is then estimated as about a quarter, and the intervals do not account for it.
//
// Examples must be independent. With copies, intervals are too short, and out-of-fold scores of labeled positives are
// too high, because the classifier was trained on copies. For 500 unlabeled examples that each occur 5 times, TED^n
// estimates 0.29 too little on average, and 55% of its intervals are shorter than 0.2 and end more than 0.1 below the
// prior. Remove repeated rows.
//
// The file testdata/robustness.csv holds the errors of all estimators on data with outliers, heavy tails, ties, copies
// and constant features, from 25 to 10,000 examples. Fewer than 10 labeled positives are an error. Except for copies,
// no interval of BBE, DEDPUL or TED^n is shorter than 0.2 and ends more than 0.1 below the prior. Such intervals above
// the prior occur if most scores are equal, or if no feature separates the classes.
//
// The estimand is the largest share of the unlabeled examples that can be positives. It equals the class prior if some
// region holds positives and no negatives. No data can prove that such a region exists, but scores can show that none
// does: see Overlap of [Estimate], which [KM2] and [TIcE] do not determine.
package prior
