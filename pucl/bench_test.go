package pucl

import (
	"fmt"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/internal/enginetest"
)

// BenchmarkLoss times the value and the gradient of a loss with respect to raw embeddings of 128 dimensions, at τ = 0.5,
// with one example in eight labeled. Of the sizes, the rows of the multi-viewed batch, "blocks" compares 512 rows at a time
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
	const d = 128
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	rows, labels := make([]float32, n*d), make([]bool, n/2)
	for i := range rows {
		rows[i] = float32(rng.NormFloat64())
	}
	for i := range labels {
		labels[i] = i%8 == 0
	}
	z, labeled := tensors.FromFlatDataAndDimensions(rows, n, d), tensors.FromFlatDataAndDimensions(labels, n/2)
	exec, err := NewExec(enginetest.Open(b).Backend, func(z, labeled *Node) []*Node {
		loss := o.Loss(Views{Z: z, Labeled: labeled, BlockRows: blockRows}, 0.5)
		return []*Node{loss, Gradient(loss, z)[0]}
	})
	if err != nil {
		b.Fatal(err)
	}
	defer exec.Finalize()
	step := func() {
		out, err := exec.Call(z, labeled)
		if err != nil {
			b.Fatal(err)
		}
		_ = out[0].Value() // waits until all is done
		for _, x := range out {
			x.MustFinalizeAll()
		}
	}
	step() // compiles
	for b.Loop() {
		step()
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/op")
}
