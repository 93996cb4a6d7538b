package folder

import (
	"cmp"
	"fmt"
	"math"

	"github.com/puclab/puclab/datasets/internal/classes"
	"github.com/puclab/puclab/datasets/internal/enum"
)

// Fit says how an image of another shape is brought to the wanted one.
type Fit int

const (
	// Crop takes the largest part in the middle that has the wanted shape, and scales it: nothing is distorted, the ends
	// of the longer side are lost.
	Crop Fit = iota
	// Stretch scales the whole image: nothing is lost, proportions change.
	Stretch
)

var fitNames = enum.Names[Fit]{Names: []string{"crop", "stretch"}}

// String returns "crop" or "stretch".
func (f Fit) String() string { return fitNames.String(f) }

const maxSide = 1 << 14

// Config says what becomes of the images. The zero value gives 224×224 pixels in color.
type Config struct {
	// Height and Width are the size of every image, in pixels, at most 16,384; 0 means as the other one, and 224 if both
	// are 0. Scaling is bilinear; to a smaller size all pixels are averaged in, so that nothing flickers.
	Height, Width int
	// Fit says what to do with an image of another shape.
	Fit Fit
	// Gray gives one channel, the luminance by ITU-R BT.601, instead of red, green and blue.
	Gray bool
	// MaxPixels is the largest number of pixels that an image may have in its file; 0 means 64 million. Decoding takes up
	// to 15 bytes for each, in every goroutine that reads. No side may be longer than 65,535.
	MaxPixels int
	// MaxBytes is the largest length of a file; 0 means 64 MiB.
	MaxBytes int64
	// Names gives classes other names than those of their folders, by the folder's name. Nil, and folders that are
	// not in it, keep the folder's name.
	Names map[string]string
}

// withDefaults returns c with numbers in place of zeros.
func (c Config) withDefaults() (Config, error) {
	c.Height = cmp.Or(c.Height, c.Width, 224)
	c.Width = cmp.Or(c.Width, c.Height)
	c.MaxPixels = cmp.Or(c.MaxPixels, 64_000_000)
	c.MaxBytes = cmp.Or(c.MaxBytes, 64<<20)
	switch {
	case c.Height < 1 || c.Width < 1 || c.Height > maxSide || c.Width > maxSide:
		return c, fmt.Errorf("folder: images of %d×%d pixels: each side must be 1 to %d", c.Height, c.Width, maxSide)
	case fitNames.Check(c.Fit) != nil:
		return c, fmt.Errorf("folder: unknown fit %v: use Crop or Stretch", c.Fit)
	case c.MaxPixels < 0 || c.MaxBytes < 0:
		return c, fmt.Errorf("folder: limits of %d pixels and %d bytes: give positive ones, or 0 for the defaults",
			c.MaxPixels, c.MaxBytes)
	}
	c.MaxBytes = min(c.MaxBytes, math.MaxInt64-1) // reading takes one byte more, to see that a file is too long
	return c, nil
}

// shape returns the size of every image, once defaults are filled in.
func (c Config) shape() (height, width, channels int) {
	if c.Gray {
		return c.Height, c.Width, 1
	}
	return c.Height, c.Width, 3
}

// Imagenette returns the names of the ten classes of Imagenette, by the names of their folders: for Config.Names.
//
// Source: Howard, "Imagenette", github.com/fastai/imagenette.
func Imagenette() map[string]string { return byFolder(classes.ImagenetteFolders, classes.Imagenette) }

// Imagewoof returns the names of the ten classes of Imagewoof, ten breeds of dogs, by the names of their folders. The
// source is that of [Imagenette].
func Imagewoof() map[string]string { return byFolder(classes.ImagewoofFolders, classes.Imagewoof) }

func byFolder(folders, names []string) map[string]string {
	all := map[string]string{}
	for i, folder := range folders {
		all[folder] = names[i]
	}
	return all
}
