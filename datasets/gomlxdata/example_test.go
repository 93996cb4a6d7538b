package gomlxdata_test

import (
	"fmt"
	"log"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/gomlxdata"
)

// Three images of one pixel, two per batch.
func ExampleFromImages() {
	images := &datasets.Images{
		Height: 1, Width: 1, Channels: 1,
		Pixels: []uint8{10, 20, 30}, Labels: []int{0, 1, 0}, Classes: []string{"square", "circle"},
	}
	ds, err := gomlxdata.FromImages(images, 2)
	if err != nil {
		log.Fatal(err)
	}
	for batch, err := range ds.Iter() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(batch.Inputs[0].Shape(), batch.Labels[0].Shape())
	}
	// Output:
	// (Uint8)[2, 1, 1, 1] (Int32)[2]
	// (Uint8)[1, 1, 1, 1] (Int32)[1]
}
