package folder

import (
	"cmp"
	"fmt"
	"math"

	"github.com/puclab/puclab/datasets/internal/classes"
	"github.com/puclab/puclab/datasets/internal/enum"
)

// Fit is the method of fitting an image to another aspect ratio.
type Fit int

const (
	// Crop scales the largest central part with the requested aspect ratio: no distortion, but the ends of the longer
	// side are lost.
	Crop Fit = iota
	// Stretch scales the whole image: nothing is lost, but proportions change.
	Stretch
)

var fitNames = enum.Names[Fit]{Names: []string{"crop", "stretch"}}

// String returns "crop" or "stretch".
func (f Fit) String() string { return fitNames.String(f) }

const maxSide = 1 << 14

// Config sets the size and format of the images. The zero value gives 224×224 pixels in color.
type Config struct {
	// Height and Width are the size of every image, in pixels, at most 16,384. If one is 0 it equals the other; 224 if
	// both are 0. Scaling is bilinear; downscaling averages all pixels, which avoids aliasing.
	Height, Width int
	// Fit is the method for an image of another aspect ratio.
	Fit Fit
	// Gray selects one channel, the luminance by ITU-R BT.601, instead of red, green and blue.
	Gray bool
	// MaxPixels is the largest number of pixels of an image in its file; 0 means 64 million. Decoding takes up to 15
	// bytes per pixel, in every reading goroutine. No side may be longer than 65,535.
	MaxPixels int
	// MaxBytes is the largest length of a file; 0 means 64 MiB.
	MaxBytes int64
	// Names maps folder names to class names. Folders that are not in it keep their names.
	Names map[string]string
}

// withDefaults returns c with defaults set.
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
	c.MaxBytes = min(c.MaxBytes, math.MaxInt64-1) // reading takes one byte more, to detect a file that is too long
	return c, nil
}

// shape returns the size of every image; defaults must be set.
func (c Config) shape() (height, width, channels int) {
	if c.Gray {
		return c.Height, c.Width, 1
	}
	return c.Height, c.Width, 3
}

// Imagenette returns the names of the ten classes of Imagenette by folder name, for Config.Names.
//
// Source: Howard, "Imagenette", github.com/fastai/imagenette.
func Imagenette() map[string]string { return byFolder(classes.ImagenetteFolders, classes.Imagenette) }

// Imagewoof returns the names of the ten classes of Imagewoof, dog breeds, by folder name. The source is that of
// [Imagenette].
func Imagewoof() map[string]string { return byFolder(classes.ImagewoofFolders, classes.Imagewoof) }

func byFolder(folders, names []string) map[string]string {
	all := map[string]string{}
	for i, folder := range folders {
		all[folder] = names[i]
	}
	return all
}
