package pu

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"image"
	"image/color"
	"io/fs"
	"slices"

	"github.com/puclab/puclab/datasets/folder"
)

// openNamed opens a folder with names of classes, which do not affect the size of its images.
func openNamed(fsys fs.FS, c folder.Config, named map[string]string) (*folder.Set, error) {
	c.Names = named
	return folder.Open(fsys, c)
}

// sizeOf returns the size of the first image of a folder, at most 64 pixels a side, and whether c or the first image of
// every class is gray.
func sizeOf(fsys fs.FS, c folder.Config, named map[string]string) (height, width int, gray bool, err error) {
	set, err := openNamed(fsys, c, named)
	if err != nil {
		return 0, 0, false, err
	}
	gray = true
	seen := make([]bool, len(set.Classes))
	for i, class := range set.Labels {
		if seen[class] {
			continue
		}
		file, err := fsys.Open(set.Path(i))
		if err != nil { // a broken file is reported, or skipped, when all are read
			continue
		}
		start := bufio.NewReader(file)
		head, _ := start.Peek(26) // fewer bytes are no image
		kind := slices.Clone(head)
		first, _, err := image.DecodeConfig(start)
		file.Close()
		if err != nil {
			continue
		}
		seen[class] = true
		gray = gray && isGray(first.ColorModel, kind)
		if height == 0 {
			height, width = first.Height, first.Width
		}
	}
	const most = 64
	if longest := max(height, width); longest > most {
		height, width = max(height*most/longest, 1), max(width*most/longest, 1)
	}
	if height == 0 { // no file can be decoded: the error lists all
		_, err = set.Load(context.Background())
		return 0, 0, false, cmp.Or(err, errors.New("no image can be read"))
	}
	return height, width, c.Gray || gray, nil
}

// isGray reports whether an image with this color model and these first 26 bytes of its file has no color: gray, with
// or without transparency, or a palette of grays.
func isGray(model color.Model, head []byte) bool {
	if palette, ok := model.(color.Palette); ok {
		return !slices.ContainsFunc(palette, func(c color.Color) bool {
			r, g, b, _ := c.RGBA()
			return r != g || g != b
		})
	}
	const grayAlpha = 4 // the color type in byte 25 of a PNG file
	return model == color.GrayModel || model == color.Gray16Model ||
		bytes.HasPrefix(head, []byte("\x89PNG")) && len(head) == 26 && head[25] == grayAlpha
}
