package cluster

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/rows"
)

// blobs returns n rows of d entries around the given number of centers, all entries far from 0.
func blobs(seed uint64, n, d, centers int, width float64) Float32s {
	rng := rand.New(rand.NewPCG(seed, 1))
	places := randomRows(rng, centers, d)
	out := Float32s{D: d}
	for i := range n {
		for _, place := range places[i%centers] {
			out.Data = append(out.Data, float32(3+place+width*rng.NormFloat64()))
		}
	}
	return out
}

// rowsAt returns the rows of a source at index, as initial centers.
func rowsAt(x Float32s, index ...int) *mat.Dense {
	out := mat.NewDense(len(index), x.D, nil)
	for c, i := range index {
		for j := range x.D {
			out.Set(c, j, float64(x.Data[i*x.D+j]))
		}
	}
	return out
}

// lloyd is k-means with loops in float64, for the given number of rounds or until no label changes.
func lloyd(x Float32s, centers *mat.Dense, rounds int) (labels []int, potential float64, _ *mat.Dense, moved int) {
	n, d := x.Dims()
	k, _ := centers.Dims()
	centers = mat.DenseCopyOf(centers)
	assign := func() []int {
		labels, potential = make([]int, n), 0
		for i := range n {
			least := math.Inf(1)
			for c := range k {
				sum := 0.0
				for j := range d {
					difference := float64(x.Data[i*d+j]) - centers.At(c, j)
					sum += difference * difference
				}
				if sum < least {
					least, labels[i] = sum, c
				}
			}
			potential += least
		}
		return labels
	}
	for last := []int(nil); ; last = labels {
		if labels = assign(); slices.Equal(labels, last) || moved == rounds {
			return labels, potential, centers, moved
		}
		sums, counts := mat.NewDense(k, d, nil), make([]float64, k)
		for i, c := range labels {
			counts[c]++
			for j := range d {
				sums.Set(c, j, sums.At(c, j)+float64(x.Data[i*d+j]))
			}
		}
		for c := range k {
			for j := range d {
				centers.Set(c, j, sums.At(c, j)/counts[c])
			}
		}
		moved++
	}
}

// engines returns the engines to test by name, with nil for the processor.
func engines(t *testing.T) map[string]*engine.Engine {
	all := map[string]*engine.Engine{"processor": nil}
	for _, eng := range enginetest.All(t) {
		all[eng.Kind] = eng
	}
	return all
}

func TestKMeansAgainstLoops(t *testing.T) {
	for name, eng := range engines(t) {
		for _, tt := range []struct{ n, d, k, rounds int }{{50, 3, 1, 9}, {300, 2, 2, 50}, {700, 5, 8, 100}, {3000, 17, 40, 100}, {3000, 17, 70, 3}} {
			t.Run(fmt.Sprintf("%s, %d centers", name, tt.k), func(t *testing.T) {
				x := blobs(uint64(tt.k), tt.n, tt.d, 20, 0.4)
				index := rand.New(rand.NewPCG(1, 2)).Perm(tt.n)[:tt.k]
				start := rowsAt(x, index...)
				labels, potential, centers, rounds := lloyd(x, start, tt.rounds)
				p := expect.Must(KMeans{K: tt.k, Centers: start, Rounds: tt.rounds, Engine: eng}.Fit(x))(t)
				expect.That(t, slices.Equal(p.Labels, labels), "labels differ")
				expect.That(t, p.Rounds == rounds && p.Converged == (rounds < tt.rounds),
					"%d rounds, converged %v, want %d of at most %d", p.Rounds, p.Converged, rounds, tt.rounds)
				vectortest.Near(t, "potential", p.Potential, potential, 1e-6)
				expect.That(t, mat.EqualApprox(p.Centers, centers, 1e-6), "centers differ")
				counts := make([]int, tt.k)
				for _, c := range labels {
					counts[c]++
				}
				expect.That(t, slices.Equal(p.Counts, counts), "%v rows a cluster, want %v", p.Counts, counts)
			})
		}
	}
}

// hashed returns a pseudo-random number from −1/2 to 1/2 that depends on x alone.
func hashed(x float64) float64 {
	x = math.Sin(x) * 43758.5453
	return x - math.Floor(x) - 0.5
}

