//go:build cgo && linux && amd64

package cluster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// For every vector width, scores equal those of loops. They are bit-identical whichever other rows and centers are
// compared.
func TestTwoBestAgainstLoops(t *testing.T) {
	defer func() { allowed = 2 }()
	rng := rand.New(rand.NewPCG(1, 6))
	for allowed = range 3 {
		for _, k := range []int{1, 2, few, few + 1, lanes, lanes + 1, 3 * lanes, 100} {
			const n, d = 40, 19
			slots := (k + lanes - 1) / lanes * lanes
			c := centers{buffer: &buffer{rows: make([]float32, slots*d), d: d}, half: make([]float32, slots)}
			x := make([]float32, n*d)
			for i := range x {
				x[i] = float32(rng.IntN(21)-10) / 8 // sums are exact, so ties are exact
			}
			for s := range slots {
				if c.half[s] = float32(math.Inf(1)); s < k {
					c.half[s] = float32(rng.IntN(5))
					for j := range d {
						c.row(s)[j] = float32(rng.IntN(7)-3) / 4
					}
				}
			}
			if k > 1 {
				copy(c.row(k-1), c.row(0)) // of equal centers the first wins
				c.half[k-1] = c.half[0]
			}
			c.pack()
			for _, m := range []int{1, 5, 12, 13, n} {
				index := make([]int32, m)
				for i := range index {
					index[i] = int32(rng.IntN(n))
				}
				best, second, at := make([]float32, m), make([]float32, m), make([]int32, m)
				c.twoBest(x, index, 0, k, best, second, at)
				for i, row := range index {
					one, two, place := math.Inf(1), math.Inf(1), 0
					for s := range k {
						score := float64(c.half[s])
						for j, value := range c.row(s) {
							score -= float64(x[int(row)*d+j]) * float64(value)
						}
						if score < one {
							one, two, place = score, one, s
						} else if score < two {
							two = score
						}
					}
					got := fmt.Sprint(best[i], second[i], at[i])
					if want := fmt.Sprint(float32(one), float32(two), place); got != want {
						t.Fatalf("vectors %d, %d centers, %d rows: row %d has %s, want %s", allowed, k, m, i, got, want)
					}
				}
			}
		}
	}
}

// Scores of rows with full mantissas do not depend on the other rows compared.
func TestCompanyChangesNoScore(t *testing.T) {
	defer func() { allowed = 2 }()
	x, places := blobs(3, 64, 37, 5, 1), blobs(4, 3*lanes, 37, 7, 1)
	c := centers{buffer: &buffer{rows: places.Data, d: 37}, half: make([]float32, 3*lanes)}
	c.pack()
	best, second, at := make([]float32, 64), make([]float32, 64), make([]int32, 64)
	all := make([]int32, 64)
	for i := range all {
		all[i] = int32(i)
	}
	for allowed = range 3 {
		c.twoBest(x.Data, all, 0, 3*lanes, best, second, at)
		for i := range all {
			least := float32(math.Inf(1))
			var one, two [1]float32
			var slot [1]int32
			for from := 0; from < 3*lanes; from += lanes {
				c.twoBest(x.Data, all[i:i+1], from, lanes, one[:], two[:], slot[:])
				least = min(least, one[0])
			}
			expect.That(t, least == best[i],
				"vectors %d: row %d has score %v among all and %v alone", allowed, i, best[i], least)
		}
	}
}
