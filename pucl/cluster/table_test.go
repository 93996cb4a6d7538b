package cluster

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/peaktest"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/rows"
)

// Entries of every size are rounded to one grid, on which sums are exact, and stay near their original values.
func TestRowsLieOnAGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	x := Float32s{D: 3}
	for range 900 {
		x.Data = append(x.Data, float32(1e4+math.Exp(20*rng.Float64()-10)))
	}
	rows := tableOf(t, x)
	largest := 0.0
	for i := range 300 {
		square := 0.0
		for j, value := range rows.pieces[i/100].row(i % 100) {
			entry := float64(value)
			units := entry * (1 << 24)
			expect.Require(t, units == math.Trunc(units), "row %d holds %g, no multiple of 2^-24", i, entry)
			vectortest.Near(t, "entry", entry/rows.scale+rows.mean[j], float64(x.Data[i*3+j]), 1e-7)
			largest = max(largest, math.Abs(entry))
			square += entry * entry
		}
		vectortest.Near(t, "squared length", float64(rows.squares[i]), square, 1e-7)
	}
	expect.That(t, largest > 0.5 && largest <= 1, "the largest entry is %g", largest)
}

// For every block size, columns of numbers of all sizes have a bit-identical mean.
func TestBlocksChangeNoMean(t *testing.T) {
	rng, x := rand.New(rand.NewPCG(3, 4)), Float32s{D: 3}
	for range 3 * 5000 {
		x.Data = append(x.Data, float32(math.Exp(20*rng.NormFloat64())))
	}
	want := expect.Must(newTable(x, nil, 0, 4096))(t)
	for _, block := range []int{1000, 3000} {
		got := expect.Must(newTable(x, nil, block, 4096))(t)
		for j, mean := range got.mean {
			expect.That(t, mean == want.mean[j], "blocks of %d: mean %v, want %v", block, mean, want.mean[j])
		}
	}
}

// Memory holds no more rows than Block, in whole pieces of 100.
func TestBlockBoundsMemory(t *testing.T) {
	x := blobs(15, 500, 2, 3, 1)
	for _, block := range []int{1, 99, 100, 101, 199, 350, 499, 600} {
		rows := expect.Must(newTable(x, nil, block, 100))(t)
		if held := len(rows.pieces) * len(rows.pieces[0].rows) / 2; held > block || held < min(block, 500)/100*100 {
			t.Errorf("%d rows in memory in blocks of %d", held, block)
		}
	}
}

// If a source fails in the first pass, the error occurs once and reading stops.
func TestTheFirstErrorEnds(t *testing.T) {
	broken := errors.New("disk on fire")
	x := &faulty{Float32s: blobs(12, 20, 2, 3, 1), broken: func(int, []float32) error { return broken }}
	_, err := (KMeans{K: 2, Block: 20}).Fit(x)
	expect.That(t, err != nil && err.Error() == broken.Error() && x.reads == 1, "%v after %d reads", err, x.reads)
}

// unheld is a source that stores no rows; entries are computed from their position.
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

// streamOfChild names the environment variable with the clustering settings of a child process.
const streamOfChild = "PUCL_KMEANS_STREAM"

// Streaming never holds the whole set: 77 MB of rows take less than a quarter of that, including the data kept for each
// row and uncollected garbage, for full rounds and mini-batches. In memory they take more than their size.
func TestStreamTakesLittleMemory(t *testing.T) {
	expect.Slow(t)
	x := unheld{150_000, 128}
	const size = 150_000 * 128 * 4
	ways := map[string]KMeans{
		"in memory":         {K: 8, Rounds: 2},
		"stream":            {K: 8, Rounds: 2, Block: 4096},
		"stream in batches": {K: 8, Rounds: 4, Batch: 1000, Block: 4096},
	}
	if way := os.Getenv(streamOfChild); way != "" {
		before := peaktest.Forget(t)
		expect.Must(ways[way].Fit(x))(t)
		peaktest.Tell(peaktest.Must(t) - before)
		return
	}
	peaktest.Skip(t)
	peaktest.SkipUnderRace(t)
	for way, c := range ways {
		took := peaktest.OfChild(t, streamOfChild, way)
		t.Logf("%s: %.1f MB", way, float64(took)/1e6)
		expect.That(t, (c.Block <= 0 || took <= size/4) && (c.Block != 0 || took >= size),
			"%s: %d bytes for %d bytes of rows", way, took, size)
	}
}

// BenchmarkKMeans runs Lloyd's algorithm on rows of 128 float32 numbers, starting from the first K rows.
// peers/kmeans.py writes the rows to a file and compares other libraries.
func BenchmarkKMeans(b *testing.B) {
	x, k, rounds := Float32s{D: 128}, setting(b, "PUCL_PEERS_K", 100), setting(b, "PUCL_PEERS_ROUNDS", 10)
	if path := os.Getenv("PUCL_PEERS_ROWS"); path != "" {
		x.Data = float32sOf(b, path)
	} else {
		x = blobs(1, 60000, 128, 100, 1)
	}
	c := KMeans{K: k, Centers: rowsAt(x, rows.All(k)...), Rounds: rounds}
	fit := func(x Float32s, c KMeans) *Partition { return expect.Must(c.Fit(x))(b) }
	if n, _ := x.Dims(); n*k*rounds <= 1e9 { // warm up, as for the other libraries
		fit(x, c)
	} else {
		few := c
		few.Rounds = 1
		fit(Float32s{x.Data[:min(len(x.Data), 128*max(k, 10000))], 128}, few)
	}
	var p *Partition
	var times []float64
	for b.Loop() {
		start := time.Now()
		p = fit(x, c)
		times = append(times, time.Since(start).Seconds()*1e3/float64(p.Rounds))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "median-ms")
	b.ReportMetric(p.Potential*1e3, "millipotential")
}

func setting(b *testing.B, variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	return expect.Must(strconv.Atoi(text))(b)
}

func float32sOf(b *testing.B, path string) (out []float32) {
	file := expect.Must(os.Open(path))(b)
	defer file.Close()
	info := expect.Must(file.Stat())(b)
	out = make([]float32, 0, info.Size()/4)
	reader, word := bufio.NewReaderSize(file, 1<<20), make([]byte, 4)
	for {
		if _, err := io.ReadFull(reader, word); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			b.Fatal(err)
		}
		out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(word)))
	}
}
