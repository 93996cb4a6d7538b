package cluster

import (
	"encoding/binary"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// BenchmarkKMeans runs Lloyd's rounds on rows of 128 float32 numbers from a file, from the first K rows on; peers/kmeans.py sets it
// beside others.
func BenchmarkKMeans(b *testing.B) {
	x, k, rounds := Float32s{D: 128}, number(b, "PUCL_PEERS_K", 100), number(b, "PUCL_PEERS_ROUNDS", 10)
	if path := os.Getenv("PUCL_PEERS_ROWS"); path != "" {
		x.Data = floatsOf(b, path)
	} else {
		x = blobs(1, 60000, 128, 100, 1)
	}
	index := make([]int, k)
	for c := range index {
		index[c] = c
	}
	config := KMeans{K: k, Centers: rowsAt(x, index...), Rounds: rounds, Engine: enginetest.Open(b)}
	if os.Getenv("PUCL_PEERS_PLAIN") != "" {
		config.plain = true
	}
	var p *Partition
	var times []float64
	for b.Loop() {
		start := cpuNow()
		var err error
		if p, err = config.Fit(x); err != nil {
			b.Fatal(err)
		}
		times = append(times, (cpuNow()-start)/float64(p.Rounds))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "median-ms")
	b.ReportMetric(p.Potential, "potential")
	b.ReportMetric(float64(p.Rounds), "rounds")
}

func number(b *testing.B, variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	value, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return value
}

func floatsOf(b *testing.B, path string) []float32 {
	file, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		b.Fatal(err)
	}
	out := make([]float32, info.Size()/4)
	if err := binary.Read(file, binary.LittleEndian, out); err != nil {
		b.Fatal(err)
	}
	return out
}

func cpuNow() float64 {
	if os.Getenv("PUCL_PEERS_CPU") == "" {
		return float64(time.Now().UnixNano()) / 1e6
	}
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e6
}
