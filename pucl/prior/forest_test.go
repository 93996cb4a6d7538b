package prior_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/prior"
	"github.com/puclab/puclab/pucl/rows"
)

// A forest scores new rows as the function of OfRows scores held-out rows. Both are given all values of every feature,
// so that their bins agree.
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
	for name, damage := range map[string]func(f *prior.Forest){
		"a place before its node": func(f *prior.Forest) { f.Nodes[f.Roots[0]].Low = 0 },
		"a leaf of NaN":           func(f *prior.Forest) { f.Nodes[len(f.Nodes)-1].Value = math.NaN() },
		"an infinite bias":        func(f *prior.Forest) { f.Bias = math.Inf(-1) },
		"an infinite edge":        func(f *prior.Forest) { f.Edges[0][len(f.Edges[0])-1] = math.Inf(1) },
		"edges out of order":      func(f *prior.Forest) { f.Edges[0][0], f.Edges[0][1] = f.Edges[0][1], f.Edges[0][0] },
	} {
		forest := expect.Must(prior.Trees{}.Fit(x, labeled, 1))(t)
		expect.NoError(t, forest.Check())
		damage(forest)
		err := forest.Check()
		expect.That(t, err != nil && strings.Contains(err.Error(), "do not hold together"), "%s: %v", name, err)
	}
}
