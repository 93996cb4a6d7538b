package viz_test

import (
	"github.com/puclab/puclab/viz"
)

// ramps returns n gray images, 8 pixels high and so many wide, that get brighter to the right or, turned, to the left.
func ramps(n, width int, turned bool) []uint8 {
	var pixels []uint8
	for range n * 8 {
		for x := range width {
			if turned {
				x = width - 1 - x
			}
			pixels = append(pixels, uint8(255*x/(width-1)))
		}
	}
	return pixels
}

// Two tasks that tell a ramp from its mirror image, one with square images and one with wide ones, and one without images.
func ExampleImageTable_Figure() {
	f, err := viz.ImageTable{
		Title: "Ramps",
		Left:  "positive",
		Right: "negative",
		Rows: []viz.ImageRow{
			{Name: "square", Height: 8, Width: 8, Channels: 1, Left: ramps(3, 8, false), Right: ramps(5, 8, true)},
			{Name: "wide", Height: 8, Width: 16, Channels: 1, Left: ramps(3, 16, false), Right: ramps(4, 16, true)},
			{Name: "a task with a name of two lines", Note: "not drawn yet"},
		},
	}.Figure()
	save(f, err, "testdata/image_table.png", 0, 0)
}
