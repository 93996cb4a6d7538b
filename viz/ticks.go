package viz

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Ticks chooses the tick marks of an axis: a few round values in a readable format: 20,000 rather than 20000, 1.5M
// rather than 1.5e+06, and with a real minus sign. It implements plot.Ticker.
type Ticks struct {
	N int // approximate number of steps on the axis; 0 means 5
}

// Ticks returns the round values between lo and hi. If the range is too small relative to its values for float64, it
// returns the two ends.
func (t Ticks) Ticks(lo, hi float64) []plot.Tick {
	step := niceStep((hi - lo) / float64(cmp.Or(max(t.N, 0), 5)))
	most := math.Max(math.Abs(lo), math.Abs(hi))
	if !(step > 1e-10*most) || math.IsInf(step, 0) {
		return []plot.Tick{{Value: lo, Label: number(lo, -1)}, {Value: hi, Label: number(hi, -1)}}
	}
	label := labeler(most, step)
	var ticks []plot.Tick
	slack := 1e-9 * step
	for i := math.Ceil((lo - slack) / step); i*step <= hi+slack; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: label(i * step)})
	}
	return ticks
}

// labeler returns a function that formats the multiples of step up to most, with as many digits as distinguish them.
func labeler(most, step float64) func(float64) string {
	digits := int(math.Log10(most/step)+1e-9) + 1 // after the first one
	decimals, ofMillions := decimalsOf(step), decimalsOf(step/1e6)
	return func(v float64) string {
		switch {
		case most < 1e-3 || most >= 1e12:
			return scientific(v, digits)
		case most >= 1e6 && ofMillions <= 3 && v != 0:
			return number(v/1e6, ofMillions) + "M"
		}
		return number(v, decimals)
	}
}

// decimalsOf returns the number of decimals of a step of 1, 2, 2.5 or 5 times a power of ten.
func decimalsOf(step float64) int {
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	if s := step * math.Pow10(decimals); math.Abs(s-math.Round(s)) > 1e-6 {
		decimals++ // a step of 2.5
	}
	return decimals
}

// niceStep returns the value nearest to x in ratio among 1, 2, 2.5 and 5 times a power of ten.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	gap := func(k float64) float64 { return math.Abs(math.Log(x / (k * power))) }
	return power * slices.MinFunc([]float64{1, 2, 2.5, 5, 10}, func(a, b float64) int { return cmp.Compare(gap(a), gap(b)) })
}

// number formats v with the given number of decimals (-1 for as many as necessary), with commas between thousands and a
// real minus sign. Very large and very small numbers without given decimals have a power of ten.
func number(v float64, decimals int) string {
	if a := math.Abs(v); a >= 1e15 || (decimals < 0 && a != 0 && a < 1e-4) {
		return scientific(v, 4)
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, rest, dot := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if dot {
		whole += "." + rest
	}
	if v < 0 && strings.Trim(s, "0.") != "" {
		whole = "−" + whole
	}
	return whole
}

// scientific formats v with a power of ten and at most the given number of decimals: 2.5e−5.
func scientific(v float64, decimals int) string {
	if v == 0 {
		return "0"
	}
	mantissa, power, ok := strings.Cut(strconv.FormatFloat(v, 'e', decimals, 64), "e")
	if !ok {
		return mantissa // NaN or infinite
	}
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	sign := ""
	if power[0] == '-' {
		sign = "−"
	}
	return strings.Replace(mantissa, "-", "−", 1) + "e" + sign + strings.TrimLeft(power[1:], "0")
}

// decimals returns the number of decimals for a field n in which 0 means usual and a negative number none.
func decimals(n, usual int) int {
	return max(0, cmp.Or(n, usual))
}

// logTicks chooses the tick marks of a logarithmic axis, whose ends are above 0. It uses powers of ten, and 2 and 5
// times these if there are few. If fewer than two fit, it uses [Ticks].
type logTicks struct{}

func (logTicks) Ticks(lo, hi float64) (ticks []plot.Tick) {
	factors := []float64{1, 2, 5}
	if hi > 300*lo {
		factors = factors[:1]
	}
	const slack = 1e-9
	for power := math.Floor(math.Log10(lo)); power <= math.Log10(hi)+slack; power++ {
		for _, factor := range factors {
			if v := factor * math.Pow(10, power); v >= lo*(1-slack) && v <= hi*(1+slack) {
				ticks = append(ticks, plot.Tick{Value: v, Label: number(v, -1)})
			}
		}
	}
	if len(ticks) < 2 {
		return Ticks{}.Ticks(lo, hi)
	}
	return ticks
}

// ticksAt are ticks at given values, in order, for an axis with few measured values.
type ticksAt []float64

func (at ticksAt) Ticks(lo, hi float64) (ticks []plot.Tick) {
	for _, v := range at {
		if v >= lo && v <= hi {
			ticks = append(ticks, plot.Tick{Value: v, Label: number(v, -1)})
		}
	}
	return ticks
}
