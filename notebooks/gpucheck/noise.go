package main

import "math/rand/v2"

// noise hands out the same batch of random pixels at every step, of which every fourth image is labeled. To time a step no
// more is needed.
type noise struct {
	height, width, channels int
	pixels                  []uint8
	labeled                 []bool
}

// newNoise draws a batch of b images.
func newNoise(b, height, width, channels int) *noise {
	n := &noise{height: height, width: width, channels: channels,
		pixels: make([]uint8, b*height*width*channels), labeled: make([]bool, b)}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range n.pixels {
		n.pixels[i] = uint8(rng.UintN(256))
	}
	for i := range n.labeled {
		n.labeled[i] = i%4 == 0
	}
	return n
}

// Batch implements train.Batches.
func (n *noise) Batch(int) ([]uint8, []bool, error) { return n.pixels, n.labeled, nil }

// ImageShape implements train.Batches.
func (n *noise) ImageShape() (height, width, channels int) { return n.height, n.width, n.channels }

// String tells the run's record what it learned from.
func (n *noise) String() string { return "random pixels" }
