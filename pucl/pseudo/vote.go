package pseudo

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/rows"
)

// Vote computes pseudo-labels from several embeddings of the same rows. Each encoder was trained without the labels of
// one fold of the labeled rows: fold[i] is the number of the embedding whose encoder did not use the label of row i; −1
// for an unlabeled row.
//
// Every label is therefore held out from some encoder, and all labels estimate the prior; [Label] uses only
// Config.HeldOut. The place of a labeled row is its rank among the unlabeled rows in its own embedding; places of all
// embeddings are pooled. The embeddings then label as in [Label] with the common prior, and the mean of their logits
// decides. In Labels, Scores are shares of unlabeled rows with a lower score: in its own embedding for a labeled row,
// and on average for others. Clear marks the rows that trained all embeddings' classifiers.
//
// The prior is the maximum-likelihood estimate of a curve over the places: the log-odds of a positive are assumed
// linear in the log-odds of the place. It uses all labels; the ratio of [Label] uses only labels above a
// threshold, and is by chance too low with held-out labels. The form of the curve was chosen on Fashion-MNIST with
// 1,000 labels and a known prior; for another curve the estimate is biased. There, three encoders by PUCL trained for
// 2,000 steps give 0.293 to 0.305 for 0.3 in five runs, and 0.700 to 0.748 for 0.7 in five.
//
// Unlabeled rows may repeat labeled ones, as in case-control data. All encoders except one memorized these, which would
// make the estimate too high. So for each labeled row one unlabeled row that equals it in the first embedding counts as
// its copy. The copy is positive; places and the prior refer to the other unlabeled rows, and the final classifiers are
// not trained on it. The classifiers of labeled against unlabeled rows are. If equal rows are different examples, the
// prior becomes too high; see [Config.Distinct].
//
// Config.HeldOut must be nil, and a Trim of 0 means 0.1. It is an error if the labeled rows do not rank above unlabeled
// ones by more than chance, if Config.Prior is at most the share of copies, or if a fold has no row. The other errors
// are those of Label.
func Vote(embeddings []*mat.Dense, fold []int, config Config) (*Labels, error) {
	if err := CheckVote(len(embeddings), fold, config); err != nil {
		return nil, err
	}
	labeled := labeledBy(fold)
	config.Trim = cmp.Or(config.Trim, 0.1)
	config = config.withDefaults()
	for e, x := range embeddings {
		if err := check(x, labeled, config); err != nil {
			return nil, fmt.Errorf("pseudo: embedding %d: %w", e, err)
		}
	}
	_, unlabeled := rows.Split(labeled)
	var again []int
	if !config.Distinct {
		again, unlabeled = labeledAgain(embeddings[0], labeled)
	}
	if len(unlabeled) == 0 {
		return nil, fmt.Errorf("pseudo: all %d unlabeled rows are labeled ones again; give others beside them, or Config.Distinct if rows equal "+
			"labeled ones by chance", len(again))
	}
	share := float64(len(again)) / float64(len(again)+len(unlabeled)) // share of known positives
	out := &Labels{Scores: make([]float64, len(fold))}
	if config.Prior != 0 {
		if config.Prior <= share {
			return nil, fmt.Errorf("pseudo: a prior of %.4g, where a share of %.4g of the unlabeled rows is labeled ones again and so positive, leaves no other "+
				"positive; give a higher Config.Prior, or Config.Distinct if rows equal labeled ones by chance", config.Prior, share)
		}
		out.Prior = (config.Prior - share) / (1 - share)
	}
	var places []float64
	scores := make([][]float64, len(embeddings))
	for e, x := range embeddings {
		var err error
		own := config.of(e)
		if scores[e], err = outOfFold(lift(x, own), labeled, own.Folds, own.Seed); err != nil {
			return nil, err
		}
		place := placesAmong(rows.Pick(scores[e], unlabeled))
		for i, of := range fold {
			if of == e {
				out.Scores[i] = place(scores[e][i])
				places = append(places, out.Scores[i])
			} else if of < 0 {
				out.Scores[i] += place(scores[e][i]) / float64(len(embeddings))
			}
		}
	}
	if config.Prior == 0 {
		var err error
		if out.Prior, err = curvePrior(places); err != nil {
			return nil, err
		}
	}
	mend := "? If there are, give Config.Prior"
	if len(again) > 0 {
		mend += ", or Config.Distinct if rows equal labeled ones by chance"
	}
	logits := make([]float64, len(fold))
	clear := slices.Repeat([]bool{true}, len(fold))
	for e, x := range embeddings {
		own := config.of(e)
		one := &Labels{Prior: out.Prior, Scores: scores[e]} // features are computed again to save memory
		z, err := one.decide(lift(x, own), slices.Clone(unlabeled), own, mend)
		if err != nil {
			return nil, err
		}
		floats.AddScaled(logits, 1/float64(len(embeddings)), z)
		for i := range clear {
			clear[i] = clear[i] && one.Clear[i]
		}
	}
	out.Clear = clear
	for _, i := range again {
		labeled[i] = true
	}
	out.label(labeled, logits)
	out.Prior = cmp.Or(config.Prior, share+(1-share)*out.Prior)
	return out, nil
}

