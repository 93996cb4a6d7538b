package answers

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/claims"
)

// Circle is a population of points on the unit circle, with a design, a temperature and a loss.
type Circle struct {
	Positive  []float64 `json:"positive"` // where the positive class lies, in degrees; each point is as likely
	Negative  []float64 `json:"negative"`
	Prior     float64   `json:"prior"`     // π
	Labeled   int       `json:"labeled"`   // m
	Unlabeled int       `json:"unlabeled"` // u
	Tau       float64   `json:"tau"`       // τ
	SameView  float64   `json:"same_view"` // ρ
	Loss      Loss      `json:"loss"`
	Theorem   int       `json:"theorem"` // 1, 2 or 4: what the loss is compared with, ssCL by 2 and 4
}

// mostBatches is how many batches the lab scores for an answer, seconds in a browser.
const mostBatches = 20_000

// mostPoints is how many points a class may have.
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

// validate returns an error for a case that has no answer, or none within seconds.
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

// Measured are the exact numbers of a loss: the means over all batches of its terms, and the variance.
type Measured struct {
	Name         string  `json:"name"`
	Attraction   float64 `json:"attraction"`
	LogPartition float64 `json:"log_partition"`
	Loss         float64 `json:"loss"`
	Variance     float64 `json:"variance"`

	// What is above less that of the ideal loss.
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

// Formulas are what theorems say of a case, as printed and as it holds. A formula that has no value is nil.
type Formulas struct {
	Theorem1           *float64 `json:"theorem1"`            // as printed: the bias of SCL-PU
	Theorem1Attraction *float64 `json:"theorem1_attraction"` // the bias of its attraction, independent views
	Theorem2Attraction *float64 `json:"theorem2_attraction"` // of ssCL's and PUCL's, independent views
	Theorem2Limit      *float64 `json:"theorem2_limit"`      // their bias in large batches, independent views
	Theorem2Printed    *float64 `json:"theorem2_printed"`    // as printed: Δσ, with n_PL = m
	Theorem2Gap        *float64 `json:"theorem2_gap"`        // Δσ, independent views
}

// Numbers are the answer to "numbers".
type Numbers struct {
	Loss     Measured  `json:"loss"`
	Baseline *Measured `json:"baseline,omitempty"` // ssCL, for theorems 2 and 4
	Ideal    Ideal     `json:"ideal"`
	Gap      *float64  `json:"gap,omitempty"` // Δσ, the variance of the baseline less that of the loss
	Formulas Formulas  `json:"formulas"`
	Batches  int       `json:"batches"` // that were scored for the loss
}

// baseline is the loss that theorems 2 and 4 compare with.
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

// formulas computes what the theorems say.
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

// finite returns x, or nil where it is not finite, as where a formula divides by 0.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
