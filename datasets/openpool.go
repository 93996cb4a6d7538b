package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/internal/fault"
)

// OpenPoolConfig configures [NewOpenPool].
type OpenPoolConfig struct {
	PerClass int     // images of each class, at most all that are left; 0 means none
	From     *Images // source of outliers, resized by [Refit]; nil for none
	Outliers int     // number of outliers; 0 means none
	Seed     uint64  // of the draws and of the order; used as given, 0 included
}

// Outlier is the name of the class of outliers in [NewOpenPool], the last one.
const Outlier = "outlier"

// NewOpenPool returns a sampling pool for a long-tailed seed set: images of all its classes, rare ones included, among
// those left over by the long tail, and outliers, in a random order. The argument rest holds rows of images, such as
// [LongTail.Rest]. The classes of the pool are those of images and then [Outlier]; they serve evaluation, and sampling
// must not use them. One seed gives the same draws on every platform, and a smaller number takes a subset of the images
// of a larger one.
//
// It is an error if the pool would be empty, if there are fewer outliers than requested, or if a row does not exist.
func NewOpenPool(images *Images, rest []int, cfg OpenPoolConfig) (*Images, error) {
	if err := images.Validate(); err != nil {
		return nil, err
	}
	have := 0
	if cfg.From != nil {
		if err := cfg.From.Validate(); err != nil {
			return nil, err
		}
		have = cfg.From.Len()
	}
	if err := cmp.Or(
		fault.If(cfg.PerClass < 0 || cfg.Outliers < 0 || cfg.PerClass+cfg.Outliers == 0,
			"datasets: an open pool of %d images of each class and %d outliers: give at least 1 of either", cfg.PerClass, cfg.Outliers),
		fault.If(cfg.Outliers > have, "datasets: an open pool with %d outliers out of %d images: ask for fewer, or give more in From",
			cfg.Outliers, have)); err != nil {
		return nil, err
	}
	labels := make([]int, len(rest))
	for i, row := range rest {
		if row < 0 || row >= images.Len() {
			return nil, fmt.Errorf("datasets: an open pool of image %d of %d, numbered from 0: give rows of the same set, such as LongTail.Rest",
				row, images.Len())
		}
		labels[i] = images.Labels[row]
	}
	byClass, err := rowsByClass(labels, len(images.Classes))
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(cfg.Seed, openPoolStream))
	var rows []int
	for _, of := range byClass {
		for _, i := range shuffled(of, rng)[:min(cfg.PerClass, len(of))] {
			rows = append(rows, rest[i])
		}
	}
	pool, err := images.Select(rows)
	if err != nil {
		return nil, err
	}
	pool.Classes = append(slices.Clone(images.Classes), Outlier)
	if cfg.Outliers > 0 {
		from, err := cfg.From.Select(rng.Perm(have)[:cfg.Outliers])
		if err != nil {
			return nil, err
		}
		if from, err = Refit(from, images.Height, images.Width, images.Channels); err != nil {
			return nil, err
		}
		pool.Pixels = append(pool.Pixels, from.Pixels...)
		pool.Labels = append(pool.Labels, slices.Repeat([]int{len(images.Classes)}, cfg.Outliers)...)
	}
	return pool.Select(rng.Perm(pool.Len()))
}

// openPoolStream separates the random stream of NewOpenPool from other streams of the same seed.
const openPoolStream = 0x6f70656e706f6f6c // "openpool" in ASCII