// labeledAgain returns the unlabeled rows of x that are copies of labeled ones, at most one per labeled row, and the
// other unlabeled rows.
func labeledAgain(x *mat.Dense, labeled []bool) (again, others []int) {
	var bits []byte
	key := func(i int) []byte {
		bits = bits[:0]
		for _, v := range x.RawRowView(i) {
			bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(v))
		}
		return bits
	}
	left := map[string]int{} // number of labeled rows without a copy
	positive, unlabeled := rows.Split(labeled)
	for _, i := range positive {
		left[string(key(i))]++
	}
	for _, i := range unlabeled {
		if row := key(i); left[string(row)] > 0 {
			left[string(row)]--
			again = append(again, i)
		} else {
			others = append(others, i)
		}
	}
	return again, others
}

// of returns the configuration of the embedding with that number, with its own seed.
func (c Config) of(embedding int) Config {
	c.Seed = rand.New(rand.NewPCG(c.Seed, uint64(embedding))).Uint64()
	return c
}

// CheckVote returns the error that [Vote] returns for all embeddings of that number, so that it can be found before
// encoders are trained.
func CheckVote(embeddings int, fold []int, config Config) error {
	if config.HeldOut != nil {
		return errors.New("pseudo: Vote has a fold of labels that an encoder never saw for each embedding; leave HeldOut nil")
	}
	if embeddings < 1 {
		return errors.New("pseudo: no embedding votes; give one for each fold of labels")
	}
	known := map[int]bool{} // the folds that have a label
	for i, f := range fold {
		if f >= embeddings {
			return fmt.Errorf("pseudo: row %d is of fold %d, and there are %d embeddings; folds are numbered from 0 to %d", i, f, embeddings, embeddings-1)
		}
		known[f] = true
	}
	for e := range embeddings {
		if !known[e] {
			return fmt.Errorf("pseudo: no labeled row is of fold %d, whose labels embedding %d does not know; give each embedding some", e, e)
		}
	}
	return config.withDefaults().check(labeledBy(fold))
}

// labeledBy marks the rows with a fold.
func labeledBy(fold []int) []bool {
	labeled := make([]bool, len(fold))
	for i, of := range fold {
		labeled[i] = of >= 0
	}
	return labeled
}

// placesAmong returns a function that gives the share of scores below a score, where equal ones count half.
func placesAmong(scores []float64) func(score float64) float64 {
	sorted := slices.Sorted(slices.Values(scores))
	return func(score float64) float64 {
		below := sort.SearchFloat64s(sorted, score)
		upTo := sort.Search(len(sorted), func(i int) bool { return sorted[i] > score })
		return float64(below+upTo) / 2 / float64(len(sorted))
	}
}
