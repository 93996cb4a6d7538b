package cluster

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine"
)

// farthestFirst is plain k-center greedy: it compares every row with every center in each step, in float64.
func farthestFirst(x, start [][]float32, k int) (chosen []int, distances []float64, radius float64) {
	dot := func(a, b []float32) (sum float64) {
		for j := range a {
			sum += float64(a[j]) * float64(b[j])
		}
		return sum
	}
	centers := slices.Clone(start)
	for {
		at, farthest := -1, math.Inf(-1)
		for i, row := range x {
			if slices.Contains(chosen, i) {
				continue
			}
			nearest := math.Inf(1)
			for _, c := range centers {
				nearest = min(nearest, 1-dot(row, c)/math.Sqrt(dot(row, row)*dot(c, c)))
			}
			if nearest > farthest {
				at, farthest = i, nearest
			}
		}
		if len(chosen) == k {
			return chosen, distances, max(farthest, 0)
		}
		chosen, distances, centers = append(chosen, at), append(distances, farthest), append(centers, x[at])
	}
}

// flat returns rows as a Source.
func flat(x [][]float32) Float32s {
	out := Float32s{D: len(x[0])}
	for _, row := range x {
		out.Data = append(out.Data, row...)
	}
	return out
}

// scattered returns n rows around some places. Every fifth row is a copy of an earlier one, and every seventh is one
// times 4.
func scattered(seed uint64, n, d, places int) [][]float32 {
	rng := rand.New(rand.NewPCG(seed, 2))
	at := make([][]float32, places)
	for i := range at {
		at[i] = make([]float32, d)
		for j := range at[i] {
			at[i][j] = float32(rng.NormFloat64())
		}
	}
	x := make([][]float32, n)
	for i := range x {
		if i > 0 && i%5 == 0 {
			x[i] = slices.Clone(x[rng.IntN(i)])
		} else {
			x[i] = slices.Clone(at[rng.IntN(places)])
			for j := range x[i] {
				x[i][j] += float32(0.3 * rng.NormFloat64())
			}
		}
		if i%7 == 0 {
			for j := range x[i] {
				x[i][j] *= 4
			}
		}
	}
	return x
}

// onAll calls test without an engine and with every available engine.
func onAll(t *testing.T, test func(t *testing.T, eng *engine.Engine)) {
	for name, eng := range engines(t) {
		t.Run(name, func(t *testing.T) { test(t, eng) })
	}
}

// KCenter chooses the same rows as loops in float64, with copies, with ties, with K equal to the number of rows, and
// with more rows than the watched set or one piece holds.
func TestKCenterIsGreedy(t *testing.T) {
	axes := [][]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {0, 2, 0}}
	same := slices.Repeat([][]float32{{0.3, 0.7, -0.1}}, 400)
	for _, tt := range []struct {
		name     string
		x, start [][]float32
		k        int
	}{
		{"one row", axes[:1], nil, 1},
		{"ties", axes, nil, 7},
		{"ties and a start", axes, [][]float32{{5, 0, 0}}, 7},
		{"all rows alike", same, nil, 5},
		{"all rows alike, the start too", same, same[:2], 5},
		{"two kinds of row", slices.Concat(same[:300], axes[:1], same), nil, 4},
		{"all of a small pool", scattered(1, 120, 8, 5), nil, 120},
		{"with a start", scattered(2, 700, 16, 9), scattered(3, 40, 16, 9), 60},
		{"more than are watched", scattered(4, 3000, 12, 6), nil, 150},
		{"more than a piece", scattered(5, greedyRows+50, 3, 40), scattered(6, fewCenters+3, 3, 2), 25},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if len(tt.x) > 1000 {
				expect.Slow(t)
			}
			order, distances, radius := farthestFirst(tt.x, tt.start, tt.k)
			onAll(t, func(t *testing.T, eng *engine.Engine) {
				var start Source
				if tt.start != nil {
					start = flat(tt.start)
				}
				got := expect.Must(KCenter{K: tt.k, Engine: eng}.Choose(flat(tt.x), start))(t)
				expect.Require(t, slices.Equal(got.Rows, order), "chosen %v, want %v", got.Rows, order)
				for i, distance := range distances {
					if off := math.Abs(got.Distances[i] - distance); off > 1e-12 || math.IsNaN(off) && !math.IsInf(got.Distances[i], 1) {
						t.Errorf("row %d chosen at distance %g, want %g", order[i], got.Distances[i], distance)
					}
				}
				expect.That(t, tt.k >= len(tt.x) || math.Abs(got.Radius-radius) < 1e-12,
					"radius %g, want %g", got.Radius, radius)
			})
		})
	}
}

