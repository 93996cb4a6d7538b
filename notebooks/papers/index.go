package papers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	proofs "github.com/puclab/puclab/theory/claims"
)

// Place is a figure, a table or a theorem of a document, and the notebook that reproduces it.
type Place struct {
	Document    string   // as in [proofs.Documents]
	Name        string   // "Figure 4"
	Shows       string   // in a few words
	Notebook    string   // without extension; "" for none
	Experiments []string // the experiments of its claims that runs decide, see [Claim]; nil for none
	Theory      []string // IDs of its checked claims, see [proofs.All]; nil for none
}

// Index lists the figures, tables, theorems, lemmas and algorithms of the five documents, in their order.
func Index() []Place {
	const paper, chuang, mak, slides = proofs.PUCLDocument, proofs.DebiasedDocument, proofs.MAKDocument, proofs.SlidesDocument
	theory := func(ids string) []string { return strings.Fields(ids) }
	return []Place{
		{paper, "Figure 1", "supervision, convergence, quality of the embedding", "figure-1", []string{"figure 1"}, theory("theorem-4 theorem-4-repaired theorem-4-variance")},
		{paper, "Figure 2", "four objects on a square", "figure-2", nil, theory("hypercube")},
		{paper, "Theorem 1", "the bias of SCL-PU", "theorem-1", nil, theory("theorem-1 theorem-1-repaired")},
		{paper, "Theorem 2", "PUCL is unbiased and varies less than ssCL", "theorem-2", nil,
			theory("theorem-2-unbiased theorem-2-inequality theorem-2-variance theorem-2-variance-repaired theorem-2-monotone")},
		{paper, "Figure 3", "linear probes of frozen features", "figure-3", []string{experiment3}, nil},
		{paper, "Table 1", "PUPL and nnPU on three embeddings", "table-1", []string{"table 1"}, nil},
		{paper, "Theorem 3", "what PUPL costs beside the best clustering", "theorem-3", nil, theory("theorem-3 theorem-3-repaired")},
		{paper, "Table 2", "PUCL and its baselines", "table-2", []string{"table 2"}, nil},
		{paper, "Figure 4", "accuracy over γ and π", "figure-4", []string{experiment4}, nil},
		{paper, "Lemma 1", "when robust learning fails", "lemmas", nil, theory("lemma-1 lemma-1-repaired")},
		{paper, "Algorithm 1", "PUCL, then PUPL, then a classifier", "components", []string{"parts of PUPL"}, theory("loss-code pupl-variants")},
		{paper, "Figure 5", "case-control beside one data set", "figure-5", []string{experiment5}, theory("single-dataset")},
		{paper, "Figure 6", "quality of the embedding over supervision", "figure-1", []string{"figure 6"}, nil},
		{paper, "Figure 7", "four objects on a square, again", "figure-2", nil, theory("hypercube")},
		{paper, "Figure 8", "unlike things in one class", "figure-8", []string{experiment8}, nil},
		{paper, "Theorem 4", "the bias of the gradient of PUCL", "theorem-4", nil, theory("theorem-4 theorem-4-repaired theorem-4-variance")},
		{paper, "Figure 9", "convergence", "figure-9", []string{"figure 9"}, theory("variance-convergence")},
		{paper, "Figure 10", "MCL over λ, DCL over τ⁺", "figure-10", []string{"figure 10"}, theory("pucl-mcl dcl-decomposition")},
		{paper, "Figure 11", "accuracy over γ and π, again", "figure-4", []string{experiment4}, nil},
		{paper, "Figure 12", "lines through separable clouds", "gaussians", []string{"figures 12 and 14"}, theory("naive-boundary pupl-almost-surely")},
		{paper, "Figure 13", "lines through overlapping clouds", "gaussians", []string{"figure 13"}, nil},
		{paper, "Figure 14", "how the line moves as γ shrinks", "gaussians", []string{"figures 12 and 14"}, theory("naive-boundary pupl-almost-surely")},
		{paper, "Lemma 2", "the potential of a random centroid", "lemmas", nil, theory("lemma-2")},
		{paper, "Lemma 3", "the potential after drawing the second center", "lemmas", nil, theory("lemma-3")},
		{paper, "Figure 15", "a wrong class prior", "gaussians", []string{"figure 15"}, theory("prior-error")},
		{chuang, "Figure (a)", "what sampling bias is", "debiasing", nil, theory("sampling-bias")},
		{chuang, "Figure (b)", "what sampling bias costs", "sampling-bias", []string{experimentBias}, theory("sampling-bias")},
		{chuang, "Equation", "the debiased loss and its limit", "debiasing", nil, theory("dcl-decomposition dcl-limit dcl-limit-repaired")},
		{proofs.IntroDocument, "InfoNCE", "a lower bound of mutual information, and the temperature", "information", nil, theory("infonce-mi temperature-limits")},
		{proofs.IntroDocument, "Geometry", "alignment, uniformity, temperature, pairs, views, puNCE", "geometry", []string{experimentGeometry}, nil},
		{mak, "Algorithm 1", "greedy choice within a budget", "statements", nil, theory("mak-budget")},
		{mak, "Tables", "accuracies with images of the open world", "open-world", []string{experimentMAK}, nil},
		{slides, "Lemma", "the N-pair loss tends to L_Pos", "debiasing", nil, theory("lpos-limit lpos-limit-repaired")},
		{slides, "Theorem", "L_Pos bounds mutual information", "information", nil, theory("lpos-mi lpos-mi-repaired")},
		{slides, "Classification", "Acc and top-k with false positives", "debiased-pos", []string{experimentPairs}, nil},
		{slides, "Artificial experiment", "what L_Pos recovers", "debiased-pos", []string{experimentCircle}, theory("lpos-recovers")},
		{slides, "VQA", "answers to questions on images", "question-answering", []string{experimentAnswering}, nil},
	}
}

