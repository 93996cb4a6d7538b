package reduce

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/rows"
)

// sklearn holds results of scikit-learn; see testdata/make_fixtures.py.
type sklearn struct {
	Rows, Points, Pairs, Gradient [][]float64
	Perplexity                    float64
	Divergence                    map[string]float64
}

func readSklearn(t *testing.T) (s sklearn) {
	t.Helper()
	data := expect.Must(os.ReadFile("testdata/sklearn.json"))(t)
	expect.NoError(t, json.Unmarshal(data, &s))
	return s
}

func matrix(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return m
}

// centered returns the rows in the form that affinities requires.
func centered(rows [][]float64) *mat.Dense {
	x := matrix(rows)
	center(x)
	return x
}

func pointsOf(rows [][]float64) []point {
	y := make([]point, len(rows))
	for i, row := range rows {
		y[i] = point{row[0], row[1]}
	}
	return y
}

// dense returns the pairs as a full matrix.
func (p pairs) dense() [][]float64 {
	all := make([][]float64, len(p.first)-1)
	for i := range all {
		all[i] = make([]float64, len(all))
		columns, values := p.row(i)
		for k, j := range columns {
			all[i][j] += values[k]
		}
	}
	return all
}

// TestPairs compares p_ij with scikit-learn, which searches widths to 1e-5 in float32.
func TestPairs(t *testing.T) {
	s := readSklearn(t)
	p := expect.Must(affinities(t.Context(), centered(s.Rows), s.Perplexity))(t)
	sum := 0.0
	for i, row := range p.dense() {
		for j, got := range row {
			sum += got
			want := s.Pairs[i][j]
			expect.That(t, math.Abs(got-want) <= 1e-5*want+1e-8, "p[%d][%d] = %g, scikit-learn has %g", i, j, got, want)
			expect.Require(t, got == p.dense()[j][i], "p[%d][%d] is not p[%d][%d]", i, j, j, i)
		}
	}
	expect.That(t, math.Abs(sum-1) <= 1e-12, "the pairs sum to %g", sum)
}

// TestPairsOfAnyRows: neither an offset of all rows nor one row far away changes the pairs of the other rows.
func TestPairsOfAnyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	x := mat.NewDense(100, 2, nil)
	x.Apply(func(int, int, float64) float64 { return float64(rng.IntN(1 << 20)) }, x)
	prepared := func(x *mat.Dense) [][]float64 {
		near, _ := rows.Near(mat.DenseCopyOf(x))
		center(near)
		return expect.Must(affinities(t.Context(), near, 5))(t).dense()
	}
	want := prepared(x)
	for _, offset := range []float64{1e9, -1e12, 1e15} {
		y := mat.DenseCopyOf(x)
		y.Apply(func(_, _ int, v float64) float64 { return v + offset }, y)
		for i, row := range prepared(y) {
			for j, got := range row {
				expect.Near(t, got, want[i][j], 1e-9*want[i][j]+1e-15, "%g", offset)
			}
		}
	}
	var y mat.Dense
	y.Stack(x, mat.NewDense(1, 2, []float64{1e18, 0}))
	for i, row := range prepared(&y)[:100] {
		for j, got := range row[:100] {
			expect.Near(t, got*101, want[i][j]*100, 1e-6*want[i][j]+1e-12, "beside a row far away")
		}
	}
}

// slopes returns the gradient at y by the tree, and by loops over all pairs.
func slopes(y []point, p pairs, angle, attraction float64) (byTree, byLoops []point) {
	d := newDescent(slices.Clone(y), p, angle)
	d.slope(attraction)
	all, z := p.dense(), 0.0
	for i := range y {
		for j := range y {
			if i != j {
				z += 1 / (1 + math.Pow(y[i].x-y[j].x, 2) + math.Pow(y[i].y-y[j].y, 2))
			}
		}
	}
	byLoops = make([]point, len(y))
	for i := range y {
		for j := range y {
			w := 1 / (1 + math.Pow(y[i].x-y[j].x, 2) + math.Pow(y[i].y-y[j].y, 2))
			share := 4 * (attraction*all[i][j] - w/z) * w
			byLoops[i].x += share * (y[i].x - y[j].x)
			byLoops[i].y += share * (y[i].y - y[j].y)
		}
	}
	return d.gradient, byLoops
}

// apart returns the largest difference relative to the largest wanted length.
func apart(got, want []point) float64 {
	largest, length := 0.0, 0.0
	for i := range got {
		largest = max(largest, got[i].squaredDistance(want[i]))
		length = max(length, want[i].squaredDistance(point{}))
	}
	return math.Sqrt(largest / length)
}

