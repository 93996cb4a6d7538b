// Package pseudo computes pseudo-labels of unlabeled embeddings. It needs no class prior, and it does not assume that
// the classes are two clusters: positives may form several clusters with negatives between them.
//
//	l, err := pseudo.Label(rows.Unit(h), labeled, pseudo.Config{Seed: 1})
//	// l.Positive: a pseudo-label for each row of h
//
// It uses the mixture p_U = π·p_P + (1−π)·p_N of labeled positives and negatives, in four steps, each of which [Config]
// can switch off:
//
//  1. The features of a row are its entries and its similarities to some random landmark rows, so that a linear
//     classifier can separate single clusters.
//  2. A classifier separates labeled from unlabeled rows; each row is scored by a classifier not trained on it.
//  3. The prior π is the ratio of the shares of unlabeled and labeled rows above the threshold with the lowest upper
//     bound on that ratio.
//  4. The share π of the unlabeled rows with the highest scores is positive. Rows nearest to the threshold, where an
//     error of the prior has its effect, are left out. A second classifier, trained on the other unlabeled rows,
//     labels all rows. It is not trained on labeled rows, and so not on how these differ from other positives.
//
// An encoder trained with the labels places labeled rows deeper among the positives than others. The estimate of π is
// then too low, more so for fewer labels and longer training. Labels held out from the encoder correct that; see
// [Config.HeldOut]. The effect is largest for SCL-PU, which treats labeled rows as a separate class. On FMNIST-II with
// 1,000 labels a classifier of these pseudo-labels has an accuracy of 44%; with cluster.PUPL it has 59% on h and 63% on
// z. With PUCL it has 85%. With a third of the labels held out it has 90% with PUCL and 86% with SCL-PU, and 50.5% with
// cluster.PUPL. On CIFAR-I these pseudo-labels are worse than cluster.PUPL only with SCL-PU trained on all labels. The
// notebook pseudo-labels has every encoder.
//
// All computations are in float64 on all processors; the sums do not depend on the number of processors.
//
// Source of step 3: S. Garg, Y. Wu, A. Smola, S. Balakrishnan and Z. Lipton, "Mixture Proportion Estimation and PU
// Learning: A Modern Approach", arXiv 2111.00980, 2021.
package pseudo

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/rows"
)

// Config configures [Label]. The zero value is usable.
//
// [Choose] selects settings without negatives; the defaults are the same for all data. The penalty of the classifiers
// was tuned by the ranking of labeled above unlabeled rows. Landmarks, Folds, Trim and [MaxDisagreement] were tuned on
// mixtures of Gaussians and on Fashion-MNIST with all classes known, so results there may be optimistic.
type Config struct {
	Landmarks int     // number of landmark rows, at most all; 0 means 200, negative means none
	Folds     int     // folds of cross-validation; 0 means 4, and 1 scores the training rows themselves
	Trim      float64 // share of each side left out, nearest to the threshold; 0: see HeldOut, negative means none
	Prior     float64 // share of positives among the unlabeled rows; 0 means estimated
	Seed      uint64  // seed of landmarks, folds and tie-breaking

	// Distinct states that no unlabeled row repeats a labeled example, so that equal rows are different examples of
	// either class. Set it if no example occurs twice and rows are equal by chance, as in tables of few different
	// values or after partial collapse of the first embedding. Without it [Vote] labels such rows positive and does not
	// train on them, and the prior is at least their share. Only Vote uses it.
	Distinct bool

	// HeldOut marks labeled rows whose labels the encoder was not trained with; only these estimate the prior. If it
	// was trained with none, mark all labeled rows. Nil means unknown: all labeled rows estimate the prior, which is
	// then likely too low, and a Trim of 0 means 0.2. A Trim of 0 means 0.1 if HeldOut or Prior is given. Unlabeled
	// rows that repeat labeled ones of the encoder's training lie deeper than held-out rows, and the estimate is then
	// likely somewhat too high; [Vote] removes them, Label does not.
	//
	// The benefit depends on the loss. The encoders were trained with 667 of 1,000 labels. Compared with using all
	// labels, estimating the prior from the other 333 raises the accuracy of classifiers with SCL-PU by 46 ± 6 points
	// on FMNIST-II and by 9 ± 6 on CIFAR-I. With PUCL, three seeds on Fashion-MNIST are inconclusive, and on CIFAR-I
	// the accuracy falls by 0.43 ± 0.35 points.
	HeldOut []bool
}

