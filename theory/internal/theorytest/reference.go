package theorytest

import "math"

// Atom is a point with its probability within a class.
type Atom struct {
	Z []float64
	P float64
}

// World is a population and the batches drawn from it. LabelRate is 0 in the case-control setting.
type World struct {
	Positive, Negative         []Atom
	Labeled, Unlabeled         int
	Prior, LabelRate, SameView float64
}

// Atoms converts the atoms of a class.
func Atoms[A ~struct {
	Z []float64 `json:"z"`
	P float64   `json:"p"`
}](list []A) (out []Atom) {
	for _, a := range list {
		out = append(out, Atom(a))
	}
	return out
}

// Rule reports whether row i of b examples in two views attracts row j. The functions report the label and the class of
// a row.
type Rule func(i, j, b int, labeled, positive func(row int) bool) bool

// Rules are the rules of the objectives.
var Rules = map[string]Rule{
	"ssCL": func(i, j, b int, _, _ func(int) bool) bool { return i%b == j%b },
	"PUCL": func(i, j, b int, labeled, _ func(int) bool) bool {
		return labeled(i) && labeled(j) || !labeled(i) && i%b == j%b
	},
	"SCL-PU": func(i, j, b int, labeled, _ func(int) bool) bool { return labeled(i) == labeled(j) },
	"SCL":    func(i, j, b int, _, positive func(int) bool) bool { return positive(i) == positive(j) },
}

// Moments are mean and variance of attraction, log partition and loss.
type Moments struct{ Mean, Variance [3]float64 }

// Cosine returns the cosine of the angle between two vectors.
func Cosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for k := range a {
		ab += a[k] * b[k]
		aa += a[k] * a[k]
		bb += b[k] * b[k]
	}
	return ab / math.Sqrt(aa*bb)
}

// AnchorLoss returns the loss of row i from its similarities to all rows.
func (attracts Rule) AnchorLoss(i int, similarities []float64, labeled, positive func(row int) bool) float64 {
	partition, attraction, count := 0.0, 0.0, 0.0
	for j, s := range similarities {
		if j == i {
			continue
		}
		partition += math.Exp(s)
		if attracts(i, j, len(similarities)/2, labeled, positive) {
			attraction, count = attraction+s, count+1
		}
	}
	return math.Log(partition) - attraction/count
}

// Batches calls visit with every batch and its probability: every class, first view and second view of every example in
// turn. Rows are numbers of atoms, the negative ones after the positive ones and the second views after the first ones.
// Positives has one bit for each example.
func (w World) Batches(visit func(rows []int, positives int, probability float64)) {
	atoms := append(append([]Atom(nil), w.Positive...), w.Negative...)
	hidden := w.Prior * (1 - w.LabelRate)
	prior := hidden / (hidden + 1 - w.Prior)
	b := w.Labeled + w.Unlabeled
	rows := make([]int, 2*b)
	positives := 0
	var example func(at int, weight float64)
	example = func(at int, weight float64) {
		if weight == 0 {
			return
		}
		if at == b {
			visit(rows, positives, weight)
			return
		}
		for class, first, last := 0, 0, len(w.Positive); class < 2; class, first, last = class+1, len(w.Positive), len(atoms) {
			share := prior
			if at < w.Labeled {
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
				if w.SameView > 0 {
					example(at+1, weight*share*atoms[v1].P*w.SameView)
				}
				for v2 := first; v2 < last && w.SameView < 1; v2++ {
					rows[at], rows[b+at] = v1, v2
					example(at+1, weight*share*atoms[v1].P*(1-w.SameView)*atoms[v2].P)
				}
			}
		}
	}
	example(0, 1)
}

// Study returns the moments of the objectives by plain loops that share no code with package theory. Weight is the
// weight of anchor i of b examples in the log partition; nil means 1 for each.
func Study(w World, tau float64, weight func(i, b int) float64, names ...string) map[string]Moments {
	if weight == nil {
		weight = func(int, int) float64 { return 1 }
	}
	atoms := append(append([]Atom(nil), w.Positive...), w.Negative...)
	sim, expSim := make([][]float64, len(atoms)), make([][]float64, len(atoms))
	for i := range atoms {
		for j := range atoms {
			s := Cosine(atoms[i].Z, atoms[j].Z) / tau
			sim[i], expSim[i] = append(sim[i], s), append(expSim[i], math.Exp(s))
		}
	}
	b := w.Labeled + w.Unlabeled
	labeled := func(row int) bool { return row%b < w.Labeled }

	// The attracted rows depend on the classes only; attracted[objective][classes][row].
	attracted := make([][][][]int, len(names))
	for o, name := range names {
		for positives := range 1 << b {
			positive := func(row int) bool { return positives>>(row%b)&1 == 1 }
			others := make([][]int, 2*b)
			for i := range 2 * b {
				for j := range 2 * b {
					if j != i && Rules[name](i, j, b, labeled, positive) {
						others[i] = append(others[i], j)
					}
				}
			}
			attracted[o] = append(attracted[o], others)
		}
	}
	var weights []float64
	scores := make([][][3]float64, len(names))
	w.Batches(func(rows []int, positives int, probability float64) {
		weights = append(weights, probability)
		partition := 0.0
		for i := range rows {
			z := 0.0
			for j := range rows {
				if j != i {
					z += expSim[rows[i]][rows[j]]
				}
			}
			partition += weight(i, b) * math.Log(z)
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
	})
	out := map[string]Moments{}
	for o, name := range names {
		var r Moments
		for k := range 3 {
			for i, s := range scores[o] {
				r.Mean[k] += weights[i] * s[k]
			}
			for i, s := range scores[o] {
				r.Variance[k] += weights[i] * (s[k] - r.Mean[k]) * (s[k] - r.Mean[k])
			}
		}
		out[name] = r
	}
	return out
}

// Ideal returns the attraction and the log partition of the ideal loss by enumerating every sequence of negatives.
func Ideal(w World, negatives int, tau float64) (attraction, partition float64) {
	for class, share := range []float64{w.Prior, 1 - w.Prior} {
		own, other := w.Positive, w.Negative
		if class == 1 {
			own, other = other, own
		}
		for _, i := range own {
			for _, j := range own {
				s := Cosine(i.Z, j.Z) / tau
				attraction += share * i.P * j.P * s
				var draw func(left int, weight, z float64)
				draw = func(left int, weight, z float64) {
					if left == 0 {
						partition += weight * math.Log(z)
						return
					}
					for _, k := range other {
						draw(left-1, weight*k.P, z+math.Exp(Cosine(i.Z, k.Z)/tau))
					}
				}
				draw(negatives, share*i.P*j.P, math.Exp(s))
			}
		}
	}
	return attraction, partition
}
