package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/puclab/puclab/datasets/internal/check"
)

const defaultBatchSize = 256

// BatchConfig says how [NewBatches] and [NewSchedule] cut PU data into batches.
type BatchConfig struct {
	Size  int     // examples in a batch; 0 means 256
	Share float64 // share of labeled positives in each batch, at least 0 and below 1; 0 means as they come
	Seed  uint64  // of the order; used as given, 0 included
}

// Schedule says which examples make up the batch of each training step.
//
// The batch of a step depends on the data, the configuration and the number of the step, and on nothing else: steps may
// be asked for in any order, and a run that is taken up at some step sees what it would have seen. A schedule may be
// used by several goroutines at once.
//
// With Share 0 all examples are put into a random order, anew for each epoch, and the epochs, one after the other, are
// cut into batches. With a Share above 0 the first round(Share·Size) examples of every batch are labeled positives and
// the others are unlabeled; either kind has a random order and epochs of its own. Hence a batch can end one epoch and
// begin the next, and can then hold an example twice; and where fewer positives are labeled than a batch asks for, they
// occur several times in it. Within an epoch no example is drawn twice, and none is left out.
type Schedule struct {
	split           *Split
	cfg             BatchConfig // as given
	size, labeled   int         // examples in a batch, and how many of them are forced to be labeled
	positives, rest *order      // positives is nil where labeled is 0
}

// NewSchedule prepares the batches of split. For images use [NewBatches], which hands out their pixels too.
//
// It is an error if Size is negative or greater than the number of examples that fill it, if Share is not in [0, 1), or
// if a Share above 0 comes to no labeled or no unlabeled example in a batch, or has no labeled positives to draw from.
func NewSchedule(split *Split, cfg BatchConfig) (*Schedule, error) {
	if split == nil || split.Len() == 0 {
		return nil, errors.New("datasets: no PU data given to cut into batches")
	}
	size := cmp.Or(cfg.Size, defaultBatchSize)
	forced := cfg.Share != 0
	numLabeled, numUnlabeled := split.NumLabeled(), split.NumUnlabeled()
	labeled := int(math.Round(cfg.Share * float64(size)))
	err := cmp.Or(
		check.ErrorIf(size < 0, "datasets: a batch of %d examples: give a positive size, or 0 for %d", size, defaultBatchSize),
		check.ErrorIf(!(cfg.Share >= 0 && cfg.Share < 1), // this form also refuses NaN
			"datasets: a share of %v labeled positives: give at least 0 and less than 1", cfg.Share),
		check.ErrorIf(!forced && size > split.Len(),
			"datasets: a batch of %d examples, but there are only %d: use a smaller size", size, split.Len()),
		check.ErrorIf(forced && numLabeled == 0,
			"datasets: a share of %v labeled positives, but none is labeled: use a share of 0", cfg.Share),
		check.ErrorIf(forced && (labeled == 0 || labeled == size), "datasets: a share of %v of a batch of %d comes to %d labeled "+
			"positives and %d unlabeled examples: both must be at least 1, so use a larger size or another share",
			cfg.Share, size, labeled, size-labeled),
		check.ErrorIf(size-labeled > numUnlabeled && forced,
			"datasets: a batch with %d unlabeled examples, but there are only %d: use a smaller size", size-labeled, numUnlabeled))
	if err != nil {
		return nil, err
	}
	if !forced {
		return &Schedule{split: split, cfg: cfg, size: size, rest: newOrder(0, split.Len(), cfg.Seed, allStream)}, nil
	}
	return &Schedule{split: split, cfg: cfg, size: size, labeled: labeled,
		positives: newOrder(0, numLabeled, cfg.Seed, positiveStream),
		rest:      newOrder(numLabeled, numUnlabeled, cfg.Seed, unlabeledStream)}, nil
}

// String describes the batches for the record of a result: the data, and how they are drawn from it.
func (s *Schedule) String() string {
	return fmt.Sprintf("%s; batches of %d, share of labeled %g, seed %d", s.split, s.size, s.cfg.Share, s.cfg.Seed)
}

// Size returns the number of examples in a batch.
func (s *Schedule) Size() int { return s.size }

// StepsPerEpoch returns the least number of steps after which every example has been drawn, or, with a share above 0,
// every unlabeled one. The last of these steps may belong to the next epoch in part.
func (s *Schedule) StepsPerEpoch() int {
	perStep := s.size - s.labeled
	return (s.rest.count + perStep - 1) / perStep
}

// Rows returns the examples of a step's batch by their numbers in the PU data; for the rows of the data set go through
// Split.Index. Steps count from 0; a negative one panics, as an index does.
func (s *Schedule) Rows(step int) []int {
	if step < 0 {
		panic(fmt.Sprintf("datasets: batch of step %d: steps count from 0", step))
	}
	rows := make([]int, s.size)
	if s.labeled > 0 {
		s.positives.fill(rows[:s.labeled], uint64(step)*uint64(s.labeled))
	}
	unforced := rows[s.labeled:]
	s.rest.fill(unforced, uint64(step)*uint64(len(unforced)))
	return rows
}
