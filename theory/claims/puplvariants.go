package claims

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// PUPLVariants returns the claim that the paper's two descriptions of PUPL, Algorithm 1(B) and the pseudo code, are
// equivalent.
//
// They differ in the start of the negative center: an unlabeled point drawn by squared distance, or the mean of all
// unlabeled points. So one of them is random. They also differ in whether a labeled point can join the negative
// cluster. The check enumerates all small sets of points in rational arithmetic without ties. It compares the smallest
// differences with package pucl, and measures the agreement of the two on clusters at increasing distance. It needs no
// engine.
func PUPLVariants() Claim {
	return Claim{
		ID:        "pupl-variants",
		Statement: "The pseudo code puPL computes the pseudo-labels that Algorithm 1(B) defines.",
		LaTeX: `\mu_N \overset{D(\mathbf{x}')}{\sim} \mathcal{Z}_U \ \text{in Algorithm 1(B)} \quad\text{and}\quad \mu_N ` +
			`= \tfrac{1}{|\mathcal{Z}_U|} \sum_{\mathbf{r} \in \mathcal{Z}_U} \mathbf{r} \ \text{in the pseudo code} ` +
			`\quad\Rightarrow\quad \text{the same}\ \tilde{y}`,
		Source: "Contrastive Positive Unlabeled Learning, Algorithm 1(B) and the pseudo code puPL in appendix A.7.4",
		Assumptions: []string{
			"both are given the same labeled and unlabeled embeddings",
			"k-means in the pseudo code is Lloyd's algorithm from the given centres, run until no label changes",
		},
		rests: grounds{
			constants: []string{"2delta", "chance"},
			mistakes:  []mistake{{"labels kept", "in the pseudo code no labeled point leaves the positive cluster"}},
			unneeded: []unneeded{
				{"2delta", "f·D > 2δ is enough, and not said to be needed"},
				{"pupl-variants:chance-down", "the chance is a bound that is not said to be reached"},
			},
		},
		check: func(s *subject) Finding {
			return puplVariantsFinding(s, func(labeled, unlabeled theory.RationalPoints) (*theory.RationalClustering, error) {
				c, err := theory.RationalPUPLPseudoCode(labeled, unlabeled)
				if err == nil && s.mistaken("labels kept") {
					c.Labeled = slices.Repeat([]bool{true}, len(labeled))
				}
				return c, err
			})
		},
	}
}

// puplVariant is a variant of PUPL, such as [theory.RationalPUPLPseudoCode]. Only the labels and ties are used.
type puplVariant func(labeled, unlabeled theory.RationalPoints) (*theory.RationalClustering, error)

// variantSearch compares a variant with every start of Algorithm 1(B).
type variantSearch struct {
	variant puplVariant

	cases, tied              int
	always, sometimes, never int // cases in which all, some or no starts of Algorithm 1(B) have its labels
	leaving                  int // cases in which a labeled row leaves
	random                   int // cases in which two starts of Algorithm 1(B) differ
	firstNever, firstLeaving variantExample
}

// variantExample is a set of points on which the variants differ.
type variantExample struct {
	text               string
	labeled, unlabeled theory.RationalPoints
}

func (s *variantSearch) visit(labeled, unlabeled theory.RationalPoints) {
	if _, total := theory.RationalSeedingWeights(labeled, unlabeled); total.Sign() == 0 {
		return // Algorithm 1(B) has nothing to draw
	}
	got := must.Get(s.variant(labeled, unlabeled))
	enumerated := must.Get(theory.EnumerateRationalSeeding(labeled, unlabeled))
	same, tied, random := 0, got.Tied, false
	starts := ""
	for _, start := range enumerated.Starts {
		tied = tied || start.Tied
		random = random || !slices.Equal(start.Labels, enumerated.Starts[0].Labels)
		same += oneIf(slices.Equal(start.Labels, got.Labels))
		starts += fmt.Sprintf(", %s from row %d", signs(start.Labels), start.Seed)
	}
	if tied {
		s.tied++
		return
	}
	s.cases++
	s.random += oneIf(random)
	text := fmt.Sprintf("labeled %s, unlabeled %s: the variant labels the unlabeled %s and the labeled %s; Algorithm 1(B) "+
		"gives the unlabeled%s", places(labeled), places(unlabeled), signs(got.Labels), signs(got.Labeled), starts[1:])
	switch same {
	case len(enumerated.Starts):
		s.always++
	case 0:
		s.never++
		if s.firstNever.text == "" {
			s.firstNever = variantExample{text, labeled, unlabeled}
		}
	default:
		s.sometimes++
	}
	if slices.Contains(got.Labeled, false) {
		s.leaving++
		if s.firstLeaving.text == "" {
			s.firstLeaving = variantExample{text, labeled, unlabeled}
		}
	}
}

// signs writes labels as "+−−".
func signs(labels []bool) string {
	text := ""
	for _, positive := range labels {
		text += []string{"−", "+"}[oneIf(positive)]
	}
	return text
}

