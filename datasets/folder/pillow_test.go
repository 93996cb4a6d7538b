package folder

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// Images in all modes of Pillow have the pixels that Pillow reads, from testdata/make_images.py. JPEG decoders differ
// in the last bits.
func TestImagesOfPillow(t *testing.T) {
	var want struct {
		Height, Width int
		Pixels        map[string][]int
	}
	expect.NoError(t, json.Unmarshal(expect.Must(os.ReadFile("testdata/pillow.json"))(t), &want))
	expect.Equal(t, len(want.Pixels), 13)
	for name, pixels := range want.Pixels {
		data := expect.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
		got := mustRead(t, Config{Height: want.Height, Width: want.Width}, data)
		gray := mustRead(t, Config{Height: want.Height, Width: want.Width, Gray: true}, data)
		bound := 1 // rounding of transparent pixels
		if filepath.Ext(name) == ".jpg" {
			bound = 3
		}
		expect.Require(t, len(got) == len(pixels), "%s: %d values, not %d", name, len(got), len(pixels))
		for i, v := range got {
			expect.That(t, max(int(v)-pixels[i], pixels[i]-int(v)) <= bound, "%s: value %d is %d, not %d", name, i,
				v, pixels[i])
		}
		for i, v := range gray {
			luminance := 0.299*float64(pixels[3*i]) + 0.587*float64(pixels[3*i+1]) + 0.114*float64(pixels[3*i+2])
			expect.Near(t, float64(v), luminance, float64(bound)+0.5, name, i)
		}
	}
}
