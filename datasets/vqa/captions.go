package vqa

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/internal/fault"
)

// Caption is one entry of a file of captions of COCO. A picture has about five.
type Caption struct {
	ImageID int64  // of the picture
	Text    string // of the caption
}

// Captions reads the entries of a file of captions one after the other. Errors are those of [Questions].
func Captions(r io.Reader) iter.Seq2[Caption, error] {
	return entries(r, "annotations", func(e captionEntry) (Caption, error) {
		err := cmp.Or(fault.If(e.ImageID == nil, "image_id is missing"), fault.If(e.Caption == nil || *e.Caption == "", "caption is missing or empty"))
		if err != nil {
			return Caption{}, err
		}
		return Caption{*e.ImageID, *e.Caption}, nil
	})
}

// captionEntry is an entry as the file has it. Pointers tell what is missing.
type captionEntry struct {
	ImageID *int64  `json:"image_id"`
	Caption *string `json:"caption"`
}

// ReadCaptions returns the captions of every picture in a file of fsys, for example captions_train2014.json, those of one picture in the
// file's order.
func ReadCaptions(fsys fs.FS, name string) (map[int64][]string, error) {
	of := map[int64][]string{}
	return of, each(fsys, name, Captions, func(c Caption) error {
		of[c.ImageID] = append(of[c.ImageID], c.Text)
		return nil
	})
}

// ImageFile returns where the picture of a number lies in a part of COCO as it is unpacked: for train2014 and 9 that is
// train2014/COCO_train2014_000000000009.jpg.
func ImageFile(part string, id int64) string { return fmt.Sprintf("%s/COCO_%[1]s_%012d.jpg", part, id) }

// Misplace returns for each of n pictures the one whose caption it gets: its own, but for a share of them, rounded to whole pictures,
// that of another drawn at random. From draws of one seed, the pictures that get another's at a share get one at a higher share too.
func Misplace(n int, share float64, rng *rand.Rand) ([]int, error) {
	switch {
	case !(share >= 0 && share <= 1):
		return nil, fmt.Errorf("vqa: a share of %g of the captions is misplaced; it must lie between 0 and 1", share)
	case share > 0 && n < 2:
		return nil, fmt.Errorf("vqa: the caption of another picture, of %d; take at least 2 pictures, or a share of 0", n)
	}
	of := make([]int, n)
	for i := range of {
		of[i] = i
	}
	for _, i := range rng.Perm(n)[:int(math.Round(share*float64(n)))] {
		if of[i] = rng.IntN(n - 1); of[i] >= i {
			of[i]++
		}
	}
	return of, nil
}
