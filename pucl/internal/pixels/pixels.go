// Package pixels checks images in the form of concatenated bytes.
package pixels

import (
	"bytes"
	"fmt"

	"github.com/puclab/puclab/pucl/augment"
)

// Bytes returns the number of bytes of an image of that shape.
func Bytes(s augment.Shape) int { return s.Height * s.Width * s.Channels }

// Count returns the number of images in pixels. It returns an error if there are none or a partial one. what names the
// images, such as "images" or "test images".
func Count(pixels []uint8, what string, shape augment.Shape) (int, error) {
	size := Bytes(shape)
	if len(pixels) == 0 || len(pixels)%size != 0 {
		return 0, fmt.Errorf("%d bytes are no whole number of %s of %d×%d×%d (height×width×channels), at least one; "+
			"each takes %d bytes", len(pixels), what, shape.Height, shape.Width, shape.Channels, size)
	}
	return len(pixels) / size, nil
}

// CheckLabeled returns the error of [Count], or an error if labels differs from the number of images. what names the
// labels.
func CheckLabeled(pixels []uint8, labels int, images, what string, shape augment.Shape) error {
	n, err := Count(pixels, images, shape)
	if err == nil && n != labels {
		err = fmt.Errorf("%d %s of %d×%d×%d (height×width×channels) and %d %s; give one for each image, in the same order",
			n, images, shape.Height, shape.Width, shape.Channels, labels, what)
	}
	return err
}

// AllSame reports whether all examples of size bytes each are the same.
func AllSame(examples []uint8, size int) bool {
	for at := size; at < len(examples); at += size {
		if !bytes.Equal(examples[:size], examples[at:at+size]) {
			return false
		}
	}
	return true
}

// At returns the bytes of image i, of images of size bytes each.
func At(pixels []uint8, i, size int) []uint8 { return pixels[i*size : (i+1)*size : (i+1)*size] }

// Pick returns the images of pixels, of size bytes each, at index.
func Pick(pixels []uint8, index []int, size int) []uint8 {
	out := make([]uint8, 0, len(index)*size)
	for _, i := range index {
		out = append(out, At(pixels, i, size)...)
	}
	return out
}
