package papers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	proofs "github.com/puclab/puclab/theory/claims"
)

// No figure, table or theorem of the main paper is missing; each stands once, with a notebook that is there and names it, and with
// claims that there are.
func TestIndex(t *testing.T) {
	seen := map[string]Place{}
	var ids, experiments []string
	for _, c := range proofs.All() {
		ids = append(ids, c.ID)
	}
	for _, of := range claimed() {
		for _, c := range of.list {
			experiments = append(experiments, c.Experiment)
		}
	}
	for _, p := range Index() {
		key := p.Document + " / " + p.Name
		if _, twice := seen[key]; twice || p.Shows == "" || !slices.Contains(proofs.Documents(), p.Document) {
			t.Errorf("%s: twice, or in no document, or shows nothing", key)
		}
		seen[key] = p
		for _, id := range p.Theory {
			if !slices.Contains(ids, id) {
				t.Errorf("%s: there is no claim %q", key, id)
			}
		}
		for _, e := range p.Experiments {
			if !slices.Contains(experiments, e) {
				t.Errorf("%s: no claim is of %q", key, e)
			}
		}
	}
	for kind, n := range map[string]int{"Figure": 15, "Table": 2, "Theorem": 4, "Lemma": 3} {
		for i := range n {
			p, ok := seen[fmt.Sprintf("%s / %s %d", proofs.PUCLDocument, kind, i+1)]
			if !ok || p.Notebook == "" || len(p.Theory)+len(p.Experiments) == 0 {
				t.Errorf("%s %d: %+v", kind, i+1, p)
			}
		}
	}
	for _, document := range proofs.Documents() {
		if !slices.ContainsFunc(Index(), func(p Place) bool { return p.Document == document }) {
			t.Errorf("nothing of %s", document)
		}
	}
}

// Every notebook of the index is there. Those of figures speak of their figures, link back to the index, and say
// how long they run.
func TestIndexLinks(t *testing.T) {
	for _, p := range Index() {
		if p.Notebook == "" {
			continue
		}
		data, err := os.ReadFile(filepath.Join("..", p.Notebook+".ipynb"))
		switch text := strings.Join(strings.Fields(string(data)), " "); {
		case err != nil:
			t.Error(err)
		case strings.HasPrefix(p.Notebook, "figure-"):
			if number := strings.TrimPrefix(p.Name, "Figure "); !strings.Contains(text, "(index.ipynb)") || !strings.Contains(text, number) || runTime(data) == "" {
				t.Errorf("%s: it lacks a link to the index, its figure %s or its run time %q", p.Notebook, number, runTime(data))
			}
		}
	}
}

// A notebook that is not there is said to be none yet, and verdicts are counted and named.
func TestWriteIndex(t *testing.T) {
	folder := t.TempDir()
	nb := `{"cells": [{"cell_type": "markdown", "source": ["Reading takes ten minutes. It runs in a minute or two on two cores."]}, {"cell_type": "code"}]}`
	if err := os.WriteFile(filepath.Join(folder, "figure-4.ipynb"), []byte(nb), 0o644); err != nil {
		t.Fatal(err)
	}
	findings := []Finding{{Claim: Claim{Experiment: experiment4}, Verdict: Agrees}, {Claim: Claim{Experiment: experiment4}, Verdict: NotDecided},
		{Claim: Claim{Experiment: "table 1"}, Verdict: Disagrees}}
	hypercube := proofs.Hypercube()
	hypercube.Verdict = proofs.Conditional
	rows, err := IndexRows(folder, findings, []proofs.Claim{hypercube})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := WriteIndex(&text, rows); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| Figure 4 | accuracy over γ and π | [figure-4](figure-4.ipynb) | 1 agree, 0 disagree, 1 not decided |  | a minute or two |",
		"| Table 1 | PUPL and nnPU on three embeddings | not yet | 0 agree, 1 disagree, 0 not decided |",
		"| Figure 2 | four objects on a square | not yet |  | hypercube: conditional |  |", "#### " + proofs.SlidesDocument,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.HasPrefix(text.String(), "\n") {
		t.Error("it begins with an empty line")
	}
}