// The potentials of scikit-learn 1.9.1 from the first rows, as printed by `peers/kmeans.py --frozen`.
func TestPotentialsOfScikitLearn(t *testing.T) {
	const n, d = 3000, 128
	x := Float32s{D: d}
	for i := range n {
		for j := range d { // the rows of peers/rows.py
			x.Data = append(x.Data, float32(hashed(float64(i*d+j+1))+0.15*hashed(float64(i%10*d+j)+0.5)))
		}
	}
	for name, eng := range engines(t) {
		for _, tt := range []struct {
			k         int
			potential float64
		}{{2, 32344.497807}, {10, 31509.966706}, {50, 30107.839559}} {
			start := rowsAt(x, rows.All(tt.k)...)
			p := expect.Must(KMeans{K: tt.k, Centers: start, Rounds: 10, Engine: eng}.Fit(x))(t)
			vectortest.Near(t, fmt.Sprintf("%s, potential of %d clusters", name, tt.k), p.Potential, tt.potential, 1e-6)
		}
	}
}

// Bounds, streams and the number of processors change no bit of the result.
func TestEveryWayIsTheSame(t *testing.T) {
	expect.Slow(t)
	for name, eng := range engines(t) {
		for _, k := range []int{2, 30, 300} {
			x := blobs(5, 9000, 12, 60, 0.5)
			c := KMeans{K: k, Seeding: Random, Seed: 3, Rounds: 12, Engine: eng}
			want := expect.Must(c.Fit(x))(t)
			plain, stream := c, c
			plain.plain, stream.Block = true, 2000
			for way, c := range map[string]KMeans{"plain": plain, "stream": stream} {
				got := expect.Must(c.Fit(x))(t)
				if !slices.Equal(got.Labels, want.Labels) || got.Potential != want.Potential || !mat.Equal(got.Centers, want.Centers) ||
					got.Rounds != want.Rounds {
					t.Errorf("%s, %d centers, %s: another result, potential %v, want %v", name, k, way, got.Potential, want.Potential)
				}
			}
		}
	}
}