// puplVariantsFinding compares on sets of up to 4 rows on the integers 0 … 5, of 5 on 0 … 3, and of up to 3 on the
// points of a 3×3 grid. It takes every labeling, the fewest rows first.
func puplVariantsFinding(s *subject, variant puplVariant) Finding {
	var f Finding
	line, grid := variantSearch{variant: variant}, variantSearch{variant: variant}
	for _, size := range []struct{ least, most, longest int }{{2, 4, 5}, {5, 5, 3}} {
		for labeled, unlabeled := range labeledLines(size.least, size.most, size.longest) {
			line.visit(labeled, unlabeled)
		}
	}
	points := must.Get(theory.Rationals(gridPlaces(3)))
	for x := range multisets(2, 3, len(points)) {
		for labeled, unlabeled := range labelings(lists.Map(x, func(i int) []*big.Rat { return points[i] })) {
			grid.visit(labeled, unlabeled)
		}
	}
	for _, s := range []struct {
		name string
		*variantSearch
	}{{"line", &line}, {"3×3 grid", &grid}} {
		measure(&f, s.cases, "%s: cases without ties", s.name)
		measure(&f, s.always, "%s: the same labels from every start", s.name)
		measure(&f, s.sometimes, "%s: from some starts only", s.name)
		measure(&f, s.never, "%s: from no start", s.name)
		measure(&f, s.leaving, "%s: a labeled point leaves", s.name)
		measure(&f, s.random, "%s: two starts of Algorithm 1(B) differ", s.name)
		measure(&f, s.tied, "%s: left out for a tie", s.name)
	}
	agreementBySeparation(&f)
	groups := s.checkSeparation()
	if broken := groups.code + groups.start + groups.rarer; broken > 0 {
		must.Fail("the statement that should hold instead fails in %d cases", broken)
	}
	measure(&f, groups.separated, "random pairs of groups with f·D > 2δ")
	measure(&f, groups.code+groups.start, "of them with other labels than the groups")

	cases, never := line.cases+grid.cases, line.never+grid.never
	sometimes, leaving := line.sometimes+grid.sometimes, line.leaving+grid.leaving
	for _, s := range []*variantSearch{&grid, &line} {
		for _, example := range []variantExample{s.firstNever, s.firstLeaving} {
			if example.text != "" {
				example.checkCode(variant)
			}
		}
	}
	f.Counterexample = grid.firstNever.text
	f.detail("differences: the start (mean of the unlabeled points, no draw); labeled points may leave the positive cluster; " +
		"rows come back in another order, the unlabeled first; a tie goes to the negative centre, which is listed first, where " +
		"Algorithm 1(B) leaves it open; the number of clusters is an argument that fits two centres only")
	f.detail("what is the same: label 1 is the cluster that started at the labeled points' mean, as ỹ = 1 is in Algorithm 1(B)")
	for _, example := range []struct{ what, text string }{
		{"smallest case on a line with other labels than from every start", line.firstNever.text},
		{"smallest case in which a labeled point leaves", line.firstLeaving.text},
		{"the same on the grid", grid.firstLeaving.text},
	} {
		if example.text != "" {
			f.detail("%s: %s", example.what, example.text)
		}
	}
	f.Why = "The start decides where k-means ends. Where two unlabeled points lie at a right angle about the labeled one, " +
		"their mean is nearer to both than that point, so the pseudo code takes both for negative; Algorithm 1(B) starts at " +
		"one of them, and the other stays with the labeled point, to which it is nearer. With two points there is one " +
		"unlabeled one, at which both start, so three are the fewest. The k-means over all rows with which the pseudo code " +
		"ends knows no labels, so a labeled point goes to the nearer centre. What holds: let m = (1−f)a + f·b be the mean of " +
		"the unlabeled points, a and b in the hulls of the groups. For x in A, |x − μ_P| ≤ δ and |x − m| ≥ f|x − b| − (1−f)|x " +
		"− a| ≥ fD − δ > δ; for x in B, |x − m| ≤ δ + (1−f)|x − μ_P| < |x − μ_P|, as f|x − μ_P| ≥ f(D−δ) > δ. So the first " +
		"labels are the groups, and so are the next, the centres being the groups' means; a start of Algorithm 1(B) in B gives " +
		"the same at once, and the share of B in the squared distances is what it is drawn with."
	f.Number = exactly(float64(cases-line.always-grid.always) / float64(cases))
	switch {
	case never == 0 && sometimes == 0 && leaving == 0:
		f.conclude(Holds, "The labels are the same from every start in all %d cases; the share that differs is %.4g.",
			cases, f.Number.Value)
	case never == 0 && leaving == 0:
		f.conclude(Conditional, "The labels are those of some start in all %d cases, but of every start only in a share "+
			"of %.4g.", cases, 1-f.Number.Value)
		f.Corrected = "The variant has the labels of one of the starts of Algorithm 1(B)."
	default:
		f.conclude(Fails, "A share of %.4g of %d small cases without ties has labels that some start does not give, "+
			"%d of them labels that no start gives. In %d cases a labeled point ends as negative, which Algorithm 1(B) "+
			"excludes. Clusters far apart get the same labels.", f.Number.Value, cases, never, leaving)
		f.Corrected = "If the labeled points belong to a group A, the others being a group B, both of diameter δ or less " +
			"and at least D apart, and B is a share f of the unlabeled points with f·D > 2δ, then the pseudo code labels " +
			"A positive and B negative, and so does Algorithm 1(B) from every start in B, that is, with probability " +
			"f(D−δ)²/(f(D−δ)² + (1−f)δ²) at least."
		f.CorrectedLaTeX = `f D > 2\delta \ \Rightarrow\ \tilde{y}_{\text{pseudo code}} = \mathbf{1}_A, \quad ` +
			`P(\tilde{y}_{\text{1B}} = \mathbf{1}_A) \geq \frac{f (D - \delta)^2}{f (D - \delta)^2 + (1 - f)\,\delta^2}`
	}
	return f
}