// Refit returns the images in another shape without scaling: longer sides are cropped equally at both ends, shorter
// ones are padded with black, with the odd pixel at the far end. Color becomes gray by luminance, and gray becomes
// color with three equal channels.
//
// It is an error if the images are not valid, a size is below 1, or the numbers of channels are not 1 and 3, or equal.
//
// Source: recommendation ITU-R BT.601 for luminance, 0.299 red + 0.587 green + 0.114 blue.
func Refit(images *Images, height, width, channels int) (*Images, error) {
	if err := images.Validate(); err != nil {
		return nil, err
	}
	if height < 1 || width < 1 || channels < 1 {
		return nil, errImageShape(height, width, channels)
	}
	one, three := images.Channels, channels
	if one != three && !(one == 1 && three == 3 || one == 3 && three == 1) {
		return nil, fmt.Errorf("datasets: images of %d channels cannot become images of %d: gray has 1 and color 3", one, three)
	}
	out := &Images{Height: height, Width: width, Channels: channels, Labels: slices.Clone(images.Labels), Classes: images.Classes,
		Pixels: make([]uint8, images.Len()*height*width*channels)}
	// Position of the new image's first pixel in the old one; outside if negative.
	top, left := (images.Height-height)/2, (images.Width-width)/2 // toward zero
	for i := range images.Len() {
		from, to := images.At(i), out.At(i)
		for y := max(0, -top); y < min(height, images.Height-top); y++ {
			for x := max(0, -left); x < min(width, images.Width-left); x++ {
				recolor(to[(y*width+x)*channels:][:channels], from[((y+top)*images.Width+x+left)*images.Channels:][:images.Channels])
			}
		}
	}
	return out, nil
}

// recolor writes a pixel with another number of channels.
func recolor(to, from []uint8) {
	switch {
	case len(to) == len(from):
		copy(to, from)
	case len(to) == 3:
		to[0], to[1], to[2] = from[0], from[0], from[0]
	default: // in thousandths, rounded
		to[0] = uint8((299*int(from[0]) + 587*int(from[1]) + 114*int(from[2]) + 500) / 1000)
	}
}

// Mosaics returns outliers made of the images themselves, if no others exist. Each consists of quarters of four images
// of four different classes, each quarter rotated by 180 degrees, so that local structure is kept but no whole object
// is shown. All are of one class, named [Outlier].
//
// It is an error if the images are not valid, smaller than 2×2 or of fewer than four classes, or if count is negative.
func Mosaics(images *Images, count int, seed uint64) (*Images, error) {
	if err := images.Validate(); err != nil {
		return nil, err
	}
	byClass, err := rowsByClass(images.Labels, len(images.Classes))
	if err != nil {
		return nil, err
	}
	byClass = slices.DeleteFunc(byClass, func(rows []int) bool { return len(rows) == 0 })
	if err := cmp.Or(
		fault.If(count < 0, "datasets: %d mosaics: give 0 or more", count),
		fault.If(len(byClass) < 4, "datasets: mosaics of images of %d classes: they take images of at least 4", len(byClass))); err != nil {
		return nil, err
	}
	height, width, channels := images.Height, images.Width, images.Channels
	if height < 2 || width < 2 {
		return nil, errors.New("datasets: mosaics of images smaller than 2×2 pixels: give larger ones")
	}
	rng := rand.New(rand.NewPCG(seed, mosaicStream))
	out := &Images{Height: height, Width: width, Channels: channels, Classes: []string{Outlier}, Labels: make([]int, count),
		Pixels: make([]uint8, count*images.imageSize())}
	for i := range count {
		to := out.At(i)
		for quarter, class := range rng.Perm(len(byClass))[:4] {
			from := images.At(byClass[class][rng.IntN(len(byClass[class]))])
			top, bottom, left, right := 0, height/2, 0, width/2
			if quarter >= 2 {
				top, bottom = height/2, height
			}
			if quarter%2 == 1 {
				left, right = width/2, width
			}
			for y := top; y < bottom; y++ {
				for x := left; x < right; x++ {
					turned := (top+bottom-1-y)*width + left + right - 1 - x
					copy(to[(y*width+x)*channels:][:channels], from[turned*channels:][:channels])
				}
			}
		}
	}
	return out, nil
}

// mosaicStream separates the random stream of Mosaics from other streams of the same seed.
const mosaicStream = 0x6d6f73616963 // "mosaic" in ASCII
