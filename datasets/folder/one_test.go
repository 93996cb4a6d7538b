package folder_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets/folder"
	"github.com/puclab/puclab/internal/expect"
)

// shaded returns a picture of 30×20 pixels, encoded as JPEG.
func shaded(t *testing.T) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 30, 20))
	for y := range 20 {
		for x := range 30 {
			img.Set(x, y, color.RGBA{uint8(8 * x), uint8(12 * y), 90, 255})
		}
	}
	var out bytes.Buffer
	expect.NoError(t, jpeg.Encode(&out, img, nil))
	return out.Bytes()
}

// One file, decoded by itself or as an image, has the pixels that a set reads.
func TestOneImageIsAsInASet(t *testing.T) {
	data := shaded(t)
	for _, c := range []folder.Config{{Height: 8}, {Height: 6, Width: 9, Gray: true}, {Height: 10, Fit: folder.Stretch}} {
		set := expect.Must(folder.Open(fstest.MapFS{"a/0.jpg": {Data: data}}, c))(t)
		want := expect.Must(set.Load(context.Background()))(t).Pixels
		expect.Equal(t, expect.Must(c.Decode(bytes.NewReader(data)))(t), want)
		img := expect.Must(jpeg.Decode(bytes.NewReader(data)))(t)
		expect.Equal(t, expect.Must(c.Pixels(img))(t), want)
	}
	small := folder.Config{MaxBytes: 100}
	expect.Error(t, expect.Err(small.Decode(bytes.NewReader(data))), "more than the 100 bytes")
	expect.Error(t, expect.Err(folder.Config{}.Decode(bytes.NewReader([]byte("text")))), "neither a JPEG nor a PNG")
	expect.Error(t, expect.Err(folder.Config{}.Decode(nil)), "no file")
	expect.Error(t, expect.Err(folder.Config{}.Pixels(nil)), "no image")
	expect.Error(t, expect.Err(folder.Config{}.Pixels(image.NewGray(image.Rectangle{}))), "0×0")
	expect.Error(t, expect.Err(folder.Config{Height: -1}.Pixels(image.NewGray(image.Rect(0, 0, 1, 1)))), "-1")
}

// Broken files are listed, each with its cause, and all others are read.
func TestLoadReadable(t *testing.T) {
	data := shaded(t)
	files := fstest.MapFS{
		"a/0.jpg": {Data: data}, "a/1.jpg": {Data: data[:len(data)/2]}, "b/0.png": {Data: []byte("text")}, "b/1.jpg": {Data: data}, "b/2.png": {},
	}
	set := expect.Must(folder.Open(files, folder.Config{Height: 4}))(t)
	images, broken, err := set.LoadReadable(context.Background())
	expect.NoError(t, err)
	expect.Equal(t, images.Labels, []int{0, 1})
	one := expect.Must(folder.Config{Height: 4}.Decode(bytes.NewReader(data)))(t)
	expect.Equal(t, images.Pixels, append(bytes.Clone(one), one...))
	expect.Error(t, folder.ListBroken(broken), "3 files", "a/1.jpg", "b/0.png: neither", "b/2.png")

	for i := range 30 {
		files[fmt.Sprintf("b/x%02d.png", i)] = &fstest.MapFile{Data: []byte("text")}
	}
	set = expect.Must(folder.Open(files, folder.Config{Height: 4}))(t)
	_, broken, err = set.LoadReadable(context.Background())
	expect.NoError(t, err)
	expect.Error(t, folder.ListBroken(broken), "33 files", "and 13 more")
	expect.NoError(t, folder.ListBroken(nil))

	set = expect.Must(folder.Open(fstest.MapFS{"a/0.jpg": {}}, folder.Config{}))(t)
	_, _, err = set.LoadReadable(context.Background())
	expect.Error(t, err, "none of 1 files", "a/0.jpg")
	done, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err = set.LoadReadable(done)
	expect.Is(t, err, context.Canceled)
}
