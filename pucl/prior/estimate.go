package prior

import (
	"cmp"
	"fmt"
	"math"

	"github.com/puclab/puclab/internal/fault"
)

// Estimate is the share of positives among unlabeled examples.
type Estimate struct {
	Prior float64

	// Low and High are the ends of an interval of that Level, from 0 to 1; NaN where Config.Resamples is negative. They are
	// equal where no resample differs, as of few examples that are parted fully, and say nothing then. Otherwise the
	// interval knows the chance of the draw and, roughly, a classifier's errors, but neither an estimator's own bias nor
	// what Overlap tells. On 300 draws from six tables, 90% intervals contain the prior in 98 ± 1% of the draws by DEDPUL,
	// 95 ± 8% by BBE and 94 ± 10% by TEDn, but in 64 ± 37% by KM2, 51 ± 24% by TIcE, 19 ± 26% by TIcE of scores, and in
	// none by ElkanNoto and ElkanNotoMax (± 95% interval over the tables, whose draws share rows): trust the first three.
	Low, High, Level float64

	// Overlap reports whether the scores show that the supports of the classes overlap: among the labeled positives of the highest scores
	// the ratio of unlabeled to labeled examples still falls, by more than chance tells, so that no region free of negatives is seen. The
	// prior cannot be told then, and Prior, like High, is an upper bound alone. That it is false proves nothing: a few hundred labeled
	// positives show large overlaps only, and a region of constant ratio may hold negatives too.
	Overlap bool

	// OverlapUnknown reports that Overlap, which is false then, was not looked for: KM2 and TIcE read rows, in which no direction is that
	// of the positives, and see no scores. Have DEDPUL or BBE tell, of scores of the same rows.
	OverlapUnknown bool

	// Posterior is the chance of each example to be positive, 1 for labeled ones; of DEDPUL alone.
	Posterior []float64
}

// String tells the estimate in words.
func (e Estimate) String() string {
	s := fmt.Sprintf("%.3f", e.Prior)
	if !math.IsNaN(e.Low) {
		s += fmt.Sprintf(", %g%% interval %.3f to %.3f", 100*e.Level, e.Low, e.High)
		if e.High-e.Low < 1e-9 {
			s += ", as no resample differs: there are too few examples, or the estimate ends here, and chance is not seen"
		}
	}
	if e.OverlapUnknown {
		s += "; whether the classes overlap is not looked at: ask DEDPUL or BBE, of scores of the same rows"
	}
	if e.Overlap {
		s += "; an upper bound alone: no region free of negatives is seen"
	}
	return s
}

// OneSample returns the estimate for the one-sample view: the share of positives among all examples, where so many labeled positives
// were taken out of the one sample and so many unlabeled ones remain. It panics where one of the two counts is below 1.
func (e Estimate) OneSample(labeled, unlabeled int) Estimate {
	fault.PanicIf(labeled < 1 || unlabeled < 1, "prior: one sample of %d labeled and %d unlabeled examples; give the counts of both, each 1 or more", labeled, unlabeled)
	share := float64(labeled) / float64(labeled+unlabeled)
	for _, p := range []*float64{&e.Prior, &e.Low, &e.High} {
		*p = share + (1-share)**p
	}
	return e
}

// Config says how a class prior is estimated. The zero value works.
type Config struct {
	Level     float64 // of the interval; 0 means 0.9
	Resamples int     // of the examples, for the interval; 0 means 100 for scores and 20 for rows, a negative number no interval
	Seed      uint64  // of everything random
}

// withDefaults fills in the zero fields.
func (c Config) withDefaults(resamples int) Config {
	c.Level, c.Resamples = cmp.Or(c.Level, 0.9), cmp.Or(c.Resamples, resamples)
	return c
}

// check returns an error if c, defaults filled in, cannot be followed.
func (c Config) check() error {
	return cmp.Or(
		fault.If(!(c.Level > 0 && (1+c.Level)/2 < 1), "prior: an interval of level %g; it must lie above 0 and below 1, or be 0 for the default",
			c.Level),
		fault.If(c.Resamples >= 0 && c.Resamples < 10, "prior: an interval from %d resamples; take at least 10, 0 for the default, or a "+
			"negative number for no interval", c.Resamples),
	)
}
