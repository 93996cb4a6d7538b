package papers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	proofs "github.com/puclab/puclab/theory/claims"
)

// No figure, table or theorem of the main paper is missing; each occurs once, with an existing notebook that names it,
// and with existing claims.
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
			expect.That(t, slices.Contains(ids, id), "%s: there is no claim %q", key, id)
		}
		for _, e := range p.Experiments {
			expect.That(t, slices.Contains(experiments, e), "%s: no claim is of %q", key, e)
		}
	}
	for kind, n := range map[string]int{"Figure": 15, "Table": 2, "Theorem": 4, "Lemma": 3} {
		for i := range n {
			p, ok := seen[fmt.Sprintf("%s / %s %d", proofs.PUCLDocument, kind, i+1)]
			expect.That(t, ok && p.Notebook != "" && len(p.Theory)+len(p.Experiments) != 0, "%s %d: %+v", kind, i+1, p)
		}
	}
	for _, document := range proofs.Documents() {
		expect.That(t, slices.ContainsFunc(Index(), func(p Place) bool { return p.Document == document }),
			"nothing of %s", document)
	}
}

// Every notebook of the index exists. Notebooks of figures name their figures, link back to the index, and state their
// running time.
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

// A missing notebook is marked, and verdicts are counted and named.
func TestWriteIndex(t *testing.T) {
	folder := t.TempDir()
	nb := `{"cells": [{"cell_type": "markdown", "source": ["Reading takes ten minutes. It runs in a minute or two on two cores."]}, {"cell_type": "code"}]}`
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "figure-4.ipynb"), []byte(nb), 0o644))
	findings := []Finding{{Claim: Claim{Experiment: experiment4}, Verdict: Agrees}, {Claim: Claim{Experiment: experiment4}, Verdict: Inconclusive},
		{Claim: Claim{Experiment: "table 1"}, Verdict: Disagrees}}
	hypercube := proofs.Hypercube()
	hypercube.Verdict = proofs.Conditional
	rows := expect.Must(IndexRows(folder, findings, []proofs.Claim{hypercube}))(t)
	var text strings.Builder
	expect.NoError(t, WriteIndex(&text, rows))
	for _, want := range []string{
		"| Figure 4 | accuracy over γ and π | [figure-4](figure-4.ipynb) | 1 agree, 0 disagree, 1 inconclusive |  | a minute or two |",
		"| Table 1 | PUPL and nnPU on three embeddings | not yet | 0 agree, 1 disagree, 0 inconclusive |",
		"| Figure 2 | four objects on a square | not yet |  | hypercube: conditional |  |", "#### " + proofs.SlidesDocument,
	} {
		expect.That(t, strings.Contains(text.String(), want), "no %q in\n%s", want, text.String())
	}
	expect.That(t, !strings.HasPrefix(text.String(), "\n"), "it begins with an empty line")
}

// If an embedding cannot be clustered, the clustering heads report this, and the others are still evaluated.
func TestCollapseIsAResult(t *testing.T) {
	s := few()
	s.Pretrain.Steps, s.Points = 1, 1
	s.Encoder = encoder.Func{Name: "zeros but in training", Graph: func(scope *model.Scope, x *graph.Node, training bool) *graph.Node {
		h := encoder.MLP{Hidden: []int{}, Dim: 8}.Embed(scope, x, training)
		if !training {
			h = graph.ZerosLike(h)
		}
		return h
	}}
	outcome, err := s.contrastive(objectives()[2], 1).Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()})
	expect.Require(t, err == nil && len(outcome.Points) == len(Heads()), "%v, %v", outcome, err)
	for _, p := range outcome.Points {
		clusters := p.Head == PUPL || p.Head == Mixture
		expect.That(t, p.Head == PUPLOnZ || clusters == strings.Contains(p.Failure, "collapsed") &&
			clusters != (p.Test != nil), "%s: %q, %v", p.Head, p.Failure, p.Test)
	}
}

