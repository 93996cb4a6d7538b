package theory

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// kahan is a compensated sum, which keeps the rounding errors (Neumaier's variant of Kahan's summation, 1974).
type kahan struct {
	sum, lost float64
}

func (k *kahan) add(x float64) {
	t := k.sum + x
	if math.Abs(k.sum) >= math.Abs(x) {
		k.lost += (k.sum - t) + x
	} else {
		k.lost += (x - t) + k.sum
	}
	k.sum = t
}

func (k *kahan) value() float64 { return k.sum + k.lost }

// weighted accumulates the mean and the variance of weighted values, block by block. Within a block it takes two
// passes. Blocks are merged by the update of Chan, Golub and LeVeque (1979), so that a variance far smaller than the
// squared mean keeps its digits.
type weighted struct {
	weight, mean, squares float64 // Σw, Σwx/Σw, Σw(x − mean)²
}

// add adds a block; entries of values beyond those of weights are padding.
func (w *weighted) add(weights, values []float64) {
	weight := floats.SumCompensated(weights)
	if weight == 0 {
		return
	}
	var total kahan
	for i, p := range weights {
		total.add(p * values[i])
	}
	mean := total.value() / weight
	var squares kahan
	for i, p := range weights {
		d := values[i] - mean
		squares.add(p * d * d)
	}
	joined := w.weight + weight
	shift := mean - w.mean
	w.squares += squares.value() + shift*shift*w.weight*weight/joined
	w.mean += shift * weight / joined
	w.weight = joined
}

// moments returns the mean and the variance, exact up to rounding.
func (w *weighted) moments() Moments { return Moments{Exactly(w.mean), Exactly(w.squares / w.weight)} }
