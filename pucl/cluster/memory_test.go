package cluster

import (
	"os"
	"testing"

	"github.com/puclab/puclab/internal/peaktest"
)

// unheld are rows that nobody holds: entries follow from their place.
type unheld struct{ n, d int }

func (u unheld) Dims() (n, d int) { return u.n, u.d }

func (u unheld) Read(first int, rows []float32) error {
	for i := range rows {
		x := uint64(first*u.d+i) * 0x9e3779b97f4a7c15
		x = (x ^ x>>32) * 0xd6e8feb86659fd93
		rows[i] = float32(x>>40) / (1 << 24)
	}
	return nil
}

// streamOfChild tells a process how to cluster.
const streamOfChild = "PUCL_KMEANS_STREAM"

// A set is never held where blocks are: 77 MB of rows take less than a quarter of that, what is kept of each row and the garbage between
// collections included, with all rows in each round or some of them. In memory they take more than they are.
func TestStreamTakesLittleMemory(t *testing.T) {
	x := unheld{150_000, 128}
	const size = 150_000 * 128 * 4
	ways := map[string]KMeans{
		"in memory":         {K: 8, Rounds: 2},
		"stream":            {K: 8, Rounds: 2, Block: 4096},
		"stream in batches": {K: 8, Rounds: 4, Batch: 1000, Block: 4096},
	}
	if way := os.Getenv(streamOfChild); way != "" {
		before := peaktest.Forget(t)
		must[*Partition](t)(ways[way].Fit(x))
		peaktest.Tell(peaktest.Must(t) - before)
		return
	}
	peaktest.Skip(t)
	peaktest.SkipUnderRace(t)
	for way, c := range ways {
		took := peaktest.OfChild(t, streamOfChild, way)
		t.Logf("%s: %.1f MB", way, float64(took)/1e6)
		if c.Block > 0 && took > size/4 || c.Block == 0 && took < size {
			t.Errorf("%s: %d bytes for %d bytes of rows", way, took, size)
		}
	}
}
