// Package pseudo gives pseudo-labels to unlabeled embeddings without a class prior and without the assumption that the classes
// are two clusters: positives may be several clusters with negatives between them.
//
//	l, err := pseudo.Label(rows.Unit(h), labeled, pseudo.Config{Seed: 1})
//	// l.Positive: a pseudo-label for each row of h
//
// It rests on the mixture p_U = π·p_P + (1−π)·p_N of labeled positives and negatives, in four parts, each of which [Config] can
// take away:
//
//  1. Beside its own entries a row has its closeness to some rows drawn at random, so that a linear classifier of these
//     features can cut clusters out one by one.
//  2. A classifier tells labeled from unlabeled rows; each row is scored by one that did not learn from it.
//  3. The prior π is the lowest ratio of unlabeled to labeled rows above a threshold that their numbers support.
//  4. The share π of the unlabeled rows that scores highest is positive. Those nearest to the threshold are left out, as an
//     error of the prior is an error there, and a second classifier of the others decides on all rows. It learns from no labeled
//     row, and so nothing of how these differ from other positives.
//
// An encoder that was trained with the labels places labeled rows deeper among the positives than others, and the estimate of π
// is then too low, the lower the fewer the labels and the longer the training. Labels that the encoder never saw mend that; see
// [Config.HeldOut]. Worst are encoders by SCL-PU, which takes labeled rows for a class of their own: on FMNIST-II with 1,000
// labels a classifier of these pseudo-labels is right for 44%, where those of cluster.PUPL give 59% on h and 63% on z. With PUCL it is
// right for 85%. With a third of the labels held back it is right for 90% with PUCL and for 86% with SCL-PU, where those of cluster.PUPL
// give 50.5%. On CIFAR-I too it is with SCL-PU alone, and all labels seen, that these pseudo-labels are worse than those of cluster.PUPL; the
// notebook pseudo-labels has every encoder.
//
// Everything is computed in float64 on all processors; the sums do not depend on how many there are.
//
// Source of part 3: S. Garg, Y. Wu, A. Smola, S. Balakrishnan and Z. Lipton, "Mixture Proportion Estimation and PU Learning: A
// Modern Approach", arXiv 2111.00980, 2021.
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

