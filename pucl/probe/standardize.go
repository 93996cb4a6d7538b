package probe

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/internal/spans"
	"github.com/puclab/puclab/pucl/rows"
)

// leastDeviation is the smallest standard deviation of a column used in training; for smaller ones the weights overflow
// float64.
const leastDeviation = 1e-290

// standardize returns the rows of x, concatenated, with every column shifted by its mean and divided by its standard
// deviation, and both statistics. A column that is constant up to rounding becomes 0, with a deviation of 1.
func standardize(x *mat.Dense) (flat []float32, mean, std []float64) {
	n, k := x.Dims()
	x, origin := rows.Varying(x)
	x, units := plain(x)
	flat, mean, std = make([]float32, n*k), make([]float64, k), make([]float64, k)
	for i := range n {
		floats.Add(mean, x.RawRowView(i))
	}
	floats.Scale(1/float64(n), mean)
	deviation := make([]float64, k)
	for i := range n {
		floats.SubTo(deviation, x.RawRowView(i), mean)
		floats.Mul(deviation, deviation)
		floats.Add(std, deviation)
	}
	factor := make([]float64, k)
	for j, sum := range std {
		std[j] = math.Sqrt(sum / float64(n-1))
		if std[j]*units[j] < leastDeviation {
			std[j] = 1 / units[j] // factor stays 0
			continue
		}
		factor[j] = 1 / std[j]
	}
	spans.Each(n, func(_, first, end int) {
		for i := first; i < end; i++ {
			row := flat[i*k : (i+1)*k]
			for j, value := range x.RawRowView(i) {
				row[j] = float32((value - mean[j]) * factor[j])
			}
		}
	})
	floats.Mul(mean, units)
	floats.Mul(std, units)
	if origin != nil {
		floats.Add(mean, origin)
	}
	return flat, mean, std
}

// plain returns x with each column divided by its unit [k], see [rows.Magnitude], and the units; x itself if all are 1.
func plain(x *mat.Dense) (*mat.Dense, []float64) {
	n, k := x.Dims()
	units, scaled := make([]float64, k), false
	for i := range n {
		for j, v := range x.RawRowView(i) {
			units[j] = max(units[j], math.Abs(v))
		}
	}
	for j, largest := range units {
		units[j] = rows.Magnitude(largest)
		scaled = scaled || units[j] != 1
	}
	if scaled {
		x = mat.DenseCopyOf(x)
		x.Apply(func(_, j int, v float64) float64 { return v / units[j] }, x)
	}
	return x, units
}

// Standardized returns the weights [outputs, k], row by row, and biases [outputs] of the equivalent classifier of
// standardized rows, which were shifted by mean [k] and divided by std [k]. Training on such rows starts there.
func (p *Probe) Standardized(mean, std []float64) (weights, bias []float32) {
	for output, b := range p.Bias {
		row := p.Weights.RawRowView(output)
		for j, w := range row {
			weights = append(weights, float32(w*std[j]))
		}
		bias = append(bias, float32(b+floats.Dot(row, mean)))
	}
	return weights, bias
}

// FromStandardized is the inverse of [Probe.Standardized]: it returns the probe of unscaled rows that is equivalent to
// a classifier of rows shifted by mean and divided by std.
func FromStandardized[T float32 | float64](weights, bias []T, mean, std []float64) *Probe {
	k := len(mean)
	p := &Probe{Weights: mat.NewDense(len(bias), k, nil), Bias: make([]float64, len(bias))}
	for output, b := range bias {
		row := p.Weights.RawRowView(output)
		for j, w := range weights[output*k : (output+1)*k] {
			row[j] = float64(w) / std[j]
		}
		p.Bias[output] = float64(b) - floats.Dot(row, mean)
	}
	return p
}

// joinBias returns the parameters [outputs, k+1] of weights [outputs, k] with the biases [outputs] as the last column.
func joinBias(weights, bias []float32) (parameters []float32) {
	k := len(weights) / len(bias)
	for output, b := range bias {
		parameters = append(append(parameters, weights[output*k:(output+1)*k]...), b)
	}
	return parameters
}

// splitBias is the inverse of joinBias.
func splitBias[T float32 | float64](parameters []T, k int) (weights, bias []T) {
	for ; len(parameters) > 0; parameters = parameters[k+1:] {
		weights, bias = append(weights, parameters[:k]...), append(bias, parameters[k])
	}
	return weights, bias
}