func TestAnyNumberOfProcessors(t *testing.T) {
	expect.Slow(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	x := blobs(6, 9000, 8, 30, 0.6)
	for name, eng := range engines(t) {
		for _, seeding := range []Seeding{PlusPlus, Parallel} {
			c := KMeans{K: 25, Seeding: seeding, Rounds: 8, Engine: eng}
			var want *Partition
			for _, processors := range []int{1, 3, 8} {
				runtime.GOMAXPROCS(processors)
				got := expect.Must(c.Fit(x))(t)
				if want == nil {
					want = got
				}
				if !slices.Equal(got.Labels, want.Labels) || got.Potential != want.Potential || !mat.Equal(got.Centers, want.Centers) {
					t.Errorf("%s, seeding %d: another result on %d processors", name, seeding, processors)
				}
			}
		}
	}
}

// Processors may be added during a fit.
func TestProcessorsMayBeAdded(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	x := &faulty{Float32s: blobs(14, 400, 3, 5, 0.5), broken: func(reads int, _ []float32) error {
		if reads > 10 {
			runtime.GOMAXPROCS(4)
		}
		return nil
	}}
	expect.Must(KMeans{K: 5, Centers: rowsAt(x.Float32s, 0, 1, 2, 3, 4), Block: 100}.Fit(x))(t)
}

// Rows in another order give bit-identical clusters, as do rows scaled by a large or small power of two.
func TestOrderAndScaleChangeNothing(t *testing.T) {
	x := blobs(7, 3000, 5, 12, 0.5)
	start := []int{5, 50, 500, 77, 2999, 1234, 1, 2, 3, 4}
	want := expect.Must(KMeans{K: 10, Centers: rowsAt(x, start...)}.Fit(x))(t)
	order := rand.New(rand.NewPCG(9, 9)).Perm(3000)
	mixed := Float32s{D: 5}
	for _, i := range order {
		mixed.Data = append(mixed.Data, x.Data[i*5:(i+1)*5]...)
	}
	got := expect.Must(KMeans{K: 10, Centers: rowsAt(x, start...)}.Fit(mixed))(t)
	for at, i := range order {
		expect.Require(t, got.Labels[at] == want.Labels[i],
			"row %d is in cluster %d, at another place in %d", i, want.Labels[i], got.Labels[at])
	}
	// The mean of all rows, which is subtracted, is rounded; that shifts the rows by at most a grid step of 2^-24.
	vectortest.Near(t, "potential of mixed rows", got.Potential, want.Potential, 1e-7)
	for _, exponent := range []int{-120, 100} {
		scale := math.Ldexp(1, exponent)
		large := Float32s{D: 5}
		for _, value := range x.Data {
			large.Data = append(large.Data, float32(float64(value)*scale))
		}
		got := expect.Must(KMeans{K: 10, Centers: rowsAt(large, start...)}.Fit(large))(t)
		expect.That(t, slices.Equal(got.Labels, want.Labels) && got.Potential == want.Potential*scale*scale,
			"scaled by %g: potential %g, want %g", scale, got.Potential, want.Potential*scale*scale)
	}
}

// All rows join the center at ½. The other center takes over the row at 10, the farthest, and leaves 0, 1 and 2.
func TestAnEmptyClusterTakesTheFarthestRow(t *testing.T) {
	x := Float32s{[]float32{0, 1, 10, 2}, 1}
	for _, block := range []int{0, 3} {
		p := expect.Must(KMeans{K: 2, Centers: mat.NewDense(2, 1, []float64{0.5, 100}), Block: block}.Fit(x))(t)
		expect.That(t, slices.Equal(p.Labels, []int{0, 0, 1, 0}) && math.Abs(p.Potential-2) <= 1e-6,
			"blocks of %d: labels %v, potential %g", block, p.Labels, p.Potential)
	}
	// If all rows lie on their centers, empty clusters stay empty and do not move; so does a cluster that no batch came
	// near.
	same := expect.Must(KMeans{K: 2, Centers: mat.NewDense(2, 1, []float64{7, 9})}.Fit(Float32s{[]float32{7, 7, 7}, 1}))(t)
	if !slices.Equal(same.Counts, []int{3, 0}) || same.Centers.At(1, 0) != 9 || !same.Converged || !slices.Equal(same.Labels, []int{0, 0, 0}) {
		t.Errorf("%+v", same)
	}
	far := expect.Must(KMeans{K: 2, Centers: mat.NewDense(2, 1, []float64{0.5, 100}), Batch: 2, Rounds: 3}.Fit(x))(t)
	expect.That(t, slices.Equal(far.Counts, []int{4, 0}) && math.Abs(far.Centers.At(1, 0)-100) <= 1e-9, "%+v", far)
}

// A center far away loses all rows and takes over another row; the remaining bounds stay valid.
func TestCentersMayStartFarAway(t *testing.T) {
	x := Float32s{[]float32{0, 1, 2, 20, 21, 30}, 1}
	for _, far := range []float64{1e3, 1e6, 1e12, 1e15, -1e15} {
		p := expect.Must(KMeans{K: 2, Centers: mat.NewDense(2, 1, []float64{0.5, far})}.Fit(x))(t)
		expect.That(t, slices.Equal(p.Labels, []int{0, 0, 0, 1, 1, 1}), "from %g: labels %v", far, p.Labels)
	}
}

// Bounds must skip work: in rounds without changes, almost no row is compared.
func TestBoundsLeaveOutWork(t *testing.T) {
	x := blobs(8, 5000, 10, 150, 0.05)
	start := rowsAt(x, rows.All(150)...)
	table := expect.Must(newTable(x, nil, 0, 1000))(t)
	a := expect.Must(newNearest(table, table.inside(start), true))(t)
	for range 3 {
		expect.Must(a.assign())(t)
		expect.NoError(t, a.place(a.means()))
	}
	wanted := 0
	for i := range 5000 {
		if a.wants(i) {
			wanted++
		}
	}
	expect.That(t, a.groups >= 2 && wanted <= 500, "%d of 5000 rows are looked at, %d groups", wanted, a.groups)
}

// Centers at two places form two groups.
func TestGroupsAreOfNearCenters(t *testing.T) {
	centers, want := make([][]float64, 4*lanes), make([][]int, 2)
	for c := range centers {
		centers[c] = []float64{float64(100*(c/2%2)) + 0.01*float64(c), 1}
		want[c/2%2] = append(want[c/2%2], c)
	}
	got := grouped(centers, 2*lanes)
	slices.SortFunc(got, slices.Compare)
	expect.Equal(t, got, want)
}

func TestToleranceEndsEarly(t *testing.T) {
	x := blobs(9, 4000, 4, 3, 1.5)
	start := rowsAt(x, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	all := expect.Must(KMeans{K: 9, Centers: start}.Fit(x))(t)
	some := expect.Must(KMeans{K: 9, Centers: start, Tolerance: 1e-3}.Fit(x))(t)
	if !some.Converged || some.Rounds >= all.Rounds || some.Rounds < 2 || some.Potential > 1.05*all.Potential {
		t.Errorf("%d of %d rounds, potential %g and %g", some.Rounds, all.Rounds, some.Potential, all.Potential)
	}
}

func TestRestartsKeepTheBest(t *testing.T) {
	x := blobs(10, 500, 2, 12, 0.1)
	for _, batch := range []int{0, 20} {
		least := math.Inf(1)
		c := KMeans{K: 12, Seeding: Random, Seed: 4, Restarts: 6, Batch: batch, Rounds: 30}
		rows := tableOf(t, x)
		for restart := range c.Restarts {
			p := expect.Must(c.fit(rows, expect.Must(c.seed(rows, restart))(t), restart))(t)
			least = min(least, p.Potential)
		}
		if p := expect.Must(c.Fit(x))(t); p.Potential != least {
			t.Errorf("batches of %d: potential %g, the least is %g", batch, p.Potential, least)
		}
	}
}

// Mini-batch centers equal those of loops in float64 over the same rows, which the seed and the number of the restart
// determine.
func TestMiniBatchAgainstLoops(t *testing.T) {
	const n, d, k = 400, 3, 5
	x := blobs(13, n, d, 9, 0.5)
	start := rowsAt(x, rows.All(k)...)
	for _, seed := range []uint64{0, 7} {
		for restart := range 3 {
			c := KMeans{K: k, Centers: start, Batch: 30, Rounds: 8, Seed: seed}
			rng := rand.New(rand.NewPCG(seed, 1<<63+uint64(restart)))
			centers, sums, counts := mat.DenseCopyOf(start), mat.NewDense(k, d, nil), make([]float64, k)
			for range c.Rounds {
				drawn := Float32s{D: d}
				for range c.Batch {
					i := rng.IntN(n)
					drawn.Data = append(drawn.Data, x.Data[i*d:(i+1)*d]...)
				}
				labels, _, _, _ := lloyd(drawn, centers, 0)
				for i, label := range labels {
					counts[label]++
					for j := range d {
						sums.Set(label, j, sums.At(label, j)+float64(drawn.Data[i*d+j]))
					}
				}
				for label, count := range counts {
					for j := range d {
						if count > 0 {
							centers.Set(label, j, sums.At(label, j)/count)
						}
					}
				}
			}
			table := tableOf(t, x)
			got := expect.Must(c.fit(table, table.inside(start), restart))(t)
			if !mat.EqualApprox(got.Centers, centers, 1e-5) {
				t.Errorf("seed %d, restart %d: centers\n%v\nwant\n%v", seed, restart, mat.Formatted(got.Centers), mat.Formatted(centers))
			}
			if restart == 0 {
				if whole := expect.Must(c.Fit(x))(t); !mat.Equal(whole.Centers, got.Centers) {
					t.Errorf("seed %d: a first start has other batches by Fit", seed)
				}
			}
		}
	}
}

// Batches of 5% of the rows give a potential within a few percent of full k-means, from memory and from a stream.
func TestMiniBatch(t *testing.T) {
	x := blobs(11, 10000, 8, 25, 0.5)
	for name, eng := range engines(t) {
		full := expect.Must(KMeans{K: 25, Engine: eng}.Fit(x))(t)
		c := KMeans{K: 25, Engine: eng, Batch: 500, Rounds: 60}
		p := expect.Must(c.Fit(x))(t)
		expect.That(t, p.Potential <= 1.1*full.Potential && p.Rounds == 60,
			"%s: potential %g after %d rounds, of all rows %g", name, p.Potential, p.Rounds, full.Potential)
		c.Block = 3000
		stream := expect.Must(c.Fit(x))(t)
		expect.That(t, slices.Equal(stream.Labels, p.Labels) && stream.Potential == p.Potential,
			"%s: a stream gives potential %g instead of %g", name, stream.Potential, p.Potential)
	}
}

// faulty is a source with a fault from a given read on.
type faulty struct {
	Float32s
	reads  int
	broken func(reads int, rows []float32) error
	rows   int
}

func (f *faulty) Dims() (n, d int) {
	n, d = f.Float32s.Dims()
	if f.reads > 4 {
		n += f.rows
	}
	return n, d
}

func (f *faulty) Read(first int, rows []float32) error {
	if err := f.Float32s.Read(first, rows); err != nil {
		return err
	}
	if f.reads++; f.broken != nil {
		return f.broken(f.reads, rows)
	}
	return nil
}

func TestKMeansErrors(t *testing.T) {
	x := blobs(12, 20, 2, 3, 1)
	bad := Float32s{slices.Clone(x.Data), 2}
	bad.Data[7] = float32(math.NaN())
	infinite := Float32s{slices.Clone(x.Data), 2}
	infinite.Data[38] = float32(math.Inf(-1))
	broken := errors.New("disk on fire")
	const lower = "Lower its learning rate; in features of your own, fill in the value or drop the row"
	fit := func(c KMeans, x Source) error { _, err := c.Fit(x); return err }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{fit(KMeans{K: 1}, nil), "cluster: no source of rows given; Float32s and Dense make one of rows in memory"},
		{fit(KMeans{K: 1}, Float32s{}), "cluster: a source of 0 rows with 0 entries; k-means needs at least one row of one entry"},
		{fit(KMeans{K: 1}, Float32s{x.Data, 3}), "cluster: a source of 0 rows with 0 entries; k-means needs at least one row of one entry"},
		{fit(KMeans{K: 1}, Dense(nil)), "cluster: a source of 0 rows with 0 entries; k-means needs at least one row of one entry"},
		{fit(KMeans{K: 1}, &faulty{Float32s: x, reads: 9, rows: 1 << 29}), "cluster: 536870932 rows; sums are exact for 2^29 at most, so give a sample"},
		{fit(KMeans{}, x), "cluster: 0 clusters; K must be 1 or more"},
		{fit(KMeans{K: 21}, x), "cluster: 21 clusters of 20 rows; K must be at most the number of rows"},
		{fit(KMeans{K: 1, Seeding: 3}, x), "cluster: there is no seeding 3; take PlusPlus, Parallel or Random"},
		{fit(KMeans{K: 1, Rounds: -1}, x), "cluster: -1 rounds, 0 restarts, batches of 0, blocks of 0; they must be positive, or 0 for the usual"},
		{fit(KMeans{K: 1, Block: -2}, x), "cluster: 0 rounds, 0 restarts, batches of 0, blocks of -2; they must be positive, or 0 for the usual"},
		{fit(KMeans{K: 1, Tolerance: math.NaN()}, x), "cluster: tolerance NaN; it must be 0 or more"},
		{fit(KMeans{K: 2, Centers: mat.NewDense(2, 3, nil)}, x),
			"cluster: centers [2, 3] for 2 clusters of rows of 2 entries; give one row for each cluster"},
		{fit(KMeans{K: 1, Centers: mat.NewDense(1, 2, []float64{0, math.NaN()})}, x),
			"cluster: the centers given hold NaN or infinite entries; they must be finite"},
		{fit(KMeans{K: 1, Centers: mat.NewDense(1, 2, nil), Restarts: 2}, x),
			"cluster: 2 restarts from the same centers; leave out Restarts, or Centers"},
		{fit(KMeans{K: 2, Centers: mat.NewDense(2, 2, []float64{0, 0, 0, -1e60})}, Float32s{[]float32{-1, 0, 1, 0}, 2}),
			"cluster: center 1 is given 5e+59 times as far off as any row lies; give it in the units of the rows"},
		{fit(KMeans{K: 1, Batch: 1 << 21}, x),
			"cluster: batches of 2097152 rows in 300 rounds; sums are exact for 2^29 rows in all, so lower Batch or Rounds"},
		{fit(KMeans{K: 1, Batch: 1 << 20, Rounds: 513}, x),
			"cluster: batches of 1048576 rows in 513 rounds; sums are exact for 2^29 rows in all, so lower Batch or Rounds"},
		{KMeans{K: 1, Batch: 1 << 20, Rounds: 512}.check(x), ""},
		{fit(KMeans{K: 1}, bad), "cluster: row 3 holds NaN in column 1; rows must be finite: did training diverge? " + lower},
		{fit(KMeans{K: 1, Block: 7}, infinite), "cluster: row 19 holds -Inf in column 0; rows must be finite: did training diverge? " + lower},
		{fit(KMeans{K: 3}, Float32s{[]float32{1, 1, 2, 1}, 1}),
			"cluster: only 2 of the rows are different, when entries are rounded to 2^-24 of the farthest one, too few to seed 3 clusters; " +
				"lower K, leave out rows that lie far off, or have the embedding not collapse"},
		{fit(KMeans{K: 2, Block: 20}, &faulty{Float32s: x, broken: func(reads int, rows []float32) error {
			if reads == 4 {
				rows[6]++
			}
			return nil
		}}), "cluster: row 3 of the source is another one than in the first pass; a source must give the same rows each time"},
		{fit(KMeans{K: 2, Block: 20}, &faulty{Float32s: x, rows: 1}),
			"cluster: the source has 21 rows of 2 entries now and had 20 of 2; it must stay the same"},
		{fit(KMeans{K: 2, Block: 20}, &faulty{Float32s: x, broken: func(reads int, _ []float32) error {
			if reads == 5 {
				return broken
			}
			return nil
		}}), "disk on fire"},
		{Dense(mat.NewDense(2, 2, []float64{1, 2, 3, -1e39})).Read(0, make([]float32, 4)),
			"cluster: row 1 holds -1e+39 in column 1, which is too large for float32; scale the rows down"},
		{fit(KMeans{K: 1}, Dense(mat.NewDense(2, 2, []float64{1, 2, 3, math.Inf(1)}))),
			"cluster: row 1 holds +Inf in column 1; rows must be finite: did training diverge? " + lower},
	} {
		got := ""
		if tt.err != nil {
			got = tt.err.Error()
		}
		expect.That(t, got == tt.want, "got %s\nwant %s", got, tt.want)
	}
}

// For all rows, each row ends at a nearest center, and the potential is that of the labels. The only errors are too few
// rows and too few different rows.
func FuzzKMeans(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 200, 201, 90, 91}, uint8(2), uint8(2), uint8(0))
	f.Add([]byte{9, 9, 9, 9, 9, 1, 0, 0, 0, 0, 0, 0, 7}, uint8(3), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, k, d, seeding uint8) {
		x := Float32s{D: int(d%5) + 1}
		for _, b := range data {
			x.Data = append(x.Data, float32(int8(b))*float32(math.Ldexp(1, int(b%7))))
		}
		x.Data = x.Data[:len(x.Data)/x.D*x.D]
		n, _ := x.Dims()
		different := map[string]bool{}
		for i := range n {
			different[fmt.Sprint(x.Data[i*x.D:(i+1)*x.D])] = true
		}
		c := KMeans{K: int(k%6) + 1, Seeding: Seeding(seeding % 3), Rounds: 30, Block: int(seeding / 3)}
		p, err := c.Fit(x)
		if tooFew := c.K > len(different); tooFew != (err != nil) {
			t.Fatalf("%d clusters of %d rows, %d different: %v", c.K, n, len(different), err)
		}
		if err != nil {
			return
		}
		counts, potential, size := make([]int, p.Centers.RawMatrix().Rows), 0.0, 0.0
		for _, v := range x.Data { // the largest row determines the rounding of all distances
			size = max(size, math.Abs(float64(v)))
		}
		for i := range n {
			distances := make([]float64, len(counts))
			for c := range distances {
				for j := range x.D {
					difference := float64(x.Data[i*x.D+j]) - p.Centers.At(c, j)
					distances[c] += difference * difference
				}
			}
			if own := distances[p.Labels[i]]; own > slices.Min(distances)+1e-4*size*size {
				t.Fatalf("row %d lies %g from center %d; distances %v", i, own, p.Labels[i], distances)
			}
			counts[p.Labels[i]]++
			potential += distances[p.Labels[i]]
		}
		if !slices.Equal(counts, p.Counts) || math.Abs(potential-p.Potential) > 1e-4*float64(n)*size*size {
			t.Fatalf("counts %v and %v, potential %g and %g", p.Counts, counts, p.Potential, potential)
		}
	})
}