func (c Config) withDefaults() Config {
	c.Landmarks, c.Folds = max(cmp.Or(c.Landmarks, 200), 0), cmp.Or(c.Folds, 4)
	trim := 0.1
	if c.HeldOut == nil && c.Prior == 0 {
		trim = 0.2
	}
	c.Trim = max(cmp.Or(c.Trim, trim), 0)
	return c
}

// Labels holds pseudo-labels and the quantities they follow from.
type Labels struct {
	Positive    []bool    // pseudo-label of each row; true for every labeled row
	Probability []float64 // of each row to be positive; overconfident: trained without doubtful rows
	Prior       float64   // π, share of positives among the unlabeled rows: estimate or Config.Prior
	Scores      []float64 // of each row by the classifier of labeled against unlabeled rows; higher means more positive
	Clear       []bool    // training rows of the second classifier
}

// Label computes pseudo-labels for the unlabeled rows of x [n, k]; labeled [n] marks the labeled rows. The unlabeled
// rows may repeat labeled ones, as in case-control data, and are treated as any others; [Config.HeldOut] describes the
// effect on the prior.
//
// It is an error if there are fewer labeled or unlabeled rows than folds, if an entry is not finite, if all rows are
// equal or too far apart for float64, or if the prior or Trim leaves no positive or no negative row.
func Label(x *mat.Dense, labeled []bool, config Config) (*Labels, error) {
	config = config.withDefaults()
	if err := check(x, labeled, config); err != nil {
		return nil, err
	}
	positive, unlabeled := rows.Split(labeled)
	features := lift(x, config)
	scores, err := outOfFold(features, labeled, config.Folds, config.Seed)
	if err != nil {
		return nil, err
	}
	out := &Labels{Prior: config.Prior, Scores: scores}
	if out.Prior == 0 {
		if config.HeldOut != nil {
			positive, _ = rows.Split(config.HeldOut)
		}
		out.Prior = bestBin(rows.Pick(scores, positive), rows.Pick(scores, unlabeled))
	}
	logits, err := out.decide(features, unlabeled, config, ", or did the encoder learn its labels by heart? Config.HeldOut may mend that")
	if err != nil {
		return nil, err
	}
	out.label(labeled, logits)
	return out, nil
}

// decide returns the logits of all rows by a second classifier, which is trained on the unlabeled rows far from the
// threshold. It reorders unlabeled. If the prior leaves only one class, the error ends with the remedy mend.
func (l *Labels) decide(features *mat.Dense, unlabeled []int, config Config, mend string) ([]float64, error) {
	// Ties are broken at random: the order of the rows may follow their unknown classes.
	rand.New(rand.NewPCG(config.Seed, 0x71e5)).Shuffle(len(unlabeled), func(i, j int) {
		unlabeled[i], unlabeled[j] = unlabeled[j], unlabeled[i]
	})
	clear, first := l.threshold(unlabeled, config.Trim)
	if yes := count(first); yes == 0 || yes == len(first) {
		if positive := portion(l.Prior, len(unlabeled)); positive > 0 && positive < len(unlabeled) {
			return nil, fmt.Errorf("pseudo: the prior makes %d of %d unlabeled rows positive, and a trim of %g leaves none of one class; set Trim "+
				"lower, or give more rows", positive, len(unlabeled), config.Trim)
		}
		return nil, fmt.Errorf("pseudo: a share of %.3g of the %d unlabeled rows is positive, by the estimate or by Config.Prior, which "+
			"leaves one class; are there no rows of the other%s", l.Prior, len(unlabeled), mend)
	}
	second, err := fit(features, clear, first, false)
	if err != nil {
		return nil, err
	}
	logits := make([]float64, len(l.Scores))
	for i := range logits {
		logits[i] = second.logit(features.RawRowView(i))
	}
	return logits, nil
}

// label sets the labels and probabilities of the rows from their logits.
func (l *Labels) label(labeled []bool, logits []float64) {
	l.Positive, l.Probability = slices.Clone(labeled), make([]float64, len(labeled))
	for i, logit := range logits {
		l.Positive[i] = labeled[i] || logit > 0
		l.Probability[i] = 1 / (1 + math.Exp(-logit))
	}
}

