package pucl

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/peak"
	"github.com/puclab/puclab/internal/peaktest"
)

// rowsOfChild names the variable that makes a run of the test binary score a batch of that many rows and exit.
const rowsOfChild = "PUCL_TEST_SCORE_ROWS"

// A loss of all pairs in blocks must never hold them all: the bound of three quarters of all pairs in float32 detects
// one excess matrix. The peak of a whole process is measured, so each size runs in its own process.
func TestMemoryGrowsWithTheBatchNotItsSquare(t *testing.T) {
	if n, err := strconv.Atoi(os.Getenv(rowsOfChild)); err == nil {
		scorerOfRows(t, n, min(1024, n/2))()
		peaktest.Tell(peaktest.Must(t))
		return
	}
	peaktest.Skip(t)
	enginetest.XLA(t) // the pure-Go engine frees nothing before a step ends and takes long for all pairs
	const few, many, bound = 1024, 8192, 8192 * 8192 * 4 * 3 / 4
	peak := func(rows int) int { return peaktest.OfChild(t, rowsOfChild, strconv.Itoa(rows)) }
	grown := peak(many) - peak(few)
	expect.That(t, grown <= bound, "scoring %d rows takes %.2f GiB more than %d rows, three quarters of a matrix of all pairs are %.2f GiB",
		many, gib(grown), few, gib(bound))
}

// BenchmarkLossOfManyRows computes value and gradient of PUCL at 65,536 rows of 128 dimensions, whose similarities
// alone would be 17 GB. It reports the peak memory of the process and fails above 4 GiB.
func BenchmarkLossOfManyRows(b *testing.B) {
	score := scorerOfRows(b, 65536, 1024)
	for b.Loop() {
		score()
	}
	if peak, err := peak.Bytes(); err == nil {
		b.ReportMetric(gib(peak), "peak-GiB")
		expect.That(b, peak <= 4<<30, "the process held %.2f GiB at its peak, more than 4", gib(peak))
	}
}

// scorerOfRows compiles value and gradient of PUCL on n rows of 128 dimensions in blocks.
func scorerOfRows(t testing.TB, n, blockRows int) func() {
	rows, labels := benchmarkRows(n)
	exec := MustNewExec(enginetest.Found(t).Backend, func(z, labeled *Node) (loss, gradient *Node) {
		loss = PUCL().Loss(Views{Z: z, Labeled: labeled, BlockRows: blockRows}, 0.5)
		return loss, Gradient(loss, z)[0]
	})
	t.Cleanup(exec.Finalize)
	return func() {
		out := expect.Must(exec.Call(rows, labels))(t)
		// Random rows are nearly perpendicular to each other, so the loss is near the loss at similarity zero.
		if loss := float64(out[0].Value().(float32)); !(loss > ChanceLevel(n/2, 2)-0.1 && loss < ChanceLevel(n/2, 2)+0.1) {
			t.Errorf("loss %g of %d random rows, far from %g", loss, n, ChanceLevel(n/2, 2))
		}
		for _, x := range out {
			x.MustFinalizeAll()
		}
	}
}

func gib(bytes int) float64 { return float64(bytes) / (1 << 30) }

// benchmarkRows returns n rows of 128 pseudo-random numbers, which peers/loss.py makes as well, and labels for one
// example in eight.
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

// BenchmarkLoss times the value and the gradient of a loss with respect to raw embeddings of 128 dimensions, at τ =
// 0.5, with one example in eight labeled. peers/loss.py compares it with other libraries. A size is the number of rows
// of the multi-viewed batch; "blocks" compares 512 rows at a time with all.
func BenchmarkLoss(b *testing.B) {
	for _, o := range []Objective{SSCL(), PUCL()} {
		for _, n := range []int{512, 2048, 8192} {
			for _, how := range []struct {
				name string
				rows int
			}{{"dense", 0}, {"blocks", 512}} {
				if how.rows < n {
					b.Run(fmt.Sprintf("%s/%d/%s", o.Name, n, how.name), func(b *testing.B) { benchmarkLoss(b, o, n, how.rows) })
				}
			}
		}
	}
}

func benchmarkLoss(b *testing.B, o Objective, n, blockRows int) {
	z, labeled := benchmarkRows(n)
	exec := expect.Must(NewExec(enginetest.Found(b).Backend, func(z, labeled *Node) []*Node {
		loss := o.Loss(Views{Z: z, Labeled: labeled, BlockRows: blockRows}, 0.5)
		return []*Node{loss, Gradient(loss, z)[0]}
	}))(b)
	defer exec.Finalize()
	var loss float32
	step := func() {
		out := expect.Must(exec.Call(z, labeled))(b)
		loss = out[0].Value().(float32) // waits until all is done
		for _, x := range out {
			x.MustFinalizeAll()
		}
	}
	step() // compiles
	var times []float64
	for b.Loop() {
		start := time.Now()
		step()
		times = append(times, time.Since(start).Seconds()*1e3)
	}
	slices.Sort(times)
	b.ReportMetric(float64(loss), "nats")
	b.ReportMetric(times[len(times)/2], "median-ms")
}

// hashed maps a number to a pseudo-random one from −1/2 to 1/2.
func hashed(i int) float32 { return float32(hashedAt(float64(i))) }

func hashedAt(x float64) float64 {
	x = math.Sin(x) * 43758.5453
	return x - math.Floor(x) - 0.5
}
