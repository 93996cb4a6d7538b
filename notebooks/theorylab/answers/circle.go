package answers

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/claims"
)

// Circle is a population of points on the unit circle, with a design, a temperature and a loss.
type Circle struct {
	Positive  []float64 `json:"positive"` // positions of the positive class in degrees, with equal probabilities
	Negative  []float64 `json:"negative"`
	Prior     float64   `json:"prior"`     // π
	Labeled   int       `json:"labeled"`   // m
	Unlabeled int       `json:"unlabeled"` // u
	Tau       float64   `json:"tau"`       // τ
	SameView  float64   `json:"same_view"` // ρ
	Loss      Loss      `json:"loss"`
	Theorem   int       `json:"theorem"` // 1, 2 or 4: selects the comparison; 2 and 4 compare with ssCL
}

// mostBatches is the largest number of batches scored for an answer; this takes seconds in a browser.
const mostBatches = 20_000

// mostPoints is the largest number of points in a class.
const mostPoints = 6

func (c Circle) population() theory.Population {
	class := func(degrees []float64) []theory.Atom {
		points := make([][]float64, len(degrees))
		for i, angle := range degrees {
			sin, cos := math.Sincos(angle * math.Pi / 180)
			points[i] = []float64{cos, sin}
		}
		return theory.Uniform(points...)
	}
	return theory.Population{Positive: class(c.Positive), Negative: class(c.Negative)}
}

func (c Circle) design() theory.Design {
	return theory.Design{Labeled: c.Labeled, Unlabeled: c.Unlabeled, Prior: c.Prior, SameView: c.SameView}
}

// validate returns an error for a case without an answer, or without one in seconds.
func (c Circle) validate() error {
	if len(c.Positive) == 0 || len(c.Negative) == 0 {
		return errNoPoints
	}
	if len(c.Positive) > mostPoints || len(c.Negative) > mostPoints {
		return fmt.Errorf("%d positive and %d negative points; a class has %d at most here",
			len(c.Positive), len(c.Negative), mostPoints)
	}
	if c.Labeled+c.Unlabeled < 2 {
		return fmt.Errorf("a batch of %d examples has nothing to compare; set m + u to 2 or more", c.Labeled+c.Unlabeled)
	}
	symmetry := theory.Symmetry{Examples: true, Views: true, Classes: !c.Loss.usesClasses()}
	count, err := theory.CountBatches(c.population(), c.design(), symmetry)
	if err != nil {
		return err
	}
	b := float64(c.design().Examples())
	if most := math.Floor(mostBatches * min(1, 36/(b*b))); count > most {
		return fmt.Errorf("%.0f batches would have to be scored, and %.0f are at most; take points away, or lower m or u",
			count, most)
	}
	return nil
}

// Measured has the exact numbers of a loss: the means of its terms over all batches, and the variance.
type Measured struct {
	Name         string  `json:"name"`
	Attraction   float64 `json:"attraction"`
	LogPartition float64 `json:"log_partition"`
	Loss         float64 `json:"loss"`
	Variance     float64 `json:"variance"`

	// The values above minus the ideal loss's.
	AttractionBias float64 `json:"attraction_bias"`
	PartitionBias  float64 `json:"partition_bias"`
	Bias           float64 `json:"bias"`
}

// Ideal is the ideal loss (3).
type Ideal struct {
	Attraction   float64 `json:"attraction"`
	LogPartition float64 `json:"log_partition"`
	Loss         float64 `json:"loss"`
}

// Formulas has the theorems' values for a case, as printed and as corrected. A formula without a value is nil.
type Formulas struct {
	Theorem1           *float64 `json:"theorem1"`            // as printed: the bias of SCL-PU
	Theorem1Attraction *float64 `json:"theorem1_attraction"` // the bias of its attraction, independent views
	Theorem2Attraction *float64 `json:"theorem2_attraction"` // of ssCL and PUCL, independent views
	Theorem2Limit      *float64 `json:"theorem2_limit"`      // their bias in large batches, independent views
	Theorem2Printed    *float64 `json:"theorem2_printed"`    // as printed: Δσ, with n_PL = m
	Theorem2Gap        *float64 `json:"theorem2_gap"`        // Δσ, independent views
}

// Numbers are the answer to "numbers".
type Numbers struct {
	Loss     Measured  `json:"loss"`
	Baseline *Measured `json:"baseline,omitempty"` // ssCL, for theorems 2 and 4
	Ideal    Ideal     `json:"ideal"`
	Gap      *float64  `json:"gap,omitempty"` // Δσ, the variance of the baseline minus the variance of the loss
	Formulas Formulas  `json:"formulas"`
	Batches  int       `json:"batches"` // scored for the loss
}

// baseline is the loss with which theorems 2 and 4 compare.
var baseline = Loss{Name: "ssCL"}

func (l *Lab) numbers(c Circle) (*Numbers, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	r, err := l.measure(c, c.Loss)
	if err != nil {
		return nil, err
	}
	n := &Numbers{
		Loss:    measured(r),
		Ideal:   Ideal{r.Ideal.Attraction.Value, r.Ideal.LogPartition.Value, r.Ideal.Loss.Value},
		Batches: r.Batches,
	}
	if c.Theorem != 1 {
		than, err := l.measure(c, baseline)
		if err != nil {
			return nil, err
		}
		m := measured(than)
		gap := m.Variance - n.Loss.Variance
		n.Baseline, n.Gap = &m, &gap
	}
	n.Formulas, err = c.formulas()
	return n, err
}

// measure returns the moments of a loss on the case.
func (l *Lab) measure(c Circle, loss Loss) (theory.Result, error) {
	m, err := l.meter(loss, c.Prior, c.Tau)
	if err != nil {
		return theory.Result{}, err
	}
	return m.Exact(c.population(), c.design())
}

func measured(r theory.Result) Measured {
	return Measured{
		Name:       r.Objective,
		Attraction: r.Attraction.Mean.Value, LogPartition: r.LogPartition.Mean.Value,
		Loss: r.Loss.Mean.Value, Variance: r.Loss.Variance.Value,
		AttractionBias: r.AttractionBias().Value, PartitionBias: r.PartitionBias().Value, Bias: r.Bias.Value,
	}
}

// formulas computes the values of the theorems.
func (c Circle) formulas() (f Formulas, err error) {
	p, d := c.population(), c.design()
	for _, each := range []struct {
		into **float64
		of   func(theory.Population, theory.Design, float64) (float64, error)
	}{
		{&f.Theorem1, claims.Theorem1Printed}, {&f.Theorem1Attraction, claims.Theorem1Attraction},
		{&f.Theorem2Attraction, claims.Theorem2Attraction}, {&f.Theorem2Limit, claims.Theorem2LimitBias},
	} {
		value, err := each.of(p, d, c.Tau)
		if err != nil {
			return f, err
		}
		*each.into = finite(value)
	}
	pairs, _, err := p.PairVariance(c.Tau)
	f.Theorem2Printed = finite(claims.Theorem2PrintedGap(pairs, d, d.Labeled))
	f.Theorem2Gap = finite(claims.Theorem2Gap(pairs, d))
	return f, err
}

// finite returns x, or nil if it is not finite, for example after a division by 0.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
