package datasets

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/puclab/puclab/internal/fault"
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
		fault.If(size < 0, "datasets: a batch of %d examples: give a positive size, or 0 for %d", size, defaultBatchSize),
		fault.If(!(cfg.Share >= 0 && cfg.Share < 1), // this form also refuses NaN
			"datasets: a share of %v labeled positives: give at least 0 and less than 1", cfg.Share),
		fault.If(!forced && size > split.Len(),
			"datasets: a batch of %d examples, but there are only %d: use a smaller size", size, split.Len()),
		fault.If(forced && numLabeled == 0,
			"datasets: a share of %v labeled positives, but none is labeled: use a share of 0", cfg.Share),
		fault.If(forced && (labeled == 0 || labeled == size), "datasets: a share of %v of a batch of %d comes to %d labeled "+
			"positives and %d unlabeled examples: both must be at least 1, so use a larger size or another share",
			cfg.Share, size, labeled, size-labeled),
		fault.If(size-labeled > numUnlabeled && forced,
			"datasets: a batch with %d unlabeled examples, but there are only %d: use a smaller size", size-labeled, numUnlabeled))
	if err != nil {
		return nil, err
	}
	if !forced {
		return &Schedule{split: split, cfg: cfg, size: size, rest: &order{count: split.Len(), seed: cfg.Seed, stream: allStream}}, nil
	}
	return &Schedule{split: split, cfg: cfg, size: size, labeled: labeled,
		positives: &order{count: numLabeled, seed: cfg.Seed, stream: positiveStream},
		rest:      &order{first: numLabeled, count: numUnlabeled, seed: cfg.Seed, stream: unlabeledStream}}, nil
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

// The streams keep the orders of one seed apart.
const (
	allStream = iota
	positiveStream
	unlabeledStream
)

// order is an endless sequence of the numbers first to first+count-1: one random permutation of them for each epoch.
// What stands at a position follows from the position alone.
type order struct {
	first, count int
	seed, stream uint64

	mu sync.Mutex // guards what is kept from the last uses
	// The permutations of two epochs: where one epoch ends, several goroutines ask for both in turn.
	kept [2]permutation
}

type permutation struct {
	epoch   uint64
	numbers []int // nil where none is kept yet
}

// fill sets out to what stands at start, start+1, and so on.
func (o *order) fill(out []int, start uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range out {
		position := start + uint64(i)
		numbers := o.permutation(position / uint64(o.count))
		out[i] = o.first + numbers[position%uint64(o.count)]
	}
}

// permutation returns the permutation of an epoch. The caller holds the lock.
func (o *order) permutation(epoch uint64) []int {
	kept := &o.kept[epoch%2]
	if kept.numbers == nil || kept.epoch != epoch {
		// ChaCha8 takes a key of 32 bytes, so that seed, stream and epoch each have a place of their own in it.
		var key [32]byte
		binary.LittleEndian.PutUint64(key[0:], o.seed)
		binary.LittleEndian.PutUint64(key[8:], o.stream)
		binary.LittleEndian.PutUint64(key[16:], epoch)
		*kept = permutation{epoch: epoch, numbers: rand.New(rand.NewChaCha8(key)).Perm(o.count)}
	}
	return kept.numbers
}
