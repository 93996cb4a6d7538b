package folder

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // for image.Decode
	_ "image/png"
	"io"
	"io/fs"

	"github.com/puclab/puclab/datasets/internal/check"
	"github.com/puclab/puclab/internal/fault"
	"golang.org/x/image/draw"
)

// ReadImage decodes image i, converts it to the size of the set and writes its pixels to dst. The first bytes of the
// file, not its name, distinguish JPEG and PNG. Gray, CMYK and 16-bit images become 8-bit RGB, or gray for a gray set.
func (s *Set) ReadImage(i int, dst []uint8) error {
	height, width, channels := s.Shape()
	if err := check.Image(i, s.Len(), len(dst), height*width*channels); err != nil {
		return fmt.Errorf("folder: %w", err)
	}
	img, err := s.cfg.open(s.files[i])
	if err != nil {
		return fmt.Errorf("folder: %s: %w", s.files[i].path, err)
	}
	s.cfg.fit(dst, img)
	return nil
}

// Pixels returns the pixels of an image in memory, converted to the size and the channels of c as in a [Set]:
// height·width·channels values, in the layout of datasets.Images. It returns an error if c is not valid, or if img is
// nil, has no pixels or has more than c allows.
func (c Config) Pixels(img image.Image) ([]uint8, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if img == nil {
		return nil, errors.New("folder: no image given: it is nil")
	}
	if err := c.checkSize(img.Bounds().Dx(), img.Bounds().Dy()); err != nil {
		return nil, fmt.Errorf("folder: %w", err)
	}
	return c.pixels(img), nil
}

// Decode reads one JPEG or PNG file from r, to its end, and returns its pixels as [Config.Pixels] does. It returns an
// error if c is not valid, or if a [Set] could not read the file; c limits the length and the number of pixels.
func (c Config) Decode(r io.Reader) ([]uint8, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	data, err := readLimited(r, c.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("folder: %w", err)
	}
	img, err := c.decode(data)
	if err != nil {
		return nil, fmt.Errorf("folder: %w", err)
	}
	return c.pixels(img), nil
}

// pixels converts img to the size and channels of c.
func (c Config) pixels(img image.Image) []uint8 {
	height, width, channels := c.shape()
	dst := make([]uint8, height*width*channels)
	c.fit(dst, img)
	return dst
}

// maxFileSide is the longest side of a JPEG image. Longer ones, of PNG files, are rejected, because scaling takes
// proportional memory.
const maxFileSide = 1<<16 - 1

// checkSize returns an error unless an image of this size is allowed.
func (c Config) checkSize(width, height int) error {
	// Sides have at most 32 bits, so their product fits 64 bits.
	pixels := int64(width) * int64(height)
	switch {
	case pixels == 0:
		return fmt.Errorf("an image of %d×%d pixels", width, height)
	case width > maxFileSide || height > maxFileSide:
		return fmt.Errorf("%d×%d pixels: a side is longer than %d: scale the image down", width, height, maxFileSide)
	case pixels > int64(c.MaxPixels):
		return fmt.Errorf("%d×%d pixels are more than the %d allowed: raise Config.MaxPixels if it is to be read",
			width, height, c.MaxPixels)
	}
	return nil
}

// decode decodes the content of a file.
func (c Config) decode(data []byte) (image.Image, error) {
	if len(data) == 0 {
		return nil, errors.New("the file is empty")
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	known := format == "jpeg" || format == "png"
	if errors.Is(err, image.ErrFormat) || err == nil && !known { // the program may have registered more formats
		return nil, fmt.Errorf("neither a JPEG nor a PNG file: it starts with % x", data[:min(8, len(data))])
	}
	if err != nil {
		return nil, fmt.Errorf("the file is damaged or cut off: %w", err)
	}
	if err := c.checkSize(config.Width, config.Height); err != nil {
		return nil, err
	}
	if int64(config.Width)*int64(config.Height) > pixelsPerByte(format, config.ColorModel)*int64(len(data)) {
		return nil, fmt.Errorf("it says that it has %d×%d pixels, but %d bytes cannot hold them: it is damaged or a trap",
			config.Width, config.Height, len(data))
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the file is damaged or cut off: %w", err)
	}
	return img, nil
}

// open reads an image of a set.
func (c Config) open(f imageFile) (img image.Image, err error) {
	if err := checkName(f.path); err != nil {
		return nil, err
	}
	file, err := f.fsys.Open(f.path)
	if err != nil {
		return nil, bare(err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, bare(err)
	}
	if err := checkLength(info.Size(), c.MaxBytes); err != nil {
		return nil, err
	}
	data, err := readLimited(file, c.MaxBytes)
	if err != nil {
		return nil, bare(err)
	}
	return c.decode(data)
}

// readLimited reads r to its end; memory grows with the bytes received.
func readLimited(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	return data, cmp.Or(err, checkLength(int64(len(data)), limit))
}

// checkLength returns an error unless a file of this length is allowed. A length of limit+1 means any longer one.
func checkLength(length, limit int64) error {
	return fault.If(length > limit, "%d or more bytes, which is more than the %d allowed: raise Config.MaxBytes if it is to "+
		"be read", length, limit)
}

// bare removes the path from an error; the caller adds it.
func bare(err error) error {
	if failed := new(fs.PathError); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// pixelsPerByte returns the largest number of pixels per byte of a JPEG or PNG file. It detects false headers: a real
// image is never much larger.
func pixelsPerByte(format string, model color.Model) int64 {
	const deflate = 1040 // most bytes per compressed byte of a PNG file: 1,032, plus a margin
	switch {
	case format == "jpeg":
		return 1024 // a block of 64 pixels takes at least a bit; doubled for safety
	case model == color.RGBAModel:
		return deflate / 3 // 3 bytes per pixel
	case model == color.RGBA64Model:
		return deflate / 6
	}
	return deflate * 8 // one bit per pixel
}

// fit scales img to the size of c and writes it to dst.
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

// part returns the part of an image that is kept.
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