// The largest angle is at most twice the optimum and the distance at most four times. For rows in an eighth of the
// plane the optimum is known: the rows split into K runs of neighbors, each with a center in its middle.
func TestKCenterIsNearTheBest(t *testing.T) {
	// leave returns the smallest possible largest angle between sorted angles and the middles of the given number of
	// runs.
	var leave func(angles []float64, runs int) float64
	leave = func(angles []float64, runs int) float64 {
		least := (angles[len(angles)-1] - angles[0]) / 2
		for first := 1; first < len(angles) && runs > 1; first++ {
			least = min(least, max((angles[first-1]-angles[0])/2, leave(angles[first:], runs-1)))
		}
		return least
	}
	rng, worst := rand.New(rand.NewPCG(7, 7)), 0.0
	check := func(angles []float64, k int) {
		x := make([][]float32, len(angles))
		for i, angle := range angles {
			x[i] = []float32{float32(math.Cos(angle)), float32(math.Sin(angle))}
		}
		got := expect.Must(KCenter{K: k}.Choose(flat(x), nil))(t)
		best := leave(slices.Sorted(slices.Values(angles)), k)
		if angle := math.Acos(1 - got.Radius); angle > 2*best+1e-6 || got.Radius > 4*(1-math.Cos(best))+1e-6 {
			t.Errorf("%d centers of %.3f leave an angle of %.4f and a distance of %.4f; the least angle is %.4f", k, angles, angle, got.Radius, best)
		}
		worst = max(worst, got.Radius/(1-math.Cos(best)))
	}
	check([]float64{0, 0.1, 0.2}, 1) // row 0 is chosen; 0.1 would be optimal
	for range 200 {
		angles := make([]float64, 3+rng.IntN(6))
		for i := range angles {
			angles[i] = rng.Float64() * math.Pi / 4
		}
		check(angles, 1+rng.IntN(len(angles)-1))
	}
	expect.That(t, worst >= 3.98, "nowhere is the distance more than %.2f times the least", worst)
}

// Rows that change between readings are an error, on the processor and on an engine.
func TestKCenterOfAnotherSource(t *testing.T) {
	onAll(t, func(t *testing.T, eng *engine.Engine) {
		x := &faulty{Float32s: Float32s{[]float32{1, 0, 0, 1, 1, 1}, 2}, broken: func(reads int, rows []float32) error {
			if reads > 2 { // reads 1 and 2: all rows, and the first center
				copy(rows, []float32{1, 0})
			}
			return nil
		}}
		says := "row 1 of the pool with its nearest center is 0 at first and 1 where it is read again; … the same rows each time"
		if eng != nil {
			says += " … or leave Engine out"
		}
		err := refusal.Err(KCenter{K: 2, Engine: eng}.Choose(x, nil))
		refusal.Check(t, err, says)
		expect.That(t, eng != nil || err == nil || !strings.Contains(err.Error(), "ngine"),
			"an engine is blamed, and there is none: %v", err)
	})
}

// A source whose dimensions change, or that returns rows of another length, is an error.
func TestKCenterOfAChangedSource(t *testing.T) {
	pool := Float32s{[]float32{1, 0, 0, 1, 1, 1}, 2}
	longer := &faulty{Float32s: pool, broken: func(reads int, rows []float32) error {
		if reads > 1 {
			rows[0] = float32(math.NaN())
		}
		return nil
	}}
	refusal.Check(t, refusal.Err(KCenter{K: 2}.Choose(longer, nil)), "row 0 of the source is another one than in the first pass; … the same rows each time")
	for _, now := range []Float32s{{[]float32{1, 0, 0, 1}, 2}, {pool.Data, 3}} {
		refusal.Check(t, refusal.Err(KCenter{K: 2}.Choose(&changing{Float32s: pool, now: now, good: 1}, nil)), "now and had 3 of 2; … it must stay the same")
	}
	start := &changing{Float32s: Float32s{[]float32{1, 1}, 2}, now: Float32s{[]float32{1, 1, 1}, 3}, good: 1}
	refusal.Check(t, refusal.Err(KCenter{K: 2}.Choose(pool, start)), "1 rows of 3 entries now and had 1 of 2; … it must stay the same")
}

