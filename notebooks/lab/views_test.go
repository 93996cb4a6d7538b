package lab

import (
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

func TestViews(t *testing.T) {
	eng := enginetest.Open(t)
	images := &datasets.Images{Height: 8, Width: 8, Channels: 1, Pixels: make([]uint8, 3*64), Labels: make([]int, 3), Classes: []string{"a"}}
	grid, err := Views(eng, augment.Recipe{augment.Flip{}}, images, 1)
	if err != nil {
		t.Fatal(err)
	}
	if grid.Title == "" {
		t.Error("the grid has no title")
	}
	smaller := augment.Recipe{augment.Crop{Height: 4, Width: 4}}
	if _, err := Views(eng, smaller, images, 1); err == nil || !strings.Contains(err.Error(), "4×4×1") {
		t.Errorf("views of another size gave %v", err)
	}
	none := &datasets.Images{Height: 8, Width: 8, Channels: 1}
	if _, err := Views(eng, augment.Recipe{}, none, 1); err == nil {
		t.Error("a grid of no image was drawn")
	}
}
