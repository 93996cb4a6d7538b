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

// BatchConfig configures the batches of [NewBatches] and [NewSchedule].
type BatchConfig struct {
	Size  int     // examples in a batch; 0 means 256
	Share float64 // share of labeled positives in each batch, at least 0 and below 1; 0 means not fixed
	Seed  uint64  // of the order; used as given, 0 included
}

// Schedule determines the examples in the batch of each training step.
//
// The batch depends only on the data, the configuration and the number of the step. Steps may be requested in any
// order, and a resumed run gets the same batches. A schedule is safe for concurrent use.
//
// With Share 0 all examples are shuffled for each epoch, and the concatenated epochs are cut into batches. With a Share
// above 0 the first round(Share·Size) examples of every batch are labeled positives and the others are unlabeled; each
// kind has its own order and epochs. A batch can therefore span two epochs and hold an example twice. If fewer
// positives are labeled than a batch needs, they occur several times in it. Within an epoch every example is drawn
// exactly once.
type Schedule struct {
	split           *Split
	cfg             BatchConfig // as given
	size, labeled   int         // examples in a batch, and the fixed number of labeled ones
	positives, rest *order      // positives is nil where labeled is 0
}

// NewSchedule returns the batches of split. For images use [NewBatches], which also provides the pixels.
//
// It is an error if Size is negative or greater than the number of examples that fill it, if Share is not in [0, 1), or
// if a Share above 0 gives no labeled or no unlabeled example in a batch or has no labeled positives.
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
		fault.If(!(cfg.Share >= 0 && cfg.Share < 1), // this form also rejects NaN
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

// String describes the data and the batches for the record of a result.
func (s *Schedule) String() string {
	return fmt.Sprintf("%s; batches of %d, share of labeled %g, seed %d", s.split, s.size, s.cfg.Share, s.cfg.Seed)
}

// Size returns the number of examples in a batch.
func (s *Schedule) Size() int { return s.size }

// StepsPerEpoch returns the smallest number of steps after which every example has been drawn, or with a share above 0
// every unlabeled one. The last step may partly belong to the next epoch.
func (s *Schedule) StepsPerEpoch() int {
	perStep := s.size - s.labeled
	return (s.rest.count + perStep - 1) / perStep
}

// Rows returns the examples of a step's batch by their numbers in the PU data; Split.Index maps them to rows of the
// data set. Steps count from 0; a negative one panics.
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

// Random streams of one seed.
const (
	allStream = iota
	positiveStream
	unlabeledStream
)

// order is an endless sequence of the numbers first to first+count-1: one random permutation per epoch. The number at a
// position depends only on the position.
type order struct {
	first, count int
	seed, stream uint64

	mu sync.Mutex // guards the cache
	// The permutations of two epochs: at the end of an epoch, several goroutines use both in turn.
	kept [2]permutation
}

type permutation struct {
	epoch   uint64
	numbers []int // nil if not cached yet
}

// fill sets out to the numbers at positions start, start+1, and so on.
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
		// ChaCha8 takes a key of 32 bytes, which holds seed, stream and epoch separately.
		var key [32]byte
		binary.LittleEndian.PutUint64(key[0:], o.seed)
		binary.LittleEndian.PutUint64(key[8:], o.stream)
		binary.LittleEndian.PutUint64(key[16:], epoch)
		*kept = permutation{epoch: epoch, numbers: rand.New(rand.NewChaCha8(key)).Perm(o.count)}
	}
	return kept.numbers
}
