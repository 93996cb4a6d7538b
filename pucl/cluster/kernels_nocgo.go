//go:build !(cgo && linux && amd64)

package cluster

import "math"

// The functions of kernels.go in Go, for builds without C.

const lanes = 1

func (c *centers) pack() {}

func (c *centers) twoBest(rows []float32, index []int32, from, k int, best, second []float32, at []int32) {
	for i, r := range index {
		row := rows[int(r)*c.d : (int(r)+1)*c.d]
		one, two, place := float32(math.Inf(1)), float32(math.Inf(1)), from
		for s := from; s < from+k; s++ {
			if score := c.half[s] - dot(row, c.row(s)); score < one {
				one, two, place = score, one, s
			} else if score < two {
				two = score
			}
		}
		best[i], second[i], at[i] = one, two, int32(place)
	}
}

func (c *centers) ownScores(rows []float32, index, slots []int32, scores []float32) {
	for i, r := range index {
		scores[i] = c.half[slots[i]] - dot(rows[int(r)*c.d:(int(r)+1)*c.d], c.row(int(slots[i])))
	}
}

func moveRows(rows []float32, d int, index, from, to []int32, sums []float64) {
	add := func(row []float32, cluster int32, sign float64) {
		sum := sums[int(cluster)*d:][:d]
		for j, value := range row {
			sum[j] += sign * float64(value)
		}
	}
	for i, r := range index {
		row := rows[int(r)*d : (int(r)+1)*d]
		add(row, to[i], 1)
		if from[i] >= 0 {
			add(row, from[i], -1)
		}
	}
}

func (p *piece) survey(first int, sum []float64, low, high []float32) {
	raw := p.unmoved()
	for i := range p.n {
		for j, value := range raw[i*p.d+first:][:len(sum)] {
			sum[j] += float64(value)
			low[j], high[j] = min(low[j], value), max(high[j], value)
		}
	}
}

func centerRows(raw, rows []float32, mean []float64, scale float64, squared []float64) {
	d := len(mean)
	for i := range squared {
		row := rows[i*d : (i+1)*d]
		for j, value := range raw[i*d : (i+1)*d] {
			moved := float64((float64(value)-mean[j])*scale) + roundTo24
			moved -= roundTo24
			row[j] = float32(moved)
			squared[i] += float64(moved * moved)
		}
	}
}
