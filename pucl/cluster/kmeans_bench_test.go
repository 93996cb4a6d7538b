package cluster

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/rows"
)

// BenchmarkKMeans runs Lloyd's rounds on rows of 128 float32 numbers from the first K rows on. peers/kmeans.py gives the rows
// in a file and sets it beside others.
func BenchmarkKMeans(b *testing.B) {
	x, k, rounds := Float32s{D: 128}, setting(b, "PUCL_PEERS_K", 100), setting(b, "PUCL_PEERS_ROUNDS", 10)
	if path := os.Getenv("PUCL_PEERS_ROWS"); path != "" {
		x.Data = float32sOf(b, path)
	} else {
		x = blobs(1, 60000, 128, 100, 1)
	}
	c := KMeans{K: k, Centers: rowsAt(x, rows.All(k)...), Rounds: rounds}
	fit := func(x Float32s, c KMeans) *Partition { return expect.Must(c.Fit(x))(b) }
	if n, _ := x.Dims(); n*k*rounds <= 1e9 { // warm, as the others are
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