// changing is a Source that returns other rows after a few calls of Dims.
type changing struct {
	Float32s
	now  Float32s
	good int
}

func (c *changing) Dims() (n, d int) {
	if c.good == 0 {
		return c.now.Dims()
	}
	c.good--
	return c.Float32s.Dims()
}

// nth returns the k-th of the sorted numbers, for both signs, zeros and infinities.
func TestNth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), 1e-45, -1e-45}
	for range 500 {
		x = append(x, float32(rng.NormFloat64()), float32(math.Ceil(3*rng.NormFloat64())))
	}
	sorted := slices.Sorted(slices.Values(x))
	for k := range x {
		expect.Equal(t, nth(x, k), sorted[k], "place %d", k)
	}
}

type broken struct{ Float32s }

func (broken) Read(int, []float32) error { return errors.New("disk: gone; mount it again") }

func TestKCenterRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	pool := Float32s{[]float32{1, 0, 0, 1, 1, 1}, 2}
	for _, tt := range []struct {
		k           int
		pool, start Source
		says        string
	}{
		{1, nil, nil, "no source of rows … Float32s and Dense"},
		{1, Float32s{nil, 2}, nil, "0 rows with 2 entries … at least one row"},
		{0, pool, nil, "0 centers … K must be 1 or more"},
		{4, pool, nil, "4 centers of 3 rows … at most the number of rows"},
		{1, pool, Float32s{[]float32{1}, 1}, "1 centers of 1 entries to start from, and rows of 2 … of the same length, or nil"},
		{1, Float32s{[]float32{1, 0, 0, 0}, 2}, nil, "row 1 of the pool is all zeros … leave it out"},
		{1, Float32s{[]float32{1, 0, nan, 0}, 2}, nil, "row 1 of the pool holds an entry that is not finite … leave it out"},
		{1, Float32s{[]float32{inf, 0}, 2}, nil, "row 0 of the pool holds an entry that is not finite … leave it out"},
		{1, pool, Float32s{[]float32{0, 0}, 2}, "row 0 of the centers to start from is all zeros … leave it out"},
	} {
		refusal.Check(t, refusal.Err(KCenter{K: tt.k}.Choose(tt.pool, tt.start)), tt.says)
	}
	_, err := (KCenter{K: 1}).Choose(broken{pool}, nil)
	expect.That(t, err != nil && err.Error() == "disk: gone; mount it again", "a source that cannot be read: %v", err)
}

// BenchmarkKCenter chooses 1,000 of rows of 128 numbers. peers/kcenter.py writes the rows to a file and compares the
// time with numpy.
func BenchmarkKCenter(b *testing.B) {
	x, k := Float32s{D: 128}, setting(b, "PUCL_PEERS_K", 1000)
	if path := os.Getenv("PUCL_PEERS_ROWS"); path != "" {
		x.Data = float32sOf(b, path)
	} else {
		x = blobs(1, 60000, 128, 100, 1)
	}
	c := KCenter{K: k, Engine: enginetest.Found(b)}
	choose := func(c KCenter, x Float32s) *Centers { return expect.Must(c.Choose(x, nil))(b) }
	choose(KCenter{K: 200, Engine: c.Engine}, Float32s{x.Data[:128*min(len(x.Data)/128, greedyRows)], 128}) // warm
	var got *Centers
	var times []float64
	for b.Loop() {
		start := time.Now()
		got = choose(c, x)
		times = append(times, time.Since(start).Seconds()*1e3)
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "median-ms")
	sum := 0
	for i, row := range got.Rows {
		sum = (sum + (i+1)*row) % 1_000_003
	}
	b.ReportMetric(float64(sum), "checksum")
	b.ReportMetric(got.Radius*1e6, "radius-millionths")
}
