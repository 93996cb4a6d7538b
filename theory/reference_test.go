package theory

import "math"

// A reference in plain loops that shares nothing with the package: every class, every first view, every second view of
// every example in turn, each batch scored by nested loops over its rows.

// anchorWeight lets a reference count anchors unequally; the mean over anchors has weight 1 for each.
type anchorWeight func(i, b int) float64

// rule says whom row i attracts, j being another row. What is known of examples is asked by row.
type rule func(i, j, b int, labeled, positive func(row int) bool) bool

var rules = map[string]rule{
	"ssCL": func(i, j, b int, _, _ func(int) bool) bool { return i%b == j%b },
	"PUCL": func(i, j, b int, labeled, _ func(int) bool) bool {
		return labeled(i) && labeled(j) || !labeled(i) && i%b == j%b
	},
	"SCL-PU": func(i, j, b int, labeled, _ func(int) bool) bool { return labeled(i) == labeled(j) },
	"SCL":    func(i, j, b int, _, positive func(int) bool) bool { return positive(i) == positive(j) },
}

// referenceMoments are mean and variance of attraction, log partition and loss.
type referenceMoments struct{ mean, variance [3]float64 }

func cosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for k := range a {
		ab += a[k] * b[k]
		aa += a[k] * a[k]
		bb += b[k] * b[k]
	}
	return ab / math.Sqrt(aa*bb)
}

// referenceStudy enumerates all sequences and scores each with every objective of names.
func referenceStudy(p Population, d Design, tau float64, names []string, repelWeight anchorWeight) map[string]referenceMoments {
	atoms := append(append([]Atom(nil), p.Positive...), p.Negative...)
	sim, expSim := make([][]float64, len(atoms)), make([][]float64, len(atoms))
	for i := range atoms {
		for j := range atoms {
			s := cosine(atoms[i].Z, atoms[j].Z) / tau
			sim[i], expSim[i] = append(sim[i], s), append(expSim[i], math.Exp(s))
		}
	}
	prior := d.Prior
	if d.Scheme == SingleDataset {
		hidden := d.Prior * (1 - d.LabelRate)
		prior = hidden / (hidden + 1 - d.Prior)
	}
	b := d.Labeled + d.Unlabeled
	rows := make([]int, 2*b)
	positives := 0 // the examples that are positive, one bit each
	labeled := func(row int) bool { return row%b < d.Labeled }
	positive := func(row int) bool { return positives>>(row%b)&1 == 1 }

	// Whom each row attracts depends on the classes only; attracted[objective][classes][row].
	attracted := make([][][][]int, len(names))
	for o, name := range names {
		for positives = range 1 << b {
			others := make([][]int, 2*b)
			for i := range 2 * b {
				for j := range 2 * b {
					if j != i && rules[name](i, j, b, labeled, positive) {
						others[i] = append(others[i], j)
					}
				}
			}
			attracted[o] = append(attracted[o], others)
		}
	}
	positives = 0

	var weights []float64
	scores := make([][][3]float64, len(names))
	score := func(weight float64) {
		weights = append(weights, weight)
		partition := 0.0
		for i := range rows {
			z := 0.0
			for j := range rows {
				if j != i {
					z += expSim[rows[i]][rows[j]]
				}
			}
			partition += repelWeight(i, b) * math.Log(z)
		}
		n := float64(2 * b)
		for o := range names {
			attraction := 0.0
			for i, others := range attracted[o][positives] {
				sum := 0.0
				for _, j := range others {
					sum += sim[rows[i]][rows[j]]
				}
				attraction += sum / float64(len(others))
			}
			scores[o] = append(scores[o], [3]float64{attraction / n, partition / n, (partition - attraction) / n})
		}
	}
	var example func(at int, weight float64)
	example = func(at int, weight float64) {
		if weight == 0 {
			return
		}
		if at == b {
			score(weight)
			return
		}
		for class, first, last := 0, 0, len(p.Positive); class < 2; class, first, last = class+1, len(p.Positive), len(atoms) {
			share := prior
			if at < d.Labeled {
				share = 1
			}
			if class == 1 {
				share = 1 - share
			}
			if class == 0 {
				positives |= 1 << at
			} else {
				positives &^= 1 << at
			}
			for v1 := first; v1 < last; v1++ {
				rows[at], rows[b+at] = v1, v1
				if d.SameView > 0 {
					example(at+1, weight*share*atoms[v1].P*d.SameView)
				}
				for v2 := first; v2 < last && d.SameView < 1; v2++ {
					rows[at], rows[b+at] = v1, v2
					example(at+1, weight*share*atoms[v1].P*(1-d.SameView)*atoms[v2].P)
				}
			}
		}
	}
	example(0, 1)

	out := map[string]referenceMoments{}
	for o, name := range names {
		var r referenceMoments
		for k := range 3 {
			for i, s := range scores[o] {
				r.mean[k] += weights[i] * s[k]
			}
			for i, s := range scores[o] {
				r.variance[k] += weights[i] * (s[k] - r.mean[k]) * (s[k] - r.mean[k])
			}
		}
		out[name] = r
	}
	return out
}

func everyAnchor(int, int) float64 { return 1 }

// referenceIdeal draws every sequence of negatives.
func referenceIdeal(p Population, prior float64, negatives int, tau float64) (attraction, partition float64) {
	for class, share := range []float64{prior, 1 - prior} {
		own, other := p.Positive, p.Negative
		if class == 1 {
			own, other = other, own
		}
		for _, i := range own {
			for _, j := range own {
				s := cosine(i.Z, j.Z) / tau
				attraction += share * i.P * j.P * s
				var draw func(left int, weight, z float64)
				draw = func(left int, weight, z float64) {
					if left == 0 {
						partition += weight * math.Log(z)
						return
					}
					for _, k := range other {
						draw(left-1, weight*k.P, z+math.Exp(cosine(i.Z, k.Z)/tau))
					}
				}
				draw(negatives, share*i.P*j.P, math.Exp(s))
			}
		}
	}
	return attraction, partition
}
