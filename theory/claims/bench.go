package claims

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// bench caches the compiled graphs of one check or, since most injected bugs do not change the objectives, of many.
type bench struct {
	meters map[string]*meter
	gauged map[string]error
	kept   map[string]any
}

func newBench() *bench {
	return &bench{map[string]*meter{}, map[string]error{}, map[string]any{}}
}

// once returns the result of measure, which the bench caches under the key; the key must include all of its inputs.
func once[T any](s *subject, key string, measure func() T) T {
	if s.bench == nil {
		s.bench = newBench()
	}
	if _, known := s.bench.kept[key]; !known {
		s.bench.kept[key] = measure()
	}
	return s.bench.kept[key].(T)
}

// meter is a [theory.Meter] of a bench, which caches its measurements.
type meter struct {
	*theory.Meter
	kept map[string]any
}

// Exact is [theory.Meter.Exact] with caching.
func (m *meter) Exact(p theory.Population, d theory.Design) (theory.Result, error) {
	return keep(m, "exact", m.Meter.Exact, p, d)
}

// Gradient is [theory.Meter.Gradient] with caching. The gradient must not be changed.
func (m *meter) Gradient(p theory.Population, d theory.Design) (theory.PointGradient, error) {
	return keep(m, "gradient", m.Meter.Gradient, p, d)
}

// GradientCovariance is [theory.Meter.GradientCovariance] with caching. The matrix must not be changed.
func (m *meter) GradientCovariance(p theory.Population, d theory.Design) (*mat.SymDense, error) {
	return keep(m, "covariance", m.Meter.GradientCovariance, p, d)
}

// MonteCarlo is [theory.Meter.MonteCarlo] with caching.
func (m *meter) MonteCarlo(p theory.Population, d theory.Design, draws theory.Draws) (theory.Result, error) {
	return keep(m, fmt.Sprintf("%v", draws), func(p theory.Population, d theory.Design) (theory.Result, error) {
		return m.Meter.MonteCarlo(p, d, draws)
	}, p, d)
}

// keep returns the cached result of measure for a population and a design.
func keep[T any](m *meter, what string, measure func(theory.Population, theory.Design) (T, error), p theory.Population,
	d theory.Design) (T, error) {
	key := fmt.Sprintf("%s of %v, %v", what, p, d)
	if known, ok := m.kept[key]; ok {
		return known.(T), nil
	}
	value, err := measure(p, d)
	if err == nil {
		m.kept[key] = value
	}
	return value, err
}

func (b *bench) close() {
	for _, m := range b.meters {
		m.Close()
	}
	for _, kept := range b.kept {
		if m, ok := kept.(*theory.ErrorMeter); ok {
			m.Close()
		}
	}
}

// meters returns a cached meter of each of the objectives at temperature tau.
func (s *subject) meters(tau float64, objectives ...pucl.Objective) []*meter {
	if s.bench == nil {
		s.bench = newBench()
	}
	meters := make([]*meter, len(objectives))
	for i, o := range objectives {
		key := fmt.Sprintf("%s at %g", s.key(o), tau)
		if s.bench.meters[key] == nil {
			s.bench.meters[key] = &meter{must.Get(theory.NewMeter(s.eng, o, tau)), map[string]any{}}
		}
		meters[i] = s.bench.meters[key]
	}
	return meters
}

// gauge is the function of that name, called once for all objectives of a name with the injected bug. An objective with
// a number is represented by the one in [equations], which is checked before a check begins.
func (s *subject) gauge(o pucl.Objective) error {
	key := s.key(o)
	err, known := s.bench.gauged[key]
	if !known {
		err = gauge(s.eng, o)
		s.bench.gauged[key] = err
	}
	return err
}

// key returns the name of an objective with its injected bug.
func (s *subject) key(o pucl.Objective) string {
	if s.plant.instead == nil {
		return o.Name
	}
	return o.Name + " under " + s.plant.Name
}
