package cluster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// blobs returns n rows of d entries around as many centers, far from 0 in all entries.
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

// rowsAt returns some rows of a source, to start from.
func rowsAt(x Float32s, index ...int) *mat.Dense {
	out := mat.NewDense(len(index), x.D, nil)
	for c, i := range index {
		for j := range x.D {
			out.Set(c, j, float64(x.Data[i*x.D+j]))
		}
	}
	return out
}

// lloyd is k-means in loops and float64: so many rounds, or until no label changes.
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

// engines are the ways to compare rows with centers.
func engines(t *testing.T) map[string]*engine.Engine {
	return map[string]*engine.Engine{"processor": nil, "engine": enginetest.Open(t)}
}

func TestKMeansAgainstLoops(t *testing.T) {
	for name, eng := range engines(t) {
		for _, tt := range []struct{ n, d, k, rounds int }{{50, 3, 1, 9}, {300, 2, 2, 50}, {700, 5, 8, 100}, {3000, 17, 40, 100}, {3000, 17, 70, 3}} {
			t.Run(fmt.Sprintf("%s, %d centers", name, tt.k), func(t *testing.T) {
				x := blobs(uint64(tt.k), tt.n, tt.d, 20, 0.4)
				index := rand.New(rand.NewPCG(1, 2)).Perm(tt.n)[:tt.k]
				start := rowsAt(x, index...)
				labels, potential, centers, rounds := lloyd(x, start, tt.rounds)
				p := must[*Partition](t)(KMeans{K: tt.k, Centers: start, Rounds: tt.rounds, Engine: eng}.Fit(x))
				if !slices.Equal(p.Labels, labels) {
					t.Error("labels differ")
				}
				if p.Rounds != rounds || p.Converged != (rounds < tt.rounds) {
					t.Errorf("%d rounds, converged %v, want %d of at most %d", p.Rounds, p.Converged, rounds, tt.rounds)
				}
				vectortest.Near(t, "potential", p.Potential, potential, 1e-6)
				if !mat.EqualApprox(p.Centers, centers, 1e-6) {
					t.Error("centers differ")
				}
				counts := make([]int, tt.k)
				for _, c := range labels {
					counts[c]++
				}
				if !slices.Equal(p.Counts, counts) {
					t.Errorf("%v rows a cluster, want %v", p.Counts, counts)
				}
			})
		}
	}
}

// Bounds, streams and the number of processors change no bit.
func TestEveryWayIsTheSame(t *testing.T) {
	for name, eng := range engines(t) {
		for _, k := range []int{2, 7, 30, 150} {
			x := blobs(5, 20000, 12, 60, 0.5)
			c := KMeans{K: k, Seeding: Random, Seed: 3, Rounds: 12, Engine: eng}
			want := must[*Partition](t)(c.Fit(x))
			plain, stream := c, c
			plain.plain, stream.Block = true, 3000
			for way, c := range map[string]KMeans{"plain": plain, "stream": stream} {
				got := must[*Partition](t)(c.Fit(x))
				if !slices.Equal(got.Labels, want.Labels) || got.Potential != want.Potential || !mat.Equal(got.Centers, want.Centers) ||
					got.Rounds != want.Rounds {
					t.Errorf("%s, %d centers, %s: another result, potential %v, want %v", name, k, way, got.Potential, want.Potential)
				}
			}
		}
	}
}
