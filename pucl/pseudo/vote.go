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

// Vote gives pseudo-labels by several embeddings of the same rows, each by an encoder that did not see the labels of one fold of the
// labeled rows: fold[i] is the number of the embedding whose encoder did not learn that row i is labeled, −1 of an unlabeled row.
//
// So every label is one that some encoder never saw, and all of them tell the prior, where [Label] has Config.HeldOut alone. The place
// of a labeled row is that among the unlabeled rows in its own embedding; places of all embeddings are taken together. The embeddings
// then label as in [Label], with the one prior, and the mean of their logits decides. In Labels, Scores are shares of the unlabeled rows
// with a lower score, a labeled row's in its own embedding and another's on average; Clear marks rows from which all embeddings learned.
//
// The prior is that of the likeliest curve over the places: the log-odds that an unlabeled row is positive are taken for a straight line in
// the log-odds of its place. All labels count, not those above a threshold alone, as in the lowest ratio that Label takes, which is by
// chance too low where all labels can be trusted. The form of the curve was chosen on Fashion-MNIST with 1,000 labels, where the prior is
// known, and where the curve is another the estimate is off. Three encoders by PUCL, trained for 2,000 steps there, give 0.293 to 0.305 for
// 0.3 in five runs, and 0.700 to 0.748 for 0.7 in five.
//
// Unlabeled rows may be labeled ones again, as in case-control data. All encoders but one learned these by heart, and among the unlabeled
// rows they would make the estimate too high. So for each labeled row one unlabeled row that equals it in the first embedding, if there is
// one, is taken for it: it is positive, places and the prior are those of the other unlabeled rows, and the classifiers that decide do not learn
// from it. Those that tell labeled from unlabeled rows do, as from any unlabeled row. Where equal rows are different examples that look alike,
// that makes the prior too high; see [Config.Distinct].
//
// Config.HeldOut must be nil, and a Trim of 0 means 0.1. It is an error if the labeled rows do not lie above unlabeled ones by more than chance,
// so that nothing tells the prior, if Config.Prior is no more than the share of labeled rows again, and if a fold has no row. The other errors
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
	share := float64(len(again)) / float64(len(again)+len(unlabeled)) // of positives that are known
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
		one := &Labels{Prior: out.Prior, Scores: scores[e]} // of features lifted anew, as those of all embeddings take much memory
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

// labeledAgain returns the unlabeled rows of x that are labeled ones again, at most one for each of these, and the other unlabeled rows.
func labeledAgain(x *mat.Dense, labeled []bool) (again, others []int) {
	var bits []byte
	key := func(i int) []byte {
		bits = bits[:0]
		for _, v := range x.RawRowView(i) {
			bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(v))
		}
		return bits
	}
	left := map[string]int{} // labeled rows that no unlabeled row was taken for
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

// of returns how the embedding of that number is labeled: with draws of its own.
func (c Config) of(embedding int) Config {
	c.Seed = rand.New(rand.NewPCG(c.Seed, uint64(embedding))).Uint64()
	return c
}

// CheckVote returns the error that [Vote] gives of so many embeddings whatever they hold: what can be known before encoders are trained.
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

// labeledBy marks the rows that have a fold.
func labeledBy(fold []int) []bool {
	labeled := make([]bool, len(fold))
	for i, of := range fold {
		labeled[i] = of >= 0
	}
	return labeled
}

// placesAmong returns a function that tells which share of these scores is below a score, equal ones counting half.
func placesAmong(scores []float64) func(score float64) float64 {
	sorted := slices.Sorted(slices.Values(scores))
	return func(score float64) float64 {
		below := sort.SearchFloat64s(sorted, score)
		upTo := sort.Search(len(sorted), func(i int) bool { return sorted[i] > score })
		return float64(below+upTo) / 2 / float64(len(sorted))
	}
}
