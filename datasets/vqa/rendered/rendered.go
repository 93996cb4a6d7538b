// Package rendered makes questions about pictures that it draws itself: shapes of four colors in the four corners of a small image,
// questions about their colors, forms, numbers and places by templates, a caption of every image, and ten people's answers, who
// disagree as often as one asks them to. The answers are in the currency of the package vqa, and are judged by its [vqa.Set.Score].
//
// With the questions of VQA v2 nobody knows which captions are wrong. Here a dial says how many images come with the caption of
// another one: false positives for whoever learns that an image and its text belong together.
package rendered

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/puclab/puclab/datasets/vqa"
)

// Config says what is drawn. The zero value gives 1,000 images of 32×32 with four questions each, on which all people agree and whose
// captions are all their own.
type Config struct {
	Images    int // 0 means 1,000
	Questions int // to each image; 0 means 4
	Edge      int // of an image in pixels, at least 16; 0 means 32

	// Disagreement is the chance that a person gives an answer of the same kind drawn at random from the wrong ones, 0 to below 1.
	Disagreement float64
	// FalsePositives is the share of images whose caption is that of another image, 0 to 1. Questions and answers are always
	// about the image that they come with. Images and questions are the same whatever the share is, and those that have
	// another caption at a lower share have one at a higher share, too.
	FalsePositives float64

	Seed uint64 // used as given, 0 included
}

// Set is a set of images with captions, questions and answers. Question j belongs to image Examples[j].ImageID, counted from 0.
type Set struct {
	vqa.Set
	Edge      int
	Pixels    []uint8  // [images, Edge, Edge, 3], 0 to 255
	Scenes    []Scene  // what the images show
	Captions  []string // that come with the images
	CaptionOf []int    // of which image each caption is; its own where nothing is false
}

// Len returns the number of images.
func (s *Set) Len() int { return len(s.Scenes) }

// Shape returns the size of every image.
func (s *Set) Shape() (height, width, channels int) { return s.Edge, s.Edge, 3 }

// ReadImage writes the pixels of image i to dst, which has room for exactly one image.
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

// The streams keep the draws of one seed apart.
const (
	sceneStream = 0x76716100 + iota // "vqa" in ASCII
	questionStream
	peopleStream
	captionStream
)

// Make draws a set. One seed gives one set; image i and its questions are the same in larger sets of that seed.
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

// caption writes the captions, and gives the wrong ones to as many images as asked for.
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