func TestGradient(t *testing.T) {
	s := readSklearn(t)
	p := expect.Must(affinities(t.Context(), centered(s.Rows), s.Perplexity))(t)
	y := pointsOf(s.Points)
	exact, loops := slopes(y, p, 1e-9, 1)
	if off := apart(exact, loops); off > 1e-13 {
		t.Errorf("with an angle of all but 0 the gradient is %g off loops over all pairs", off)
	}
	if off := apart(exact, pointsOf(s.Gradient)); off > 1e-5 {
		t.Errorf("the gradient is %g off scikit-learn's", off)
	}
	tree, _ := slopes(y, p, 0.5, 1)
	if off := apart(tree, loops); off == 0 || off > 0.02 {
		t.Errorf("with angle 0.5 the gradient is %g off; want something, but below 0.02", off)
	}
	// Finite differences of the divergence.
	for i := range 5 {
		const h = 1e-5
		at := func(shift float64) float64 {
			moved := slices.Clone(y)
			moved[i].x += shift
			return newDescent(moved, p, 1e-9).divergence()
		}
		expect.Near(t, (at(h)-at(-h))/(2*h), exact[i].x, 1e-8, "point %d", i)
	}
}

// TestTreeOnClusters uses points in tight, distant clusters, on one spot, and on lines.
func TestTreeOnClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	y := make([]point, 600)
	for i := range y {
		switch i % 4 {
		case 0:
			y[i] = point{100 + 1e-9*rng.NormFloat64(), -3}
		case 1:
			y[i] = point{-50, 20} // 150 on one spot
		case 2:
			y[i] = point{rng.NormFloat64(), 0}
		case 3:
			y[i] = point{40 + rng.NormFloat64(), 40 + rng.NormFloat64()}
		}
	}
	nothing := pairs{first: make([]int, len(y)+1)}
	for _, tt := range []struct{ angle, limit float64 }{{1e-9, 1e-12}, {0.2, 2e-3}, {0.5, 0.02}, {0.7, 0.05}} {
		tree, loops := slopes(y, nothing, tt.angle, 1)
		off := apart(tree, loops)
		expect.That(t, off <= tt.limit, "angle %g: %g off, want at most %g", tt.angle, off, tt.limit)
	}
}

func TestTSNE(t *testing.T) {
	s := readSklearn(t)
	data := matrix(s.Rows)
	points, _ := expect.Must2(TSNE(t.Context(), data, TSNEConfig{Perplexity: s.Perplexity}))(t)
	// Rounding changes the result of a run by about a tenth, so the test uses the mean of several.
	const runs = 8
	rng, mean, want := rand.New(rand.NewPCG(1, 2)), 0.0, s.Divergence["barnes_hut"]
	for range runs {
		near := mat.DenseCopyOf(data)
		near.Apply(func(_, _ int, v float64) float64 { return v * (1 + 1e-12*rng.NormFloat64()) }, near)
		_, divergence := expect.Must2(TSNE(t.Context(), near, TSNEConfig{Perplexity: s.Perplexity}))(t)
		mean += divergence / runs
	}
	expect.That(t, mean < 1.08*want && mean > 0.92*want,
		"divergence %.4f in the mean of %d runs, scikit-learn gets to %.4f", mean, runs, want)
	for i := range len(s.Rows) { // the rows belong to three clusters in turn
		best, least := -1, math.Inf(1)
		for j := range len(s.Rows) {
			if d := math.Hypot(points.At(i, 0)-points.At(j, 0), points.At(i, 1)-points.At(j, 1)); j != i && d < least {
				best, least = j, d
			}
		}
		expect.That(t, best%3 == i%3, "point %d of cluster %d is nearest to one of cluster %d", i, i%3, best%3)
	}
	expect.That(t, mat.Equal(data, matrix(s.Rows)), "the data were changed")
	for _, scale := range []float64{1e-309, 1e-200, 1e150, 1e300} { // shifts and scales keep relative distances
		other := mat.DenseCopyOf(data)
		other.Apply(func(_, _ int, v float64) float64 { return scale * (v + 64) }, other)
		if _, d, err := TSNE(t.Context(), other, TSNEConfig{Perplexity: s.Perplexity}); err != nil || !(d < 1.2*want) {
			t.Errorf("of rows %g times as large: divergence %g, want about %g (%v)", scale, d, want, err)
		}
	}
}

// TestTSNEOnOneProcessor uses rows for several blocks.
func TestTSNEOnOneProcessor(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	data := mat.NewDense(2*rowsAtOnce+blockSize/2, 5, nil)
	data.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, data)
	var points [2]*mat.Dense
	var divergences [2]float64
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for k, processors := range []int{1, 4} {
		runtime.GOMAXPROCS(processors)
		points[k], divergences[k] = expect.Must2(TSNE(t.Context(), data, TSNEConfig{Perplexity: 5, Iterations: 60}))(t)
	}
	expect.That(t, mat.Equal(points[0], points[1]) && divergences[0] == divergences[1],
		"on one processor the points are others; divergence %g, and on four %g", divergences[0], divergences[1])
}

// TestRepulsionOnOneSpot uses equal points whose mean differs from them by rounding.
func TestRepulsionOnOneSpot(t *testing.T) {
	y := slices.Repeat([]point{{0.1, 0.3}}, 20)
	force := make([]point, len(y))
	expect.Equal(t, newQuadtree(len(y), 0.5).repel(y, force), 20*19)
}