// Config says how [Label] labels. The zero value works.
//
// [Choose] picks settings without need of a negative; the standard ones are the same for all data. The penalty of the classifiers was fixed
// by how well labeled rows are ordered before unlabeled ones, but Landmarks, Folds, Trim and [MaxDisagreement] on mixtures of Gaussians and on
// Fashion-MNIST, where all classes are known, so that results there may favor them.
type Config struct {
	Landmarks int     // rows to which closeness is measured, at most all there are; 0 means 200, negative means none
	Folds     int     // classifiers of labeled against unlabeled rows; 0 means 4, and 1 scores rows by one that learned from them
	Trim      float64 // share of each side that is left out, nearest to the threshold; 0: see below, negative means none
	Prior     float64 // the share of positives among the unlabeled rows where it is known; 0 means that it is estimated
	Seed      uint64  // of landmarks, folds and classifiers

	// Distinct says that no unlabeled row is a labeled one again, so that one that equals a labeled row is another example, of either class. Set
	// it where no example is given twice and rows are equal by chance, as in tables of few different values or where the first embedding has
	// collapsed in part: without it [Vote] calls such rows positive, learns nothing from them, and the prior is at least their share. Vote alone
	// looks at it.
	Distinct bool

	// HeldOut marks labeled rows that the encoder did not learn from: the prior is estimated from these alone. Where it learned
	// from none they are all labeled rows. Nil means that nobody knows: then all labeled rows tell the prior, which is likely too
	// low, and a Trim of 0 means 0.2. It means 0.1 where HeldOut or Prior is given. Where unlabeled rows are labeled ones again that the
	// encoder did learn, these lie deeper than the rows held out, and the estimate is likely somewhat too high; [Vote] sets them aside, Label does not.
	//
	// What that is worth depends on the loss. With encoders that saw 667 of 1,000 labels, to estimate the prior from the other 333
	// instead of all gives classifiers 46 ± 6 points more accuracy on FMNIST-II and 9 ± 6 on CIFAR-I where SCL-PU trained them.
	// Where PUCL did, three seeds decide nothing on Fashion-MNIST, and on CIFAR-I it costs 0.43 ± 0.35 points.
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

// Labels are pseudo-labels, and how they came about.
type Labels struct {
	Positive    []bool    // pseudo-label of each row; true for every labeled row
	Probability []float64 // of each row, to be positive; surer than right, as the second classifier saw no doubtful rows
	Prior       float64   // π, the share of positives among the unlabeled rows: the estimate, or Config.Prior
	Scores      []float64 // of each row by the classifier of labeled against unlabeled rows; the higher, the more positive
	Clear       []bool    // rows from which the second classifier learned
}

// Label gives pseudo-labels to the rows of x [n, k] that labeled [n] does not mark. The unlabeled rows may hold the labeled
// ones again, as in case-control data, and these count as any others; see [Config.HeldOut] for what that does to the prior.
//
// It is an error if there are fewer labeled or unlabeled rows than folds, if an entry is not finite, if all rows are the same or lie too far
// apart to compute with, or if the prior, or Trim, leaves no positive or no negative row.
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

// decide returns the logits of all rows by a second classifier, which learns from the unlabeled rows that are far from the threshold. It
// changes the order of unlabeled. Where the prior leaves one class, the error ends in the mend.
func (l *Labels) decide(features *mat.Dense, unlabeled []int, config Config, mend string) ([]float64, error) {
	// Of equal scores any may be higher: the order of the rows may be that of their classes, which nobody knows.
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

// label gives the rows their labels and probabilities by their logits.
func (l *Labels) label(labeled []bool, logits []float64) {
	l.Positive, l.Probability = slices.Clone(labeled), make([]float64, len(labeled))
	for i, logit := range logits {
		l.Positive[i] = labeled[i] || logit > 0
		l.Probability[i] = 1 / (1 + math.Exp(-logit))
	}
}

// check returns an error if config, defaults filled in, or the data are not as [Label] wants them.
func check(x *mat.Dense, labeled []bool, config Config) error {
	_, _, err := rows.Check(x, len(labeled), "labels")
	if err := cmp.Or(err, rows.CheckFinite(x)); err != nil {
		return err
	}
	return cmp.Or(config.check(labeled), rows.CheckSpread(x))
}

// check returns an error if config, defaults filled in, is not as [Label] wants it of rows of which these are labeled.
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

// count returns how many entries of mask are true.
func count(mask []bool) (n int) {
	for _, m := range mask {
		if m {
			n++
		}
	}
	return n
}

// within reports whether every row that part marks is one that whole marks; they have the same length.
func within(part, whole []bool) bool {
	for i, p := range part {
		if p && !whole[i] {
			return false
		}
	}
	return true
}

// Disagreement returns the share of the rows that labeled does not mark to which other pseudo-labels, such as those of
// cluster.PUPL, give the other class. Above [MaxDisagreement] at least one of the two is wrong, mostly PUPL, whose two clusters are then
// not the classes. Below it both may be wrong alike.
//
// It is an error if the numbers of rows differ, or if labeled marks all.
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

// MaxDisagreement is the share of unlabeled rows up to which PUPL and [Label] count as agreeing. It was fixed on Fashion-MNIST-I,
// 1,000 labels: on projections of PUCL, where PUPL is right for 91%, they differed by 0.08 after 2,000 steps and by 0.10 after
// 3,000, on the encoder's outputs, where it is right for 44%, by 0.58.
// A wrong prior makes them differ too: with one of 0.53 for 0.70 by 0.16, where PUPL was right for 89%.
//
// In runs on Fashion-MNIST of 2,000 steps all labels on the encoder's outputs are warned of, and on projections of PUCL on Fashion-MNIST-I
// only those with 50 labels. Some that are wrong are not warned of, fewer than one for five that are, all on projections with 50 to 300
// labels: with so few both take too few rows for positive. Of those that are right for 85% or more two are warned of, 86.5% each, on
// projections of SCL-PU, where Label is right for 90%. On CIFAR-I, where both have most labels right, the warning tells little: of 16 sets
// that are wrong for 15 to 20% two are warned of, and so are three that are right for 86%. Nor is any on projections warned of whose labels
// are drawn unevenly, a positive being five times as likely labeled as one of the next class: both follow such labels, and are wrong for 17%.
const MaxDisagreement = 0.15
