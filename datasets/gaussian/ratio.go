package gaussian

import "math"

// logRatio returns the logarithm of the density of the positives over that of the negatives. With d the point minus the
// mean of the negatives, μ the mean of the positives minus that of the negatives, and A and B the inverses of the
// covariances of positives and negatives, it is
//
//	½ log(det A / det B) − ½ dᵀ(A−B)d + μᵀAd − ½ μᵀAμ
//
// Far out the two densities have logarithms that are huge or no numbers, of which nothing but rounding would be left in
// their difference; here what cancels out is not computed. NaN says that the numbers do not suffice.
func (m Mixture) logRatio(x, y float64) float64 {
	a, logDetA := inverse(m.Positive.Covariance)
	b, logDetB := inverse(m.Negative.Covariance)
	mu := [2]float64{m.Positive.Mean[0] - m.Negative.Mean[0], m.Positive.Mean[1] - m.Negative.Mean[1]}
	d := [2]float64{x - m.Negative.Mean[0], y - m.Negative.Mean[1]}
	// The size of d comes in factor by factor, so that a term of 0 stays 0 where the square of the size is no number.
	size := max(math.Abs(d[0]), math.Abs(d[1]), 1)
	d[0] /= size
	d[1] /= size
	difference := [2][2]float64{{a[0][0] - b[0][0], a[0][1] - b[0][1]}, {a[1][0] - b[1][0], a[1][1] - b[1][1]}}
	return size*(product(mu, a, d)-size*product(d, difference, d)/2) + (logDetA-logDetB-product(mu, a, mu))/2
}

// inverse returns the inverse of a covariance, and the logarithm of the inverse's determinant. It takes the covariance
// apart into standard deviations and a correlation, since the product of two variances may be no number.
func inverse(c [2][2]float64) (inv [2][2]float64, logDet float64) {
	s, t := math.Sqrt(c[0][0]), math.Sqrt(c[1][1])
	correlation := c[0][1] / s / t
	rest := (1 - correlation) * (1 + correlation)
	inv[0][0] = 1 / c[0][0] / rest
	inv[1][1] = 1 / c[1][1] / rest
	inv[0][1] = -correlation / s / t / rest
	inv[1][0] = inv[0][1]
	return inv, -math.Log(c[0][0]) - math.Log(c[1][1]) - math.Log(rest)
}

// product returns uᵀAv.
func product(u [2]float64, a [2][2]float64, v [2]float64) float64 {
	return u[0]*(a[0][0]*v[0]+a[0][1]*v[1]) + u[1]*(a[1][0]*v[0]+a[1][1]*v[1])
}