// check returns an error if config, with defaults set, or the data are invalid for [Label].
func check(x *mat.Dense, labeled []bool, config Config) error {
	_, _, err := rows.Check(x, len(labeled), "labels")
	if err := cmp.Or(err, rows.CheckFinite(x)); err != nil {
		return err
	}
	return cmp.Or(config.check(labeled), rows.CheckSpread(x))
}

// check returns an error if c, with defaults set, is invalid for [Label], given the mask of labeled rows.
func (c Config) check(labeled []bool) error {
	positives, held := count(labeled), c.HeldOut
	return cmp.Or(
		fault.If(c.Folds < 1, "pseudo: %d folds; there must be 1 fold or more, or 0 for the default", c.Folds),
		fault.If(!(c.Trim < 1), "pseudo: a trim of %g; it must be below 1, 0 for the default, or negative for none", c.Trim),
		fault.If(!(c.Prior >= 0 && c.Prior < 1),
			"pseudo: a prior of %g; it must be above 0 and below 1, or 0 to have it estimated", c.Prior),
		fault.If(positives < c.Folds || len(labeled)-positives < c.Folds,
			"pseudo: %d labeled and %d unlabeled rows; %d folds take as many of either: give more, or set Folds lower", positives, len(labeled)-positives, c.Folds),
		fault.If(held != nil && (len(held) != len(labeled) || count(held) == 0 || !within(held, labeled)),
			"pseudo: HeldOut has %d entries, %d of them true; it must have one for each of %d rows, and mark labeled rows only, at least one",
			len(held), count(held), len(labeled)),
	)
}

// count returns the number of true entries of mask.
func count(mask []bool) (n int) {
	for _, m := range mask {
		if m {
			n++
		}
	}
	return n
}

// within reports whether whole marks every row that part marks; both have the same length.
func within(part, whole []bool) bool {
	for i, p := range part {
		if p && !whole[i] {
			return false
		}
	}
	return true
}

// Disagreement returns the share of the unlabeled rows on which other pseudo-labels, such as those of cluster.PUPL,
// differ. Above [MaxDisagreement] at least one of the two is wrong, usually PUPL, because its two clusters are not the
// classes. Below it both may make the same errors.
//
// It is an error if the numbers of rows differ, or if all rows are labeled.
func (l *Labels) Disagreement(other, labeled []bool) (float64, error) {
	if len(other) != len(l.Positive) || len(labeled) != len(l.Positive) {
		return 0, fmt.Errorf("pseudo: %d other pseudo-labels and %d labels for %d rows; give one for each", len(other), len(labeled),
			len(l.Positive))
	}
	_, unlabeled := rows.Split(labeled)
	if len(unlabeled) == 0 {
		return 0, errors.New("pseudo: pseudo-labels are compared on unlabeled rows, and all are labeled; give labels of some that are not")
	}
	differ := 0
	for _, i := range unlabeled {
		if l.Positive[i] != other[i] {
			differ++
		}
	}
	return float64(differ) / float64(len(unlabeled)), nil
}

// MaxDisagreement is the share of unlabeled rows up to which PUPL and [Label] count as agreeing. It was tuned on
// FMNIST-I with 1,000 labels. On projections of PUCL, where PUPL has an accuracy of 91%, they differed by 0.08 after
// 2,000 steps and by 0.10 after 3,000. On the encoder's outputs, where PUPL has 44%, they differed by 0.58. A wrong
// prior also makes them differ: a prior of 0.53 for 0.70 by 0.16, where PUPL had 89%.
//
// In runs on Fashion-MNIST of 2,000 steps the limit flags all labels on the encoder's outputs. On projections of PUCL
// on FMNIST-I it flags only labels from 50 labeled rows. It misses some wrong labels, fewer than one for five flagged,
// all on projections with 50 to 300 labels: both methods then predict too few positives. It flags two sets with an
// accuracy of 85% or more, 86.5% each, on projections of SCL-PU, where Label has 90%. On CIFAR-I, where both have
// mostly correct labels, the flag means little: it flags two of 16 sets with an error of 15 to 20%, and three with an
// accuracy of 86%. It flags no projections with biased labels, where a positive is labeled five times as often as one
// of the next class: both methods follow such labels and have an error of 17%.
const MaxDisagreement = 0.15
