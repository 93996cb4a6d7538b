package datasets

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"
)

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

func newOrder(first, count int, seed, stream uint64) *order {
	return &order{first: first, count: count, seed: seed, stream: stream}
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