// TestTSNEOfEqualRows uses equal rows, as after collapse of an embedding.
func TestTSNEOfEqualRows(t *testing.T) {
	points, divergence := expect.Must2(TSNE(t.Context(), mat.NewDense(500, 3, nil), TSNEConfig{Iterations: 300}))(t)
	for i := range 500 {
		expect.Require(t, points.At(i, 0) == 0 && points.At(i, 1) == 0,
			"point %d is at %g, %g", i, points.At(i, 0), points.At(i, 1))
	}
	expect.That(t, !math.IsNaN(divergence), "the divergence is NaN")
	twice := mat.NewDense(40, 2, nil) // each row occurs twice
	for i := range 40 {
		twice.SetRow(i, []float64{float64(i / 2), float64(i / 2 * i / 2)})
	}
	points, _ = expect.Must2(TSNE(t.Context(), twice, TSNEConfig{Perplexity: 5}))(t)
	for i, v := range points.RawMatrix().Data {
		expect.Require(t, !math.IsNaN(v) && !math.IsInf(v, 0), "coordinate %d is %g", i, v)
	}
}

func TestTSNERefuses(t *testing.T) {
	good := mat.NewDense(10, 3, slices.Repeat([]float64{1, 2, 3, 5, 8, 13}, 5))
	bad := mat.DenseCopyOf(good)
	bad.Set(4, 1, math.NaN())
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		data   mat.Matrix
		config TSNEConfig
		want   error
		says   string
	}{
		{"two rows", t.Context(), mat.NewDense(2, 3, nil), TSNEConfig{}, ErrShape, "reduce: t-SNE: 2 rows of 3 numbers, want 3 rows of 2 numbers or more: wrong shape"},
		{"one column", t.Context(), mat.NewDense(5, 1, nil), TSNEConfig{}, ErrShape, "reduce: t-SNE: 5 rows of 1 numbers, want 3 rows of 2 numbers or more: wrong shape"},
		{"the default perplexity", t.Context(), good, TSNEConfig{}, ErrConfig, "reduce: t-SNE: perplexity 30 with 10 rows; give one from 1 to below the number of rows: a setting that cannot be used"},
		{"no perplexity", t.Context(), good, TSNEConfig{Perplexity: math.NaN()}, ErrConfig, "reduce: t-SNE: perplexity NaN with 10 rows; give one from 1 to below the number of rows: a setting that cannot be used"},
		{"negative iterations", t.Context(), good, TSNEConfig{Perplexity: 3, Iterations: -1}, ErrConfig, "reduce: t-SNE: -1 iterations; give a number above 0: a setting that cannot be used"},
		{"a wide angle", t.Context(), good, TSNEConfig{Perplexity: 3, Angle: 0.8}, ErrConfig, "reduce: t-SNE: angle 0.8; give one above 0, where all is exact and slow, up to 0.7: a setting that cannot be used"},
		{"a start of another shape", t.Context(), good, TSNEConfig{Perplexity: 3, Start: mat.NewDense(9, 2, nil)}, ErrShape, "reduce: t-SNE: a start of 9 rows of 2 numbers, want 10 rows of 2: wrong shape"},
		{"a start with NaN", t.Context(), mat.NewDense(10, 3, nil), TSNEConfig{Perplexity: 3, Start: bad.Slice(0, 10, 0, 2)}, ErrNotFinite, "reduce: start of t-SNE: row 4, column 1 is NaN: not a finite number; leave the row out, or look for a training that diverged"},
		{"NaN", t.Context(), bad, TSNEConfig{Perplexity: 3}, ErrNotFinite, "reduce: t-SNE: row 4, column 1 is NaN: not a finite number; leave the row out, or look for a training that diverged"},
		{"a context that has ended", canceled, good, TSNEConfig{Perplexity: 3}, context.Canceled, "context canceled"},
	} {
		points, _, err := TSNE(tt.ctx, tt.data, tt.config)
		expect.That(t, errors.Is(err, tt.want) && points == nil && fmt.Sprint(err) == tt.says,
			"%s: %v, %v", tt.name, points, err)
	}
}

// BenchmarkTSNE maps rows of 128 float32 numbers. peers/tsne.py writes them to a file and compares the time with
// scikit-learn.
func BenchmarkTSNE(b *testing.B) {
	const d = 128
	var values []float64
	if path := os.Getenv("PUCL_PEERS_ROWS"); path != "" {
		file := expect.Must(os.ReadFile(path))(b)
		for at := 0; at < len(file); at += 4 {
			values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(file[at:]))))
		}
	} else {
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range 2000 * d {
			values = append(values, rng.NormFloat64()+float64(i/d%10*(i%d)%7))
		}
	}
	data := mat.NewDense(len(values)/d, d, values)
	var times, divergences []float64
	for b.Loop() {
		start := time.Now()
		_, divergence := expect.Must2(TSNE(b.Context(), data, TSNEConfig{}))(b)
		times, divergences = append(times, time.Since(start).Seconds()*1e3), append(divergences, divergence)
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "median-ms")
	b.ReportMetric(divergences[0]*1e3, "millinats")
}
