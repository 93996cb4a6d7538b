package folder_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing/fstest"

	"github.com/puclab/puclab/datasets/folder"
)

// flat returns a PNG file of one color.
func flat(width, height int, c color.Color) *fstest.MapFile {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

// Two classes of files of different sizes, read as images of 1×2 pixels.
func ExampleOpen() {
	files := fstest.MapFS{
		"n02088364/1.png": flat(40, 20, color.RGBA{200, 150, 100, 255}),
		"n02088364/2.png": flat(7, 9, color.RGBA{190, 140, 90, 255}),
		"n02111889/1.png": flat(3, 3, color.White),
	}
	set, err := folder.Open(files, folder.Config{Height: 1, Width: 2, Names: folder.Imagewoof()})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set)
	images, err := set.Load(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, class := range images.Labels {
		fmt.Println(set.Path(i), images.Classes[class], images.At(i))
	}
	// Output:
	// 3 image files in 2 classes, read as 1×2×3 (height×width×channels)
	// n02088364/1.png beagle [200 150 100 200 150 100]
	// n02088364/2.png beagle [190 140 90 190 140 90]
	// n02111889/1.png Samoyed [255 255 255 255 255 255]
}

// A folder with a file that is not an image.
func ExampleSet_LoadReadable() {
	files := fstest.MapFS{
		"cat/1.png": flat(4, 4, color.White), "cat/2.png": {Data: []byte("not an image")}, "cat/3.png": flat(4, 4, color.Black),
	}
	set, err := folder.Open(files, folder.Config{Height: 1, Gray: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	images, readable, broken, err := set.LoadReadable(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(images.Len(), readable.Path(1), images.At(1))
	fmt.Println(broken[0])
	// Output:
	// 2 cat/3.png [0]
	// folder: cat/2.png: neither a JPEG nor a PNG file: it starts with 6e 6f 74 20 61 6e 20 69
}

// One image, converted to the size and the channels of a set.
func ExampleConfig_Pixels() {
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{200, 150, 100, 255}), image.Point{}, draw.Src)
	pixels, err := folder.Config{Height: 1, Width: 2}.Pixels(img)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pixels)
	// Output: [200 150 100 200 150 100]
}
