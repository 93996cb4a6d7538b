package stl10_test

import (
	"bytes"
	"context"
	"fmt"
	"testing/fstest"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/stl10"
)

// The file has 5,000 images in the official layout, each of one color. It stays on disk after Open.
func ExampleOpen() {
	var images, labels bytes.Buffer
	for i := range 5_000 {
		images.Write(bytes.Repeat([]byte{byte(i / 20)}, 96*96)) // red
		images.Write(bytes.Repeat([]byte{50}, 96*96))           // green
		images.Write(bytes.Repeat([]byte{70}, 96*96))           // blue
		labels.WriteByte(byte(1 + i%10))
	}
	folder := fstest.MapFS{"train_X.bin": {Data: images.Bytes()}, "train_y.bin": {Data: labels.Bytes()}}

	set, err := stl10.Open(folder, stl10.Train, stl10.Options{AnyContent: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer set.Close()
	rows := []int{4999, 0, 405}
	next := 0
	for pixels, err := range datasets.Stream(context.Background(), set, rows, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(set.Classes[set.Labels[rows[next]]], pixels[:3])
		next++
	}
	// Output:
	// truck [249 50 70]
	// airplane [0 50 70]
	// dog [20 50 70]
}
