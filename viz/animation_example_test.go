package viz_test

import (
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/reduce"
	"github.com/puclab/puclab/viz"
)

// Positives and negatives that part while an encoder trains. Each frame is turned to move as little as may be.
func ExampleEmbeddings() {
	const frames, n, nPositive, nLabeled = 30, 900, 400, 60
	rng := rand.New(rand.NewPCG(31, 32))
	noise := make([]float64, 2*n)
	for i := range noise {
		noise[i] = rng.NormFloat64()
	}
	maps := make([]mat.Matrix, frames)
	for t := range maps {
		parted := 1 - math.Exp(-float64(t)/9)
		sin, cos := math.Sincos(float64(t)) // how the axes of an analysis of each frame may lie
		m := mat.NewDense(n, 2, nil)
		for i := range n {
			x, y := noise[2*i]*(1-0.6*parted), noise[2*i+1]*(1-0.4*parted)
			if i < nPositive {
				x += 1.5 * parted
			} else {
				x -= 1.2 * parted
			}
			m.SetRow(i, []float64{cos*x - sin*y, sin*x + cos*y})
		}
		maps[t] = m
	}
	aligned, err := reduce.AlignSequence(maps)
	if err != nil {
		log.Fatal(err)
	}
	var film []viz.EmbeddingFrame
	for t, m := range aligned {
		class := make([]int, n)
		for i := range n {
			if i >= nPositive {
				class[i] = 2
			} else if i >= nLabeled {
				class[i] = 1
			}
		}
		groups, err := viz.GroupBy(m, class, viz.LabeledPositive, viz.UnlabeledPositive, viz.Negative)
		if err != nil {
			log.Fatal(err)
		}
		film = append(film, viz.EmbeddingFrame{Step: 20 * t, Loss: 4.9 + 1.3*math.Exp(-float64(t)/6), Groups: groups})
	}
	a, err := viz.Embeddings(viz.EmbeddingsConfig{ScatterConfig: viz.ScatterConfig{
		Figure: viz.Figure{Title: "Positives part from negatives"}, EqualAspect: true}}, film...)
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(a, "testdata/embeddings.png", 0, 0); err != nil { // "….apng" moves
		log.Fatal(err)
	}
}
