package pucl

import (
	"os"
	"strconv"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/peak"
	"github.com/puclab/puclab/internal/peaktest"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// rowsOfChild names the variable that turns a run of the test binary into one that only scores a batch of that many rows.
const rowsOfChild = "PUCL_TEST_SCORE_ROWS"

// A loss of all pairs in blocks must never hold them all: with half of all pairs in float32 as the bound, one matrix too
// many shows. The peak of a whole process is measured, so each size runs in a process of its own.
func TestMemoryGrowsWithTheBatchNotItsSquare(t *testing.T) {
	if n, err := strconv.Atoi(os.Getenv(rowsOfChild)); err == nil {
		scorerOfRows(t, n)()
		peaktest.Tell(peaktest.Must(t))
		return
	}
	peaktest.Skip(t)
	enginetest.XLA(t) // the pure-Go engine frees nothing before a step ends and takes minutes for all pairs of 16384 rows
	const few, many = 1024, 16384
	peak := func(rows int) int { return peaktest.OfChild(t, rowsOfChild, strconv.Itoa(rows)) }
	grown := peak(many) - peak(few)
	if half := many * many * 4 / 2; grown > half {
		t.Errorf("scoring %d rows takes %.2f GiB more than %d rows; half a matrix of all pairs is %.2f GiB", many, gib(grown), few, gib(half))
	}
}

// BenchmarkLossOfManyRows is value and gradient of PUCL at 65,536 rows of 128 dimensions, whose similarities alone would be
// 17 GB. It tells the peak of the process and fails above 4 GiB.
func BenchmarkLossOfManyRows(b *testing.B) {
	score := scorerOfRows(b, 65536)
	for b.Loop() {
		score()
	}
	if peak, err := peak.Bytes(); err == nil {
		b.ReportMetric(gib(peak), "peak-GiB")
		if peak > 4<<30 {
			b.Errorf("the process held %.2f GiB at its peak, more than 4", gib(peak))
		}
	}
}

// scorerOfRows prepares value and gradient of PUCL on n rows of 128 dimensions in blocks of 1024.
func scorerOfRows(t testing.TB, n int) func() {
	rows, labels := benchmarkRows(n)
	exec := MustNewExec(enginetest.Found(t).Backend, func(z, labeled *Node) (loss, gradient *Node) {
		loss = PUCL().Loss(Views{Z: z, Labeled: labeled, BlockRows: min(1024, n/2)}, 0.5)
		return loss, Gradient(loss, z)[0]
	})
	t.Cleanup(exec.Finalize)
	return func() {
		out, err := exec.Call(rows, labels)
		if err != nil {
			t.Fatal(err)
		}
		// Random rows are all but perpendicular to each other, so the loss is near that of no similarity at all.
		if loss := float64(out[0].Value().(float32)); !(loss > ChanceLevel(n/2, 2)-0.1 && loss < ChanceLevel(n/2, 2)+0.1) {
			t.Errorf("loss %g of %d random rows, far from %g", loss, n, ChanceLevel(n/2, 2))
		}
		for _, x := range out {
			x.MustFinalizeAll()
		}
	}
}

func gib(bytes int) float64 { return float64(bytes) / (1 << 30) }

// benchmarkRows are n rows of 128 numbers that look random, which peers/loss.py makes as well, and labels for one example in
// eight.
func benchmarkRows(n int) (rows, labeled *tensors.Tensor) {
	const d = 128
	z, labels := make([]float32, n*d), make([]bool, n/2)
	for i := range z {
		z[i] = hashed(i + 1)
	}
	for i := range labels {
		labels[i] = i%8 == 0
	}
	return tensors.FromFlatDataAndDimensions(z, n, d), tensors.FromFlatDataAndDimensions(labels, n/2)
}
