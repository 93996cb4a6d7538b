package folder

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // for image.Decode
	_ "image/png"
	"io"
	"io/fs"

	"github.com/puclab/puclab/datasets/internal/check"
	"golang.org/x/image/draw"
)

// ReadImage decodes image i, brings it to the size of the set and writes its pixels to dst. What the file holds, JPEG or
// PNG, is told by its first bytes and not by its name. Gray images, CMYK and 16-bit ones become 8-bit RGB, or gray where
// the set is.
func (s *Set) ReadImage(i int, dst []uint8) error {
	height, width, channels := s.Shape()
	if err := check.Image(i, s.Len(), len(dst), height*width*channels); err != nil {
		return fmt.Errorf("folder: %w", err)
	}
	img, err := s.decode(s.files[i])
	if err != nil {
		return fmt.Errorf("folder: %s: %w", s.files[i].path, err)
	}
	s.cfg.fit(dst, img)
	return nil
}

// maxFileSide is the longest side of an image that a JPEG file can have. Longer ones, of PNG files, are refused, because
// scaling takes memory in proportion.
const maxFileSide = 1<<16 - 1

func (s *Set) decode(f imageFile) (image.Image, error) {
	data, err := readLimited(f, s.cfg.MaxBytes)
	if err != nil {
		return nil, err
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	known := format == "jpeg" || format == "png"
	if errors.Is(err, image.ErrFormat) || err == nil && !known { // a program may know more formats
		return nil, fmt.Errorf("neither a JPEG nor a PNG file: it starts with % x", data[:min(8, len(data))])
	}
	if err != nil {
		return nil, err
	}
	// Sizes fit 32 bits in both formats, so their product fits 64.
	pixels := int64(config.Width) * int64(config.Height)
	switch {
	case pixels == 0:
		return nil, fmt.Errorf("an image of %d×%d pixels", config.Width, config.Height)
	case config.Width > maxFileSide || config.Height > maxFileSide:
		return nil, fmt.Errorf("%d×%d pixels: a side is longer than %d", config.Width, config.Height, maxFileSide)
	case pixels > int64(s.cfg.MaxPixels):
		return nil, fmt.Errorf("%d×%d pixels are more than the %d allowed: raise Config.MaxPixels if it is to be read",
			config.Width, config.Height, s.cfg.MaxPixels)
	case pixels > pixelsPerByte(format, config.ColorModel)*int64(len(data)):
		return nil, fmt.Errorf("it says that it has %d×%d pixels, but %d bytes cannot hold them: it is damaged or a trap",
			config.Width, config.Height, len(data))
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	return img, err
}

// readLimited reads a file, growing with the bytes that come.
func readLimited(f imageFile, limit int64) (data []byte, err error) {
	file, err := f.fsys.Open(f.path)
	if err != nil {
		return nil, bare(err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, bare(err)
	case info.Size() > limit:
		return nil, fmt.Errorf("%d bytes are more than the %d allowed: raise Config.MaxBytes if it is to be read",
			info.Size(), limit)
	}
	data, err = io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("more than the %d bytes allowed", limit)
	}
	return data, bare(err)
}

// bare takes the path out of an error; the caller gives it.
func bare(err error) error {
	if failed := new(fs.PathError); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// pixelsPerByte returns how many pixels one byte of a JPEG or PNG file can stand for at most. A whole image is never far
// from a file that is shorter; a header that lies is.
func pixelsPerByte(format string, model color.Model) int64 {
	const deflate = 1040 // bytes that one compressed byte of a PNG file stands for: 1,032 and a little for the ends
	switch {
	case format == "jpeg":
		return 1024 // a block of 64 pixels takes a bit at least; twice that to be safe
	case model == color.RGBAModel:
		return deflate / 3 // bytes of a pixel
	case model == color.RGBA64Model:
		return deflate / 6
	}
	return deflate * 8 // a bit for a pixel
}

// fit brings img to the wanted size and writes it to dst.
func (c Config) fit(dst []uint8, img image.Image) {
	canvas := image.NewRGBA(image.Rect(0, 0, c.Width, c.Height))
	op := draw.Src
	if opaque, ok := img.(interface{ Opaque() bool }); !ok || !opaque.Opaque() {
		draw.Draw(canvas, canvas.Bounds(), image.White, image.Point{}, draw.Src)
		op = draw.Over
	}
	draw.BiLinear.Scale(canvas, canvas.Bounds(), img, c.part(img.Bounds()), op, nil)
	for i := range c.Width * c.Height {
		r, g, b := canvas.Pix[4*i], canvas.Pix[4*i+1], canvas.Pix[4*i+2]
		if c.Gray {
			// 0.299, 0.587 and 0.114 in units of 1/65536; they add up to 1.
			dst[i] = uint8((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
		} else {
			dst[3*i], dst[3*i+1], dst[3*i+2] = r, g, b
		}
	}
}

// part returns what of an image is kept.
func (c Config) part(whole image.Rectangle) image.Rectangle {
	if c.Fit == Stretch {
		return whole
	}
	width, height := whole.Dx(), whole.Dy()
	// The largest part of the shape Width:Height; each side at least one pixel.
	if width*c.Height > height*c.Width {
		width = max(1, (height*c.Width+c.Height/2)/c.Height)
	} else {
		height = max(1, (width*c.Height+c.Width/2)/c.Width)
	}
	corner := whole.Min.Add(image.Pt((whole.Dx()-width)/2, (whole.Dy()-height)/2))
	return image.Rectangle{Min: corner, Max: corner.Add(image.Pt(width, height))}
}
