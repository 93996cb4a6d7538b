package theory

import (
	"math"
	"testing"

	"github.com/puclab/puclab/pucl"
)

// Both gradients, for both meanings of z·z', against central differences of loops over the rows.
func TestAnchorGradientsAgainstFiniteDifferences(t *testing.T) {
	const tau, h = 0.7, 1e-5
	z := [][]float64{{1, 0.2}, {-0.4, 1}, {0.3, -2}, {0.8, 0.9}, {-1, 0.1}, {1.5, 0.7}}
	labeled, class := []bool{true, true, false}, []int32{1, 1, 0}
	products := map[Similarity]func(a, b []float64) float64{
		Cosine:       cosine,
		InnerProduct: func(a, b []float64) float64 { return a[0]*b[0] + a[1]*b[1] },
	}
	for _, o := range []pucl.Objective{pucl.PUCL(), pucl.SCL()} {
		for similarity, product := range products {
			score := func(i int) float64 { // ℓ_i
				partition, attraction, count := 0.0, 0.0, 0.0
				for j := range z {
					if j == i {
						continue
					}
					s := product(z[i], z[j]) / tau
					partition += math.Exp(s)
					if rules[o.Name](i, j, 3, func(row int) bool { return labeled[row%3] }, func(row int) bool { return class[row%3] == 1 }) {
						attraction, count = attraction+s, count+1
					}
				}
				return math.Log(partition) - attraction/count
			}
			got, err := AnchorGradients(openEngine(t), o, GivenBatch{z, labeled, class}, similarity, tau)
			if err != nil {
				t.Fatal(err)
			}
			for i := range z {
				for k, x := range z[i] {
					slope := func(f func() float64) float64 {
						defer func() { z[i][k] = x }()
						z[i][k] = x + h
						up := f()
						z[i][k] = x - h
						return (up - f()) / (2 * h)
					}
					near(t, o.Name+", alone, "+similarity.String(), got.Alone[i][k], slope(func() float64 { return score(i) }), 1e-8)
					near(t, o.Name+", whole, "+similarity.String(), got.Whole[i][k], slope(func() float64 {
						sum := 0.0
						for row := range z {
							sum += score(row)
						}
						return sum
					}), 1e-8)
				}
			}
		}
	}
}

func TestAnchorGradientsRefuse(t *testing.T) {
	good := GivenBatch{Z: [][]float64{{1, 0}, {0, 1}}, Labeled: []bool{true}}
	eng := openEngine(t)
	_, err := AnchorGradients(nil, pucl.PUCL(), good, Cosine, 1)
	wantError(t, "no engine", err, "engine.Open")
	_, err = AnchorGradients(eng, pucl.PUCL(), GivenBatch{Z: good.Z}, Cosine, 1)
	wantError(t, "no labels", err, "2 rows with 0 labels")
	_, err = AnchorGradients(eng, pucl.PUCL(), GivenBatch{Z: [][]float64{{1, 0}, {0, 0}}, Labeled: good.Labeled}, Cosine, 1)
	wantError(t, "origin", err, "row 1", "origin")
	_, err = AnchorGradients(eng, pucl.UniformityLoss(), good, Cosine, 1)
	wantError(t, "no per-anchor loss", err, "no per-anchor loss")
	_, err = AnchorGradients(eng, pucl.PUCL(), good, Similarity(7), 1)
	wantError(t, "similarity", err, "Similarity(7)")
	_, err = AnchorGradients(eng, pucl.PUCL(), good, Cosine, -1)
	wantError(t, "temperature", err, "τ = -1")
	_, err = AnchorGradients(eng, pucl.SCL(), good, Cosine, 1)
	wantError(t, "no classes", err, "SameClass")
}
