package main

import (
	"cmp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// study is the results of one kind of data: the fits of each method on each data set, seed by seed.
type study struct {
	sets, methods []string
	fits          map[string]map[string][]result // by set and method
}

// studyOf collects the results of a kind, sets and methods in the order of the study. Sets on which the default or the
// naive method did not run are left out.
func studyOf(results []result, kind string) study {
	s := study{fits: map[string]map[string][]result{}}
	for _, r := range results {
		if r.Kind != kind {
			continue
		}
		if s.fits[r.Set] == nil {
			s.fits[r.Set] = map[string][]result{}
		}
		s.fits[r.Set][r.Method] = append(s.fits[r.Set][r.Method], r)
	}
	for _, set := range tasks("") {
		if set.kind != kind || len(s.fits[set.name][naive]) == 0 || len(s.fits[set.name][defaults[kind]]) == 0 {
			continue
		}
		s.sets = append(s.sets, set.name)
		for _, m := range methodsFor(set) {
			if !slices.Contains(s.methods, m.name) {
				s.methods = append(s.methods, m.name)
			}
		}
	}
	if kind == "images" {
		s.methods = append(s.methods, guarded)
	}
	s.methods = slices.DeleteFunc(s.methods, func(name string) bool { return s.count(name) == 0 })
	return s
}

// mean returns the mean over seeds of a number of the fits, and false if there is no fit.
func (s study) mean(set, method string, of func(result) float64) (float64, bool) {
	var values []float64
	for _, r := range s.fits[set][method] {
		values = append(values, of(r))
	}
	return stat.Mean(values, nil), len(values) > 0
}

func auc(r result) float64 { return 100 * r.AUC }

// gain returns by how many points of AUC a method is above the naive method on a set: the mean over the seeds of both.
func (s study) gain(set, method string) float64 {
	var points []float64
	for _, r := range s.fits[set][method] {
		for _, n := range s.fits[set][naive] {
			if n.Seed == r.Seed {
				points = append(points, auc(r)-auc(n))
			}
		}
	}
	return stat.Mean(points, nil)
}

// overall returns the mean over the given sets of the means over seeds, and false if a set has no fit.
func (s study) overall(sets []string, method string, of func(result) float64) (float64, bool) {
	total := 0.0
	for _, set := range sets {
		mean, ok := s.mean(set, method, of)
		if !ok {
			return 0, false
		}
		total += mean / float64(len(sets))
	}
	return total, true
}

// best returns the candidate of the largest mean gain over the given sets.
func (s study) best(sets, candidates []string) string {
	mean := func(method string) (sum float64) {
		for _, set := range sets {
			sum += s.gain(set, method)
		}
		return sum
	}
	return slices.MaxFunc(candidates, func(a, b string) int { return cmp.Compare(mean(a), mean(b)) })
}

// count returns the number of fits of a method.
func (s study) count(method string) (n int) {
	for _, set := range s.sets {
		n += len(s.fits[set][method])
	}
	return n
}

// candidates returns the single methods that can be a default: they ran on all sets and require no true class prior.
func (s study) candidates() []string {
	return slices.DeleteFunc(slices.Clone(s.methods), func(name string) bool {
		_, everywhere := s.overall(s.sets, name, auc)
		return !everywhere || strings.Contains(name, "given") || name == guarded
	})
}

// paired returns s with only the seeds of each set on which all candidates ran, so that methods are compared on the same
// draws.
func (s study) paired() study {
	candidates, out := s.candidates(), s
	out.fits = map[string]map[string][]result{}
	for _, set := range s.sets {
		has := func(method string, seed uint64) bool {
			return slices.ContainsFunc(s.fits[set][method], func(r result) bool { return r.Seed == seed })
		}
		out.fits[set] = map[string][]result{}
		for method, fits := range s.fits[set] {
			out.fits[set][method] = slices.DeleteFunc(slices.Clone(fits), func(r result) bool {
				return slices.ContainsFunc(candidates, func(name string) bool { return !has(name, r.Seed) })
			})
		}
	}
	return out
}

// guarded is the choice between [contrast] and trees by held-out labeled positives.
const guarded = "mixture or trees"

// guardedResults returns, for each draw of images, the result of the better of two methods by the AUC of held-out
// labeled positives against held-out unlabeled images. Its time is that of both.
func guardedResults(results []result) (out []result) {
	for _, a := range results {
		for _, b := range results {
			if a.Kind != "images" || a.Method != contrast || b.Method != "trees" ||
				b.Kind != a.Kind || b.Set != a.Set || b.Seed != a.Seed {
				continue
			}
			better := a
			if b.Proxy > a.Proxy {
				better = b
			}
			better.Method, better.Processor = guarded, a.Processor+b.Processor
			out = append(out, better)
		}
	}
	return out
}