// A run stores the fraction of correct pseudo-labels, and for PUPL also the disagreement with the mixture; other heads
// have neither.
func TestPseudoLabelsAreCounted(t *testing.T) {
	expect.Slow(t)
	s := few()
	s.Points = 1
	outcome, err := s.contrastive(objectives()[2], 1).Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()})
	expect.NoError(t, err)
	for _, p := range outcome.Points {
		right, judged := p.Values[LabelsRight]
		share, compared := p.Values[Disagreement]
		clusters := p.Head == PUPL || p.Head == PUPLOnZ
		expect.That(t, judged == (clusters || p.Head == Mixture) && compared == clusters && right >= 0 &&
			right <= 1 && share >= 0 && share <= 1, "%s: %v", p.Head, p.Values)
	}
	got := agreeing([]bool{true, true, false, false}, []bool{true, false, false, true}, []bool{true, false, false, false})
	expect.That(t, got == 1./3, "%g of three unlabeled rows are given the same label, want one", got)
}

// Each head is trained on its own labels. Of four rows, of which the first is labeled, the second is near it in h and
// the third in z.
func TestHeads(t *testing.T) {
	e := embedded{
		h: mat.NewDense(4, 2, []float64{1, 0, 1, 0, 0, 1, 0, 1}), z: mat.NewDense(4, 2, []float64{1, 0, 0, 1, 1, 0, 0, 1}),
		part: part{Split: &datasets.Split{
			Labeled: []bool{true, false, false, false}, Positive: []bool{true, true, true, false}, Prior: 0.5,
		}},
	}
	for head, want := range map[string][]bool{
		PUPL: {true, true, false, false}, PUPLOnZ: {true, false, true, false}, NNPU: e.Labeled, Naive: e.Labeled, Ceiling: e.Positive,
	} {
		x, labels, minimized, err := e.head(head, 1)
		expect.That(t, err == nil && x == e.h && slices.Equal(labels, want) && minimized != nil,
			"%s: labels %v on h: %v, %v", head, labels, x == e.h, err)
	}
	e.Unknown = []bool{false, true, false, false}
	x, labels, _, err := e.head(Ceiling, 1)
	if err != nil || !slices.Equal(labels, []bool{true, true, false}) || !mat.Equal(x, mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 1})) {
		t.Errorf("of the known classes: %v, %v, %v", labels, x, err)
	}
}

// The module's own runs of ssCL and PUCL serve only for equal numbers of steps, for any number of seeds.
func TestPrototypeBeside(t *testing.T) {
	store := expect.Must(experiment.Open(""))(t)
	for want, c := range map[string]PrototypeConfig{
		"6 of 6 runs done":             {},
		"6 of 10 runs done, 4 missing": {Steps: 500, Seeds: 5},
		"0 of 6 runs done, 6 missing":  {Steps: 501},
	} {
		c.Size = experiment.Laptop
		grid := expect.Must(c.Beside())(t)
		cells, err := store.Cells(grid)
		expect.That(t, err == nil && cells.String() == want, "%+v: %v, %v, want %s", c, cells, err, want)
	}
}

// Runs of a user's objective are distinguished by their steps; the usual number of steps is the usual run.
func TestPrototypeOwn(t *testing.T) {
	mine := pucl.PUCL()
	mine.Name = "mine"
	path := func(c PrototypeConfig) (path, steps string) {
		t.Helper()
		grid := expect.Must(c.Own(mine))(t)
		id := expect.Must(grid.Runs[0].Identity())(t)
		return grid.Runs[0].Path(), id.Config["Steps"]
	}
	for _, size := range []experiment.Size{experiment.Smoke, experiment.Laptop, experiment.Paper} {
		usual, steps := path(PrototypeConfig{Size: size})
		full, err := PrototypeConfig{Size: size}.WithDefaults()
		expect.Require(t, err == nil && full.Steps != 0 && full.Seeds != 0, "%+v, %v", full, err)
		asked, _ := path(full)
		expect.That(t, asked == usual, "asked for, the usual runs lie in %s, not in %s", asked, usual)
		other, more := path(PrototypeConfig{Size: size, Steps: 7 * full.Steps})
		expect.That(t, other != usual && more != steps, "%s of %s steps and %s of %s", usual, steps, other, more)
	}
	expect.Error(t, expect.Err((PrototypeConfig{Size: experiment.Laptop, Steps: -1}).Own(mine)), "-1 steps")
}
