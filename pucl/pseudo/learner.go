package pseudo

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/pucl/internal/spans"
	"github.com/puclab/puclab/pucl/rows"
)

// lift returns features of the rows of x [n, k]: its columns, and exp(−‖a−b‖²/2k) for every row a and each landmark b,
// a random row. Distances are between standardized columns, so that their mean square is 2k. Finally all features are
// standardized.
func lift(x *mat.Dense, config Config) *mat.Dense {
	n, k := x.Dims()
	x, _ = rows.Varying(x)
	m := min(config.Landmarks, n)
	out := mat.NewDense(n, k+m, nil)
	for i := range n {
		copy(out.RawRowView(i), x.RawRowView(i))
	}
	standardize(out, 0, k)
	landmarks := rand.New(rand.NewPCG(config.Seed, 0x1a4d)).Perm(n)[:m]
	spans.Each(n, func(_, first, end int) {
		for i := first; i < end; i++ {
			row := out.RawRowView(i)
			for j, at := range landmarks {
				distance := floats.Distance(row[:k], out.RawRowView(at)[:k], 2)
				row[k+j] = math.Exp(-distance * distance / float64(2*k))
			}
		}
	})
	standardize(out, k, k+m)
	return out
}

// standardize scales the columns of x from first to end−1 to mean 0 and standard deviation 1; a constant column becomes
// 0.
func standardize(x *mat.Dense, first, end int) {
	n, _ := x.Dims()
	column := make([]float64, n)
	for j := first; j < end; j++ {
		mean, deviation := stat.MeanStdDev(mat.Col(column, j, x), nil)
		floats.AddConst(-mean, column)
		if deviation == 0 || floats.Norm(column, math.Inf(1)) <= 1e-12*math.Abs(mean) { // a constant up to rounding
			deviation = math.Inf(1)
		}
		floats.Scale(1/deviation, column)
		x.SetCol(j, column)
	}
}

// outOfFold returns a score of every row of features by a classifier of labeled against unlabeled rows, with equal
// total weight. Folds are stratified, and the rows of a fold are scored by a classifier trained on the other folds;
// with one fold by a classifier trained on all rows.
func outOfFold(features *mat.Dense, labeled []bool, folds int, seed uint64) ([]float64, error) {
	fold := make([]int, len(labeled))
	rng := rand.New(rand.NewPCG(seed, 0xf01d))
	positive, unlabeled := rows.Split(labeled)
	for _, kind := range [][]int{positive, unlabeled} {
		for i, at := range rng.Perm(len(kind)) {
			fold[kind[at]] = i % folds
		}
	}
	scores := make([]float64, len(labeled))
	for f := range folds {
		var learn, judged []int
		for i, of := range fold {
			if of == f {
				judged = append(judged, i)
			}
			if of != f || folds == 1 {
				learn = append(learn, i)
			}
		}
		c, err := fit(features, learn, rows.Pick(labeled, learn), true)
		if err != nil {
			return nil, err
		}
		for _, i := range judged {
			scores[i] = c.logit(features.RawRowView(i))
		}
	}
	return scores, nil
}
