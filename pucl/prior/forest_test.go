package prior_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/prior"
	"github.com/puclab/puclab/pucl/rows"
)

// A forest scores new rows as the function of OfRows scores held-out rows. Both know all values of every feature, so
// that their bins agree.
func TestForestScoresAsOfRowsDoes(t *testing.T) {
	const n, held = 600, 150
	rng := rand.New(rand.NewPCG(4, 4))
	x, labeled := mat.NewDense(n, 3, nil), make([]bool, n)
	for i := range n {
		labeled[i] = i%5 == 0
		for j := range 3 {
			value := rng.IntN(20)
			if labeled[i] && j < 2 {
				value = min(value+5, 19)
			}
			if i < 20 {
				value = i
			}
			x.Set(i, j, float64(value))
		}
	}
	index := rows.All(n)
	want := expect.Must(expect.Must(prior.Trees{}.OfRows(x, labeled))(t)(index[:n-held], index[n-held:], 7))(t)
	learned := expect.Must(rows.Take(x, index[:n-held]))(t)
	forest := expect.Must(prior.Trees{}.Fit(learned, labeled[:n-held], 7))(t)
	forest.Bias = 0.25
	got := expect.Must(forest.Scores(expect.Must(rows.Take(x, index[n-held:]))(t)))(t)
	means, counts := [2]float64{}, [2]float64{}
	for i := range got {
		expect.Near(t, got[i], want[i]+0.25, 1e-12, "row", i)
		kind := 0
		if labeled[n-held+i] {
			kind = 1
		}
		means[kind] += got[i]
		counts[kind]++
	}
	expect.That(t, means[1]/counts[1] > means[0]/counts[0]+0.5, "labeled rows have the mean score %g, others %g",
		means[1]/counts[1], means[0]/counts[0])
}

func TestForestRefuses(t *testing.T) {
	x := mat.NewDense(200, 1, nil)
	labeled := make([]bool, 200)
	for i := range 200 {
		x.Set(i, 0, float64(i))
		labeled[i] = i >= 100
	}
	forest := expect.Must(prior.Trees{}.Fit(x, labeled, 1))(t)
	expect.Error(t, expect.Err(forest.Scores(mat.NewDense(1, 2, nil))), "rows of 2 features", "rows of 1")
	expect.Error(t, expect.Err(forest.Scores(nil)), "no rows")
	expect.Error(t, expect.Err(prior.Trees{}.Fit(x, make([]bool, 200), 1)))
	expect.Error(t, expect.Err(prior.Trees{Depth: -1}.Fit(x, labeled, 1)), "depth -1")
	forest.Nodes[forest.Roots[0]].Low = 0
	expect.Error(t, forest.Check(), "do not hold together")
}
