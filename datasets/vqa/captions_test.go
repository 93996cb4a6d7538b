package vqa

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/internal/expect"
)

// The captions of a picture are in the file's order, and everything around the list is skipped.
func TestReadCaptions(t *testing.T) {
	const file = `{"info": {"annotations": []}, "images": [{"id": 9, "file_name": "COCO_train2014_000000000009.jpg"}], "annotations": [
{"image_id": 9, "id": 48, "caption": "A plate."}, {"image_id": 25, "id": 49, "caption": "Two giraffes."}, {"image_id": 9, "id": 50, "caption": "Lunch."}]}`
	dir := fstest.MapFS{"captions.json": {Data: []byte(file)},
		"lacks.json": {Data: []byte(`{"annotations": [{"image_id": 9, "caption": "A plate."}, {"image_id": 9}]}`)},
		"none.json":  {Data: []byte(`{"annotations": [{"caption": "A plate."}]}`)}}
	got, err := ReadCaptions(dir, "captions.json")
	want := (map[int64][]string{9: {"A plate.", "Lunch."}, 25: {"Two giraffes."}})
	expect.That(t, err == nil && reflect.DeepEqual(got, want), "captions %v, error %v", got, err)
	_, err = ReadCaptions(dir, "lacks.json")
	expect.Error(t, err, "lacks.json: vqa: annotations, entry 1", "caption is missing or empty")
	_, err = ReadCaptions(dir, "none.json")
	expect.Error(t, err, "none.json: vqa: annotations, entry 0", "image_id is missing")
	expect.Equal(t, ImageFile("train2014", 9), "train2014/COCO_train2014_000000000009.jpg", "file")
}

// The requested number of pictures gets another caption, and these also at a higher share; shares outside 0 to 1 are
// errors.
func TestMisplace(t *testing.T) {
	of := func(share float64) []int { return expect.Must(Misplace(40, share, rand.New(rand.NewPCG(1, 2))))(t) }
	var before []int
	for _, share := range []float64{0, 0.25, 0.5, 1} {
		var wrong []int
		for i, j := range of(share) {
			if j != i {
				wrong = append(wrong, i)
			}
		}
		expect.That(t, len(wrong) == int(40*share) &&
			!slices.ContainsFunc(before, func(i int) bool { return !slices.Contains(wrong, i) }),
			"at %g the captions of %v are misplaced, before those of %v", share, wrong, before)
		before = wrong
	}
	// Another caption is uniform over the other pictures: each occurs equally often in many draws.
	counts := make([]int, 3)
	for seed := range uint64(3000) {
		got := expect.Must(Misplace(3, 1, rand.New(rand.NewPCG(seed, 0))))(t)
		counts[got[1]]++
	}
	expect.That(t, counts[1] == 0 && counts[0] >= 1400 && counts[2] >= 1400,
		"the second picture has the captions of %v", counts)
	for _, share := range []float64{-0.1, 1.1} {
		expect.Error(t, expect.Err(Misplace(3, share, rand.New(rand.NewPCG(1, 2)))),
			fmt.Sprintf("vqa: a share of %g of the captions is misplaced; it must lie between 0 and 1", share))
	}
	_, err := Misplace(1, 0.5, rand.New(rand.NewPCG(1, 2)))
	expect.Error(t, err, "vqa: the caption of another picture, of 1; take at least 2 pictures, or a share of 0")
}
