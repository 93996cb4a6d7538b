package claims

import (
	"fmt"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// bench keeps what is compiled for one check or, since plants mostly leave the objectives as they are, for many.
type bench struct {
	meters map[string]*theory.Meter
	gauged map[string]error
	kept   map[string]any
}

func newBench() *bench {
	return &bench{map[string]*theory.Meter{}, map[string]error{}, map[string]any{}}
}

// once returns what measure does, which the bench keeps under the key; the key must name all that it depends on.
func once[T any](s *subject, key string, measure func() T) T {
	if s.bench == nil {
		s.bench = newBench()
	}
	if _, known := s.bench.kept[key]; !known {
		s.bench.kept[key] = measure()
	}
	return s.bench.kept[key].(T)
}

// gradient is [theory.Meter.Gradient] of one of the bench's meters, measured once.
func (s *subject) gradient(m *theory.Meter, p theory.Population, d theory.Design) theory.PointGradient {
	return once(s, fmt.Sprintf("gradient by %p of %v, %v", m, p, d), func() theory.PointGradient { return must.Get(m.Gradient(p, d)) })
}

func (b *bench) close() {
	for _, m := range b.meters {
		m.Close()
	}
}

// meters returns a meter of each of the objectives at temperature tau, which the bench keeps.
func (s *subject) meters(tau float64, objectives ...pucl.Objective) []*theory.Meter {
	if s.bench == nil {
		s.bench = newBench()
	}
	meters := make([]*theory.Meter, len(objectives))
	for i, o := range objectives {
		key := fmt.Sprintf("%s at %g", s.key(o), tau)
		if s.bench.meters[key] == nil {
			s.bench.meters[key] = must.Get(theory.NewMeter(s.eng, o, tau))
		}
		meters[i] = s.bench.meters[key]
	}
	return meters
}

// gauge is the function of that name, asked once for an objective.
func (s *subject) gauge(o pucl.Objective) error {
	key := s.key(o)
	err, known := s.bench.gauged[key]
	if !known {
		err = gauge(s.eng, o)
		s.bench.gauged[key] = err
	}
	return err
}

// key names an objective as it is planted.
func (s *subject) key(o pucl.Objective) string {
	if s.plant.instead == nil {
		return o.Name
	}
	return o.Name + " under " + s.plant.Name
}
