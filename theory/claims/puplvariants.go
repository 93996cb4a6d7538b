package claims

import (
	"errors"
	"fmt"
	"slices"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
)

// PUPLVariants is the claim that the paper's two descriptions of PUPL, Algorithm 1(B) and the pseudo code, do the same.
//
// They differ in where the negative centre starts (an unlabeled point drawn by squared distance; the mean of all unlabeled
// points), so that one of them is random, and in whether a labeled point can join the negative cluster. The check goes
// through all small sets of points in rational arithmetic, leaves out those in which a tie occurs, holds the smallest
// differences against package pucl, and sees how often the two agree on clusters drawn ever farther apart. It needs no engine.
func PUPLVariants() Claim {
	return Claim{
		ID:        "pupl-variants",
		Statement: "The pseudo code puPL computes the pseudo-labels that Algorithm 1(B) defines.",
		LaTeX: `\mu_N \overset{D(\mathbf{x}')}{\sim} \mathcal{Z}_U \ \text{in Algorithm 1(B)} \quad\text{and}\quad ` +
			`\mu_N = \tfrac{1}{|\mathcal{Z}_U|} \sum_{\mathbf{r} \in \mathcal{Z}_U} \mathbf{r} \ \text{in the pseudo code} ` +
			`\quad\Rightarrow\quad \text{the same}\ \tilde{y}`,
		Source: "Contrastive Positive Unlabeled Learning, Algorithm 1(B) and the pseudo code puPL in appendix A.7.4",
		Assumptions: []string{
			"both are given the same labeled and unlabeled embeddings",
			"k-means in the pseudo code is Lloyd's algorithm from the given centres, run until no label changes",
		},
		check: func(*engine.Engine) (Finding, error) { return puplVariantsFinding(pseudoCodeLabels) },
	}
}

// variantLabels are the pseudo-labels of a variant of PUPL: those of the unlabeled rows, and whether each labeled row stays
// positive.
type variantLabels struct {
	unlabeled, labeled []bool
	tied               bool
}

func pseudoCodeLabels(labeled, unlabeled theory.RationalPoints) (variantLabels, error) {
	c, err := theory.RationalPUPLPseudoCode(labeled, unlabeled)
	if err != nil {
		return variantLabels{}, err
	}
	return variantLabels{c.Labels, c.Labeled, c.Tied}, nil
}

// variantSearch compares a variant with every start of Algorithm 1(B).
type variantSearch struct {
	variant func(labeled, unlabeled theory.RationalPoints) (variantLabels, error)

	cases, tied                    int
	always, sometimes, never       int // cases by how many starts of Algorithm 1(B) have the variant's labels
	leaving                        int // cases in which a labeled row leaves
	random                         int // cases in which two starts of Algorithm 1(B) differ
	firstNever, firstLeaving       variantExample
	firstNeverText, firstLeaveText string
}

// variantExample is a set of points on which the variants differ.
type variantExample struct{ labeled, unlabeled theory.RationalPoints }

func (s *variantSearch) visit(labeled, unlabeled theory.RationalPoints) error {
	if _, total := theory.RationalSeedingWeights(labeled, unlabeled); total.Sign() == 0 {
		return nil // Algorithm 1(B) has nothing to draw
	}
	got, err := s.variant(labeled, unlabeled)
	if err != nil {
		return err
	}
	enumerated, err := theory.EnumerateRationalSeeding(labeled, unlabeled)
	if err != nil {
		return err
	}
	same, tied, random := 0, got.tied, false
	starts := ""
	for _, start := range enumerated.Starts {
		tied = tied || start.Tied
		random = random || !slices.Equal(start.Labels, enumerated.Starts[0].Labels)
		if slices.Equal(start.Labels, got.unlabeled) {
			same++
		}
		starts += fmt.Sprintf(", %s from row %d", signs(start.Labels), start.Seed)
	}
	if tied {
		s.tied++
		return nil
	}
	s.cases++
	if random {
		s.random++
	}
	text := fmt.Sprintf("labeled %s, unlabeled %s: the variant labels the unlabeled %s and the labeled %s; Algorithm 1(B) "+
		"gives the unlabeled%s",
		places(labeled), places(unlabeled), signs(got.unlabeled), signs(got.labeled), starts[1:])
	switch same {
	case len(enumerated.Starts):
		s.always++
	case 0:
		s.never++
		if s.firstNeverText == "" {
			s.firstNever, s.firstNeverText = variantExample{labeled, unlabeled}, text
		}
	default:
		s.sometimes++
	}
	if slices.Contains(got.labeled, false) {
		s.leaving++
		if s.firstLeaveText == "" {
			s.firstLeaving, s.firstLeaveText = variantExample{labeled, unlabeled}, text
		}
	}
	return nil
}

