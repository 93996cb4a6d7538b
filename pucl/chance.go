package pucl

import "math"

// ChanceLevel returns the loss of an encoder that maps everything to one point, log(m·b − 1) nats for b examples with m views
// each: every objective whose attraction is a mean of similarities starts near it, and one that stays there has collapsed
// or learned nothing.
func ChanceLevel(examples, views int) float64 {
	return math.Log(float64(examples*views - 1))
}
