package pucl

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// BenchmarkLoss times the value and the gradient of a loss with respect to raw embeddings of 128 dimensions, at τ = 0.5,
// with one example in eight labeled; peers/loss.py sets it beside other libraries. Of the sizes, the rows of the multi-viewed batch, "blocks" compares 512 rows at a time
// with all.
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
	exec, err := NewExec(enginetest.Found(b).Backend, func(z, labeled *Node) []*Node {
		loss := o.Loss(Views{Z: z, Labeled: labeled, BlockRows: blockRows}, 0.5)
		return []*Node{loss, Gradient(loss, z)[0]}
	})
	if err != nil {
		b.Fatal(err)
	}
	defer exec.Finalize()
	var loss float32
	step := func() {
		out, err := exec.Call(z, labeled)
		if err != nil {
			b.Fatal(err)
		}
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

// hashed turns a number into one from −1/2 to 1/2 that looks random.
func hashed(i int) float32 { return float32(hashedAt(float64(i))) }

func hashedAt(x float64) float64 {
	x = math.Sin(x) * 43758.5453
	return x - math.Floor(x) - 0.5
}
