// Package rendered generates synthetic visual questions. Small images have shapes of four colors in the four corners.
// Template questions ask about colors, forms, numbers and places. Every image has a caption, and ten people, with a
// given rate of disagreement, answer each question. The answers have the types of package vqa, and [vqa.Set.Score]
// evaluates them.
//
// In VQA v2 the wrong captions are unknown. Here a parameter sets the share of images with the caption of another
// image: false positives for learning that matches images and texts.
package rendered

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/puclab/puclab/datasets/vqa"
)

// Config sets the size and noise of the set. The zero value gives 1,000 images of 32×32 with four questions each,
// unanimous answers and correct captions.
type Config struct {
	Images    int // 0 means 1,000
	Questions int // per image; 0 means 4
	Edge      int // of an image in pixels, at least 16; 0 means 32

	// Disagreement is the probability that a person gives a random wrong answer of the same kind, 0 to below 1.
	Disagreement float64
	// FalsePositives is the share of images with the caption of another image, 0 to 1. Questions and answers always
	// refer to their own image. Images and questions do not depend on the share, and the images with another caption at
	// one share are among those at a higher share.
	FalsePositives float64

	Seed uint64 // used as given, 0 included
}

// Set is a set of images with captions, questions and answers. Question j belongs to image Examples[j].ImageID, counted from 0.
type Set struct {
	vqa.Set
	Edge      int
	Pixels    []uint8  // [images, Edge, Edge, 3], 0 to 255
	Scenes    []Scene  // content of the images
	Captions  []string // captions of the images
	CaptionOf []int    // image described by each caption
}

// Len returns the number of images.
func (s *Set) Len() int { return len(s.Scenes) }

// Shape returns the size of every image.
func (s *Set) Shape() (height, width, channels int) { return s.Edge, s.Edge, 3 }

// ReadImage writes the pixels of image i to dst, which has the size of exactly one image.
func (s *Set) ReadImage(i int, dst []uint8) error {
	size := s.Edge * s.Edge * 3
	if i < 0 || i >= s.Len() {
		return fmt.Errorf("rendered: there is no image %d; the set has %d images, numbered from 0", i, s.Len())
	}
	if len(dst) != size {
		return fmt.Errorf("rendered: room for %d pixel values given, but an image has %d; make room for one image", len(dst), size)
	}
	copy(dst, s.Pixels[i*size:(i+1)*size])
	return nil
}

// Random streams of one seed.
const (
	sceneStream = 0x76716100 + iota // "vqa" in ASCII
	questionStream
	peopleStream
	captionStream
)

// Make draws a set. One seed gives one set; image i and its questions are the same in larger sets with that seed.
func Make(c Config) (*Set, error) {
	c.Images, c.Questions, c.Edge = cmp.Or(c.Images, 1000), cmp.Or(c.Questions, 4), cmp.Or(c.Edge, 32)
	switch {
	case c.Images < 1 || c.Questions < 1:
		return nil, fmt.Errorf("rendered: %d images with %d questions each; both must be at least 1, or 0 for the default", c.Images, c.Questions)
	case c.Edge < 16 || c.Edge > 1024:
		return nil, fmt.Errorf("rendered: images of %d pixels a side; shapes can be told apart from 16 on, and more than 1024 are not drawn", c.Edge)
	case !(c.Disagreement >= 0 && c.Disagreement < 1):
		return nil, fmt.Errorf("rendered: disagreement %g; it is the chance of a wrong answer and must be at least 0 and below 1", c.Disagreement)
	case !(c.FalsePositives >= 0 && c.FalsePositives <= 1):
		return nil, fmt.Errorf("rendered: a share of false positives of %g; it must lie between 0 and 1", c.FalsePositives)
	case c.FalsePositives > 0 && c.Images < 2:
		return nil, fmt.Errorf("rendered: the caption of another image, of 1 image; make at least 2, or leave FalsePositives 0")
	}
	s := &Set{Edge: c.Edge, Pixels: make([]uint8, 0, c.Images*c.Edge*c.Edge*3)}
	for i := range c.Images {
		rng := func(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(c.Seed^stream<<32, uint64(i))) }
		drawing := rng(sceneStream)
		scene := drawScene(drawing)
		s.Scenes = append(s.Scenes, scene)
		s.Pixels = append(s.Pixels, scene.paint(drawing, c.Edge)...)
		asking, people := rng(questionStream), rng(peopleStream)
		for q := range c.Questions {
			s.Examples = append(s.Examples, ask(asking, people, scene, int64(i), int64(i*c.Questions+q), c.Disagreement))
		}
	}
	return s, s.caption(c)
}

// caption writes the captions, and gives wrong ones to the requested number of images.
func (s *Set) caption(c Config) error {
	var err error
	if s.CaptionOf, err = vqa.Misplace(s.Len(), c.FalsePositives, rand.New(rand.NewPCG(c.Seed, captionStream))); err != nil {
		return err
	}
	for _, of := range s.CaptionOf {
		s.Captions = append(s.Captions, s.Scenes[of].Caption())
	}
	return nil
}
