package prior

import (
	"cmp"
	"fmt"
	"math"

	"github.com/puclab/puclab/internal/fault"
)

// Estimate is an estimate of the share of positives among unlabeled examples.
type Estimate struct {
	Prior float64

	// Low and High are the ends of an interval of the given Level, from 0 to 1; NaN if Config.Resamples is negative.
	// They are equal, and uninformative, if no resample differs, as for few examples that are fully separated.
	// Otherwise the interval accounts for sampling and, roughly, for a classifier's errors, but neither for an
	// estimator's bias nor for Overlap. On 300 draws from six tables, 90% intervals contain the prior in 98 ± 1% of the
	// draws by DEDPUL, 95 ± 8% by BBE and 94 ± 10% by TEDn. KM2 reaches 64 ± 37%, TIcE 51 ± 24%, TIcE of scores 19 ±
	// 26%, and ElkanNoto and ElkanNotoMax 0 (± 95% interval over the tables, whose draws share rows). Rely only on the
	// first three.
	Low, High, Level float64

	// Overlap reports whether the scores show that the supports of the classes overlap. The sign is a ratio of
	// unlabeled to labeled examples that still falls, by more than chance, among the labeled positives of the highest
	// scores, so that no region is free of negatives. The prior is then not identifiable, and Prior and High are only
	// upper bounds. False proves nothing: a few hundred labeled positives show only large overlaps, and a region of
	// constant ratio may also hold negatives.
	Overlap bool

	// OverlapUnknown reports that Overlap was not determined and is false: KM2 and TIcE use rows instead of scores. Run
	// DEDPUL or BBE on scores of the same rows to determine it.
	OverlapUnknown bool

	// Posterior is the probability of each example to be positive, 1 for labeled ones; only DEDPUL sets it.
	Posterior []float64
}

// String returns the estimate in words.
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

// OneSample returns the estimate for the one-sample view: the share of positives among all examples, given the numbers
// of labeled positives taken out of the sample and of remaining unlabeled examples. It panics if a count is below 1.
func (e Estimate) OneSample(labeled, unlabeled int) Estimate {
	fault.PanicIf(labeled < 1 || unlabeled < 1, "prior: one sample of %d labeled and %d unlabeled examples; give the counts of both, each 1 or more", labeled, unlabeled)
	share := float64(labeled) / float64(labeled+unlabeled)
	for _, p := range []*float64{&e.Prior, &e.Low, &e.High} {
		*p = share + (1-share)**p
	}
	return e
}

// Config configures an estimate. The zero value is usable.
type Config struct {
	Level     float64 // level of the interval; 0 means 0.9
	Resamples int     // resamples for the interval; 0 means 100 for scores and 20 for rows; negative means no interval
	Seed      uint64  // random seed
}

// withDefaults sets the zero fields to their defaults.
func (c Config) withDefaults(resamples int) Config {
	c.Level, c.Resamples = cmp.Or(c.Level, 0.9), cmp.Or(c.Resamples, resamples)
	return c
}

// check returns an error if c, with defaults set, is invalid.
func (c Config) check() error {
	return cmp.Or(
		fault.If(!(c.Level > 0 && (1+c.Level)/2 < 1), "prior: an interval of level %g; it must lie above 0 and below 1, or be 0 for the default",
			c.Level),
		fault.If(c.Resamples >= 0 && c.Resamples < 10, "prior: an interval from %d resamples; take at least 10, 0 for the default, or a "+
			"negative number for no interval", c.Resamples),
	)
}
