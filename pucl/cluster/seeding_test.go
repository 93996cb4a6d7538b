package cluster

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// tableOf returns the rows of x as k-means reads them.
func tableOf(t *testing.T, x Source) *table {
	rows := expect.Must(newTable(x, nil, 0, 100))(t)
	t.Cleanup(rows.free)
	return rows
}

// seeds returns the places of k seeds on a line, in the order in which they were drawn.
func seeds(t *testing.T, rows *table, c KMeans, restart int) []float64 {
	places := expect.Must(c.seed(rows, restart))(t)
	out := make([]float64, len(places))
	for i, x := range rows.outside(places).RawMatrix().Data {
		out[i] = x
	}
	return out
}

// Each row is drawn with a frequency proportional to its squared distance to the nearest seed; the first seed is
// uniform.
func TestPlusPlusDrawsBySquaredDistance(t *testing.T) {
	line := []float32{0, 1, 3, 7}
	rows := tableOf(t, Float32s{line, 1})
	const draws = 20000
	counts := map[string]float64{}
	for restart := range draws {
		counts[fmt.Sprint(seeds(t, rows, KMeans{K: 3}, restart))]++
	}
	checked := 0.0
	for i, a := range line {
		for j, b := range line {
			for l, c := range line {
				second, third, weight, last := 0.0, 0.0, 0.0, 0.0
				for m, x := range line {
					one := math.Pow(float64(x-a), 2)
					both := min(one, math.Pow(float64(x-b), 2))
					second, third = second+one, third+both
					if m == j {
						weight = one
					}
					if m == l {
						last = both
					}
				}
				if i == j || l == i || l == j {
					continue
				}
				want := 1.0 / 4 * weight / second * last / third
				got := counts[fmt.Sprint([]float64{float64(a), float64(b), float64(c)})] / draws
				if sd := math.Sqrt(want * (1 - want) / draws); !(math.Abs(got-want) <= 4.5*sd) {
					t.Errorf("seeds %g, %g, %g drawn with frequency %g, want %g", a, b, c, got, want)
				}
				checked += want
			}
		}
	}
	expect.That(t, math.Abs(checked-1) <= 1e-12, "the cases have probability %g", checked)
}

func TestRandomDrawsEverySetAlike(t *testing.T) {
	rows := tableOf(t, Float32s{[]float32{0, 1, 2, 3}, 1})
	const draws = 12000
	counts := map[string]float64{}
	for restart := range draws {
		set := seeds(t, rows, KMeans{K: 2, Seeding: Random}, restart)
		slices.Sort(set)
		counts[fmt.Sprint(set)]++
	}
	expect.That(t, len(counts) == 6, "sets %v", counts)
	for set, count := range counts {
		sd := math.Sqrt(5.0 / 36 / draws)
		expect.That(t, math.Abs(count/draws-1.0/6) <= 4.5*sd, "%s drawn with frequency %g, want 1/6", set, count/draws)
	}
}

// Seeds drawn by distance hit nearly all of forty tight groups of rows; uniform seeds do not. All seeds are rows.
func TestSeedsSpread(t *testing.T) {
	const groups = 40
	x := blobs(2, 4000, 6, groups, 0.01)
	for name, eng := range engines(t) {
		rows := expect.Must(newTable(x, eng, 0, 1000))(t)
		defer rows.free()
		met := map[Seeding]int{}
		for _, seeding := range []Seeding{PlusPlus, Parallel, Random} {
			places := rows.outside(expect.Must(KMeans{K: groups, Seeding: seeding, Seed: 7, Engine: eng}.seed(rows, 0))(t))
			found := map[int]bool{}
			for c := range groups {
				for i := range 4000 {
					row := mat.Row(nil, c, places)
					same := true
					for j, value := range row {
						same = same && math.Abs(value-float64(x.Data[i*6+j])) < 1e-5
					}
					if same {
						found[i%groups] = true
						break
					}
					expect.That(t, i != 3999, "%s, seeding %d: seed %d is no row", name, seeding, c)
				}
			}
			met[seeding] = len(found)
		}
		expect.That(t, met[PlusPlus] >= groups-1 && met[Parallel] >= groups-1 && met[Random] <= groups-8,
			"%s: groups met: %v", name, met)
	}
}

// k-means‖ adds passes if the first ones, here all drawn to one row, find too few rows.
func TestParallelFindsEnough(t *testing.T) {
	far := make([]float32, 400) // one row far away takes nearly all of the weight
	for i := range far {
		far[i] = float32(i) / 1e3
	}
	far[399] = 1e3
	p := expect.Must(KMeans{K: 20, Seeding: Parallel, Engine: enginetest.Open(t)}.Fit(Float32s{far, 1}))(t)
	expect.That(t, !slices.Contains(p.Counts, 0), "clusters of %v rows", p.Counts)
}

// A row is never drawn twice, however little rounding leaves of its distance. Too few different rows are an error.
func TestSeedsDiffer(t *testing.T) {
	x := Float32s{D: 2}
	for i := range 300 {
		x.Data = append(x.Data, 1000+float32(i%3)/64, -1000)
	}
	x.Data = append(x.Data, 0, 0)
	for _, seeding := range []Seeding{PlusPlus, Parallel, Random} {
		for seed := range uint64(20) {
			for _, block := range []int{0, 100} {
				c := KMeans{K: 4, Seeding: seeding, Seed: seed, Block: block}
				p := expect.Must(c.Fit(x))(t)
				expect.That(t, seeding == Random || p.Potential == 0,
					"seeding %d, seed %d: potential %g of 4 clusters for 4 different rows", seeding, seed, p.Potential)
				c.K = 5
				refusal.Check(t, refusal.Err(c.Fit(x)), "only 4 of the rows are different, when … too few to seed 5 clusters … lower K")
			}
		}
	}
}

// Twenty places too close for float32 products are still found as twenty.
func TestParallelTellsNearRowsApart(t *testing.T) {
	x := Float32s{D: 2}
	for i := range 400 {
		x.Data = append(x.Data, 1000+float32(i%20)/1024, 1000)
	}
	for range 400 {
		x.Data = append(x.Data, -1000, -1000)
	}
	for seed := range uint64(5) {
		places := expect.Must(KMeans{K: 21, Seeding: Parallel, Seed: seed}.seed(tableOf(t, x), 0))(t)
		slices.SortFunc(places, slices.Compare)
		expect.Equal(t, len(slices.CompactFunc(places, slices.Equal)), 21, "seed %d", seed)
	}
}
