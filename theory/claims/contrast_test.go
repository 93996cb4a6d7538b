package claims

import (
	"fmt"
	"math"
	"testing"

	"github.com/puclab/puclab/theory"
)

// Plain loops over all batches, which share nothing with the claims: every class, first view and second view of every
// example in turn.

// looped holds mean and variance of attraction, log partition and loss.
type looped struct{ mean, variance [3]float64 }

// attracts says for two rows of an example each whether the first is attracted to the second, by their examples, labels and
// classes.
type attracts func(sameExample, labeledI, labeledJ, sameClass bool) bool

var loopRules = map[string]attracts{
	"ssCL":   func(own, _, _, _ bool) bool { return own },
	"PUCL":   func(own, i, j, _ bool) bool { return i && j || own },
	"SCL-PU": func(_, i, j, _ bool) bool { return i == j },
}

// hidden returns the share of positives among the unlabeled.
func hidden(d theory.Design) float64 {
	if d.Scheme == theory.SingleDataset {
		return (d.Prior - d.Prior*d.LabelRate) / (1 - d.Prior*d.LabelRate)
	}
	return d.Prior
}

// loopSimilarity returns the cosine over τ.
func loopSimilarity(a, b []float64, tau float64) float64 {
	var ab, aa, bb float64
	for k := range a {
		ab, aa, bb = ab+a[k]*b[k], aa+a[k]*a[k], bb+b[k]*b[k]
	}
	return ab / math.Sqrt(aa*bb) / tau
}

func loopStudy(p theory.Population, d theory.Design, tau float64, rule attracts) looped {
	b := d.Labeled + d.Unlabeled
	atoms := append(append([]theory.Atom(nil), p.Positive...), p.Negative...)
	sim := make([][]float64, len(atoms))
	for i := range atoms {
		for j := range atoms {
			sim[i] = append(sim[i], loopSimilarity(atoms[i].Z, atoms[j].Z, tau))
		}
	}
	rows, positive := make([]int, 2*b), make([]bool, b)
	var first, second [3]float64
	var example func(e int, weight float64)
	score := func(weight float64) {
		attraction, partition := 0.0, 0.0
		for i := range rows {
			z, sum, count := 0.0, 0.0, 0.0
			for j := range rows {
				if j == i {
					continue
				}
				s := sim[rows[i]][rows[j]]
				z += math.Exp(s)
				if rule(i%b == j%b, i%b < d.Labeled, j%b < d.Labeled, positive[i%b] == positive[j%b]) {
					sum, count = sum+s, count+1
				}
			}
			attraction += sum / count
			partition += math.Log(z)
		}
		n := float64(2 * b)
		for k, x := range []float64{attraction / n, partition / n, (partition - attraction) / n} {
			first[k] += weight * x
			second[k] += weight * x * x
		}
	}
	example = func(e int, weight float64) {
		if e == b {
			score(weight)
			return
		}
		for _, class := range []bool{true, false} {
			share, own, from := 1.0, p.Positive, 0
			if !class {
				own, from = p.Negative, len(p.Positive)
			}
			switch {
			case e < d.Labeled && !class:
				continue
			case e >= d.Labeled && class:
				share = hidden(d)
			case e >= d.Labeled:
				share = 1 - hidden(d)
			}
			positive[e] = class
			for i, a := range own {
				for j, c := range own {
					p := a.P * c.P * (1 - d.SameView)
					if i == j {
						p += a.P * d.SameView
					}
					if p > 0 {
						rows[e], rows[b+e] = from+i, from+j
						example(e+1, weight*share*p)
					}
				}
			}
		}
	}
	example(0, 1)
	var l looped
	for k := range first {
		l.mean[k], l.variance[k] = first[k], second[k]-first[k]*first[k]
	}
	return l
}

// loopIdeal returns the ideal loss (3) and its attraction, each negative drawn in turn.
func loopIdeal(p theory.Population, prior float64, negatives int, tau float64) (loss, attraction float64) {
	for _, side := range []struct {
		own, other []theory.Atom
		share      float64
	}{{p.Positive, p.Negative, prior}, {p.Negative, p.Positive, 1 - prior}} {
		for _, i := range side.own {
			for _, j := range side.own {
				own := loopSimilarity(i.Z, j.Z, tau)
				weight := side.share * i.P * j.P
				attraction += weight * own
				var draw func(left int, weight, z float64)
				draw = func(left int, weight, z float64) {
					if left == 0 {
						loss += weight * (math.Log(z) - own)
						return
					}
					for _, k := range side.other {
						draw(left-1, weight*k.P, z+math.Exp(loopSimilarity(i.Z, k.Z, tau)))
					}
				}
				draw(negatives, weight, math.Exp(own))
			}
		}
	}
	return loss, attraction
}

// The worlds that claims go over must not be special: no class is one point, none is symmetric.
func TestRandomPlanesAreOrdinary(t *testing.T) {
	for k, p := range randomPlanes(4, 1) {
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		positive, negative, err := p.PairVariance(1)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []theory.PairVariance{positive, negative} {
			if v.Linear < 1e-4 || v.Rest < 1e-3 {
				t.Errorf("world %d: %+v", k, v)
			}
		}
	}
	if fmt.Sprint(randomPlanes(2, 1)) == fmt.Sprint(randomPlanes(2, 2)) {
		t.Error("the seed does not count")
	}
}

// findMeasured returns the number with the name.
func findMeasured(t *testing.T, f Finding, name string) float64 {
	t.Helper()
	for _, m := range f.Measured {
		if m.Name == name {
			if math.IsNaN(m.Value.Value) || math.IsInf(m.Value.Value, 0) {
				t.Errorf("%s is %g", name, m.Value.Value)
			}
			return m.Value.Value
		}
	}
	t.Fatalf("nothing measured is called %q", name)
	return 0
}
