package cifar

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/puclab/puclab/datasets"
)

// TestRealFiles reads the real data where PUCL_DATA_DIR has them, official or made from JPEG copies.
func TestRealFiles(t *testing.T) {
	dir := os.Getenv(datasets.EnvDataDir)
	if dir == "" {
		t.Skipf("%s names no folder with the real files", datasets.EnvDataDir)
	}
	found := false
	for _, folder := range datasets.Folders(Name10) {
		for which, count := range map[Part]int{Train: 50_000, Test: 10_000} {
			set, err := Load10(os.DirFS(folder), which, Options{AnyContent: true})
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			found = true
			if err != nil {
				t.Errorf("%s: %v", folder, err)
				continue
			}
			if set.Len() != count || slices.Min(set.Pixels) != 0 || slices.Max(set.Pixels) != 255 {
				t.Errorf("%v: %v with values %d to %d", which, set, slices.Min(set.Pixels), slices.Max(set.Pixels))
			}
			// In photographs the channels of one pixel are far closer to each other than to those 1,024 values on; planes
			// taken for pixels, or pixels for planes, would turn this around.
			var beside, far float64
			for i := range 1000 {
				image := set.At(i)
				for p := range 1023 {
					beside += abs(image[3*p], image[3*p+1])
					far += abs(image[p], image[p+1024])
				}
			}
			if beside > far/2 {
				t.Errorf("%v: channels of a pixel differ by %g, values 1,024 on by %g", which, beside, far)
			}
		}
	}
	if !found {
		t.Skipf("no CIFAR-10 in %v", datasets.Folders(Name10))
	}
}

func abs(a, b uint8) float64 { return max(float64(a), float64(b)) - min(float64(a), float64(b)) }