// runSentence matches the statement of the running time in a notebook's first cell.
var runSentence = regexp.MustCompile(`(?i)(?:runs in|running(?: takes)?|notebook takes|all of it takes|and some) ((?:about |less than )?(?:a|half a|one|two|three|five|ten|[0-9]+)\b[a-z0-9 ]*?(?:minutes?|seconds?)(?: or two)?)`)

// runTime returns the running time that a notebook's first cell states, "" if it states none.
func runTime(notebook []byte) string {
	text := string(notebook)
	if i := strings.Index(text, `"cell_type": "code"`); i >= 0 {
		text = text[:i]
	}
	if m := runSentence.FindStringSubmatch(strings.Join(strings.Fields(text), " ")); m != nil {
		return m[1]
	}
	return ""
}

// IndexRow is a place of the index with its results.
type IndexRow struct {
	Place
	There   bool   // the notebook exists
	Decided string // results of the claims that runs decide; "" for none
	Checked string // the claims of the theory by ID, with the verdicts of the checked ones
	Time    string // the running time that the notebook states; "" for none
}

// IndexRows returns the index with the verdicts on claims that runs decide, from findings, and with the verdicts of the
// checked claims of the theory. Notebooks are searched in folder.
func IndexRows(folder string, findings []Finding, checked []proofs.Claim) (rows []IndexRow, err error) {
	for _, p := range Index() {
		row := IndexRow{Place: p, Decided: p.decided(findings), Checked: p.verdicts(checked)}
		data, err := os.ReadFile(filepath.Join(folder, p.Notebook+".ipynb"))
		switch {
		case err == nil:
			row.There, row.Time = true, runTime(data)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("papers: the index: %w", err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// WriteIndex writes the index as Markdown: a heading and a table for each document, with links to the existing
// notebooks.
func WriteIndex(w io.Writer, rows []IndexRow) error {
	var text strings.Builder
	document := ""
	for _, row := range rows {
		if row.Document != document {
			document = row.Document
			fmt.Fprintf(&text, "\n#### %s\n\n| | shows | notebook | decided by runs | theory | runs in |\n| --- | --- | --- | --- | --- | --- |\n", document)
		}
		link := "not yet"
		if row.There {
			link = fmt.Sprintf("[%s](%[1]s.ipynb)", row.Notebook)
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s |\n", row.Name, row.Shows, link, row.Decided, row.Checked, row.Time)
	}
	_, err := io.WriteString(w, strings.TrimPrefix(text.String(), "\n"))
	return err
}

// decided counts the verdicts on the claims about the place.
func (p Place) decided(findings []Finding) string {
	counts := map[Verdict]int{}
	n := 0
	for _, f := range findings {
		if slices.Contains(p.Experiments, f.Experiment) {
			counts[f.Verdict], n = counts[f.Verdict]+1, n+1
		}
	}
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("%d agree, %d disagree, %d inconclusive", counts[Agrees], counts[Disagrees], counts[Inconclusive])
	if counts[NotRun] > 0 {
		text += fmt.Sprintf(", %d not run", counts[NotRun])
	}
	return text
}

// verdicts lists the claims of the theory about the place, with the verdicts of the checked ones.
func (p Place) verdicts(checked []proofs.Claim) string {
	var list []string
	for _, id := range p.Theory {
		text := id
		if i := slices.IndexFunc(checked, func(c proofs.Claim) bool { return c.ID == id }); i >= 0 {
			text += fmt.Sprintf(": %s", checked[i].Verdict)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}