// signs writes labels as "+−−".
func signs(labels []bool) string {
	text := ""
	for _, l := range labels {
		if l {
			text += "+"
		} else {
			text += "−"
		}
	}
	return text
}

// searchLines tries sets of up to 4 rows on the integers 0 … 5, and of 5 on 0 … 3, searchGrid sets of up to 3 rows on the
// points of a 3×3 grid; both with every labeling, the fewest rows first.
func (s *variantSearch) searchLines() error {
	for n := 2; n <= 5; n++ {
		reach := int64(5)
		if n == 5 {
			reach = 3
		}
		for r := range reach + 1 {
			if err := eachLabeledLine(n, r, s.visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *variantSearch) searchGrid() error {
	grid := gridPlaces(3)
	var err error
	for n := 2; n <= 3; n++ {
		eachMultiset(n, len(grid), func(x []int) {
			rows := make(theory.RationalPoints, n)
			for i, v := range x {
				for _, coordinate := range grid[v] {
					rows[i] = append(rows[i], whole(int64(coordinate)))
				}
			}
			for mask := 1; mask < 1<<n-1 && err == nil; mask++ {
				err = s.visit(pick(rows, mask))
			}
		})
	}
	return err
}

func puplVariantsFinding(variant func(labeled, unlabeled theory.RationalPoints) (variantLabels, error)) (Finding, error) {
	var f Finding
	line, grid := variantSearch{variant: variant}, variantSearch{variant: variant}
	if err := errors.Join(line.searchLines(), grid.searchGrid()); err != nil {
		return f, err
	}
	separated, err := agreementBySeparation()
	if err != nil {
		return f, err
	}
	for _, s := range []struct {
		name string
		*variantSearch
	}{{"line", &line}, {"3×3 grid", &grid}} {
		for _, m := range []struct {
			name  string
			count int
		}{
			{"cases without ties", s.cases}, {"the same labels from every start", s.always}, {"from some starts " +
				"only", s.sometimes},
			{"from no start", s.never}, {"a labeled point leaves", s.leaving}, {"two starts of Algorithm 1(B) " +
				"differ", s.random},
			{"left out for a tie", s.tied},
		} {
			f.Measured = append(f.Measured, Measurement{s.name + ": " + m.name, theory.Exactly(float64(m.count))})
		}
	}
	f.Measured = append(f.Measured, separated...)
	groups, err := checkSeparation()
	if err != nil {
		return f, err
	}
	if broken := groups.code + groups.start + groups.rarer; broken > 0 {
		return f, fmt.Errorf("the statement that should hold instead fails in %d cases", broken)
	}
	f.Measured = append(f.Measured,
		Measurement{"random pairs of groups with f·D > 2δ", theory.Exactly(float64(groups.separated))},
		Measurement{"of them with other labels than the groups", theory.Exactly(float64(groups.code + groups.start))})

	cases, never := line.cases+grid.cases, line.never+grid.never
	sometimes, leaving := line.sometimes+grid.sometimes, line.leaving+grid.leaving
	for _, s := range []*variantSearch{&grid, &line} {
		for _, example := range []struct {
			text string
			variantExample
		}{{s.firstNeverText, s.firstNever}, {s.firstLeaveText, s.firstLeaving}} {
			if example.text != "" {
				if err := example.matchesCode(); err != nil {
					return f, err
				}
			}
		}
	}
	f.Counterexample = grid.firstNeverText
	f.Details = variantDetails(&line, &grid)
	f.Why = "The start decides where k-means ends. Where two unlabeled points lie at a right angle about the labeled " +
		"one, their mean is nearer to both than that point, so the pseudo code takes both for negative; Algorithm 1(B) " +
		"starts at one of them, and the other stays with the labeled point, to which it is nearer. With two points there " +
		"is one unlabeled one, at which both start, so three are the fewest. The k-means over all rows with which the " +
		"pseudo code ends knows no labels, so a labeled point goes to the nearer centre. What holds: let m = (1−f)a + " +
		"f·b be the mean of the unlabeled points, a and b in the hulls of the groups. For x in A, |x − μ_P| ≤ δ and |x − " +
		"m| ≥ f|x − b| − (1−f)|x − a| ≥ fD − δ > δ; for x in B, |x − m| ≤ δ + (1−f)|x − μ_P| < |x − μ_P|, as f|x − μ_P| " +
		"≥ f(D−δ) > δ. So the first labels are the groups, and so are the next, the centres being the groups' means; a " +
		"start of Algorithm 1(B) in B gives the same at once, and the share of B in the squared distances is what it is " +
		"drawn with."
	f.Number = theory.Exactly(float64(cases-line.always-grid.always) / float64(cases))
	switch {
	case never == 0 && sometimes == 0 && leaving == 0:
		f.Verdict = Holds
		f.Sentence = fmt.Sprintf("The labels are the same from every start in all %d cases; the share that differs is "+
			"%.4g.", cases, f.Number.Value)
	case never == 0 && leaving == 0:
		f.Verdict = Conditional
		f.Sentence = fmt.Sprintf("The labels are those of some start in all %d cases, but of every start only in a share "+
			"of %.4g.", cases, 1-f.Number.Value)
		f.Corrected = "The variant has the labels of one of the starts of Algorithm 1(B)."
	default:
		f.Verdict = Fails
		f.Sentence = fmt.Sprintf("A share of %.4g of %d small cases without ties has labels that are not those of every "+
			"start, %d of them those of no start, and in %d cases a labeled point ends as negative, which Algorithm 1(B) "+
			"excludes; clusters far apart get the same labels.", f.Number.Value, cases, never, leaving)
		f.Corrected = "If the labeled points belong to a group A, the others being a group B, both of diameter δ or less " +
			"and at least D apart, and B is a share f of the unlabeled points with f·D > 2δ, then the pseudo code labels " +
			"A positive and B negative, and so does Algorithm 1(B) from every start in B, that is, with probability " +
			"f(D−δ)²/(f(D−δ)² + (1−f)δ²) at least."
		f.CorrectedLaTeX = `f D > 2\delta \ \Rightarrow\ \tilde{y}_{\text{pseudo code}} = \mathbf{1}_A, \quad ` +
			`P(\tilde{y}_{\text{1B}} = \mathbf{1}_A) \geq ` +
			`\frac{f (D - \delta)^2}{f (D - \delta)^2 + (1 - f)\,\delta^2}`
	}
	return f, nil
}

func variantDetails(line, grid *variantSearch) []string {
	details := []string{
		"differences: the start (mean of the unlabeled points, no draw); labeled points may leave the positive cluster; " +
			"rows come back in another order, the unlabeled first; a tie goes to the negative centre, which is listed " +
			"first, " +
			"where Algorithm 1(B) leaves it open; the number of clusters is an argument that fits two centres only",
		"what is the same: label 1 is the cluster that started at the labeled points' mean, as ỹ = 1 is in Algorithm 1(B)",
	}
	if line.firstNeverText != "" {
		details = append(details, "smallest case on a line with other labels than from every start: "+line.firstNeverText)
	}
	if line.firstLeaveText != "" {
		details = append(details, "smallest case in which a labeled point leaves: "+line.firstLeaveText)
	}
	if grid.firstLeaveText != "" {
		details = append(details, "the same on the grid: "+grid.firstLeaveText)
	}
	return details
}
