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

// Caption is one entry of a COCO caption file. A picture has about five captions.
type Caption struct {
	ImageID int64  // of the picture
	Text    string // of the caption
}

// Captions reads the entries of a caption file one after the other. Errors are those of [Questions].
func Captions(r io.Reader) iter.Seq2[Caption, error] {
	return entries(r, "annotations", func(e captionEntry) (Caption, error) {
		err := cmp.Or(fault.If(e.ImageID == nil, "image_id is missing"), fault.If(e.Caption == nil || *e.Caption == "", "caption is missing or empty"))
		if err != nil {
			return Caption{}, err
		}
		return Caption{*e.ImageID, *e.Caption}, nil
	})
}

// captionEntry is an entry in the file's format. Nil pointers mean missing fields.
type captionEntry struct {
	ImageID *int64  `json:"image_id"`
	Caption *string `json:"caption"`
}

// ReadCaptions returns the captions of every picture in a file of fsys, for example captions_train2014.json; captions
// of one picture are in the file's order.
func ReadCaptions(fsys fs.FS, name string) (map[int64][]string, error) {
	of := map[int64][]string{}
	return of, each(fsys, name, Captions, func(c Caption) error {
		of[c.ImageID] = append(of[c.ImageID], c.Text)
		return nil
	})
}

// ImageFile returns the path of a picture in an unpacked part of COCO: train2014/COCO_train2014_000000000009.jpg for
// train2014 and 9.
func ImageFile(part string, id int64) string { return fmt.Sprintf("%s/COCO_%[1]s_%012d.jpg", part, id) }

// Misplace returns for each of n pictures the picture whose caption it gets. A share of them, rounded to whole
// pictures, gets the caption of another random picture; all others get their own. With one seed, the pictures with
// another caption at one share are among those at a higher share.
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
