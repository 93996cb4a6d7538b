package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// The tables of the guide equal the program's output from the committed results. After new results: go run
// ./notebooks/defaults -markdown, and paste its output below "## The tables".
func TestGuideHasTheTables(t *testing.T) {
	want := expect.Must(tables(expect.Must(readResults("results.csv"))(t)))(t)
	guide := string(expect.Must(os.ReadFile("../../docs/defaults.md"))(t))
	expect.That(t, strings.Contains(guide, want), "docs/defaults.md lacks these tables:\n%s", want)
}

// Each committed result belongs to a set and a method of the study, has a new seed, and occurs once.
func TestCommittedResults(t *testing.T) {
	seen := map[[4]string]bool{}
	for _, r := range expect.Must(readResults("results.csv"))(t) {
		known := slices.ContainsFunc(tasks(""), func(set task) bool {
			return set.kind == r.Kind && set.name == r.Set &&
				slices.ContainsFunc(methodsFor(set), func(m method) bool { return m.name == r.Method })
		})
		key := [4]string(r.record()[:4])
		expect.That(t, known && r.Seed >= firstSeed && !seen[key], "%v is unknown, has an old seed or occurs twice", r)
		seen[key] = true
	}
	expect.That(t, len(seen) > 100, "%d results", len(seen))
}

// A run appends the results that the file lacks, and a second run appends nothing.
func TestRunResumes(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "go")
	path := filepath.Join(t.TempDir(), "results.csv")
	o := options{kinds: []string{"rows"}, sets: []string{"patients"}, methods: []string{naive}, seeds: 1, root: "../.."}
	expect.NoError(t, o.run(t.Context(), path, nil))
	first := expect.Must(os.ReadFile(path))(t)
	results := expect.Must(readResults(path))(t)
	expect.Require(t, len(results) == 1, "%d results", len(results))
	r := results[0]
	expect.Equal(t, [3]string{r.Kind, r.Set, r.Method}, [3]string{"rows", "patients", naive})
	expect.Equal(t, [3]int{int(r.Seed), r.Labeled, r.Unlabeled}, [3]int{101, 84, 1137})
	expect.That(t, r.AUC > 0.97 && r.Accuracy > 0.85 && r.Proxy > 0.7, "%+v", r)
	expect.NoError(t, o.run(t.Context(), path, results))
	expect.Equal(t, string(expect.Must(os.ReadFile(path))(t)), string(first))
	o.seeds = 2
	expect.NoError(t, o.run(t.Context(), path, results))
	results = expect.Must(readResults(path))(t)
	expect.Require(t, len(results) == 2, "%d results", len(results))
	expect.Equal(t, results[1].Seed, 102)
}

// A broken results file is an error that names the line and the remedy.
func TestBrokenResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	good := result{Kind: "rows", Set: "wine", Method: naive, Seed: 101, Labeled: 3, Unlabeled: 4, AUC: 0.5, Accuracy: 0.25,
		Proxy: 0.75, Seconds: 1.5, Processor: 2}
	file := expect.Must(os.Create(path))(t)
	expect.NoError(t, good.append(file))
	expect.NoError(t, file.Close())
	expect.Equal(t, expect.Must(readResults(path))(t), []result{good})
	text := string(expect.Must(os.ReadFile(path))(t))
	for broken, message := range map[string]string{
		strings.Replace(text, "0.5000", "half", 1): "results.csv, line 2",
		text + "rows,wine\n":                       "delete the broken line",
	} {
		expect.NoError(t, os.WriteFile(path, []byte(broken), 0o666))
		expect.Error(t, expect.Err(readResults(path)), message)
	}
	none := expect.Must(readResults(filepath.Join(t.TempDir(), "none.csv")))(t)
	expect.Equal(t, len(none), 0)
}

// The rule for a set is the best candidate of the other sets. A method that requires the true class prior, or lacks
// a set, is no candidate.
func TestRuleLeavesASetOut(t *testing.T) {
	var all []result
	add := func(set, method string, aucs ...float64) {
		for i, a := range aucs {
			all = append(all, result{Kind: "images", Set: set, Method: method, Seed: firstSeed + uint64(i), AUC: a})
		}
	}
	sets := []string{"FMNIST-I", "FMNIST-II", "CIFAR-I", "drawn shapes", "drawn hues"}
	for i, set := range sets {
		add(set, contrast, 0.9, 0.8)
		add(set, "trees", 0.5)
		add(set, naive, 0.6, 0.6)
		add(set, "nnPU (π given)", 0.99)
		if i == 0 {
			all[len(all)-4].AUC = 1 // trees win on the first set alone
		} else {
			add(set, "vPU", 0.95)
		}
	}
	add("unfinished", naive, 0.6)
	s := studyOf(all, "images")
	expect.Equal(t, s.sets, sets)
	expect.Equal(t, s.candidates(), []string{naive, "trees", contrast})
	expect.Equal(t, s.best(sets[1:], s.candidates()), contrast)
	expect.Equal(t, s.best(sets[:1], s.candidates()), "trees")
	var b strings.Builder
	s.ruleTable(&b, "images")
	expect.Contains(t, b.String(), "| "+sets[0]+" | mixture | trees | -10.0 | +30.0 | -10.0 | +30.0 |",
		"| "+sets[1]+" | mixture | mixture | 0.0 | +30.0 |", "| mean |  |  | -2.0 | +30.0 |")
}

// The guarded choice follows the held-out AUC, even against the test AUC, and takes the time of both.
func TestGuardedFollowsTheProxy(t *testing.T) {
	of := func(method string, seed uint64, proxy, auc float64) result {
		return result{Kind: "images", Set: "CIFAR-I", Method: method, Seed: seed, Proxy: proxy, AUC: auc, Processor: 3}
	}
	got := guardedResults([]result{
		of("trees", 101, 0.7, 0.8), of(contrast, 101, 0.6, 0.9), of("vPU", 101, 0.9, 0.5),
		of("trees", 102, 0.6, 0.5), of(contrast, 102, 0.7, 0.4), of(contrast, 103, 0.7, 0.4),
	})
	expect.Require(t, len(got) == 2, "%v", got)
	expect.Equal(t, [3]float64{got[0].AUC, got[1].AUC, got[0].Processor}, [3]float64{0.8, 0.4, 6})
	expect.Equal(t, got[0].Method, guarded)
}

// Draws of patients are disjoint, train on no true class and are the same for the same seed.
func TestPatientsDraw(t *testing.T) {
	d := expect.Must(drawPatients("../..", 101))(t)
	expect.That(t, d.data.Truth == nil, "training has true classes")
	total := d.data.Len() + d.held.Len() + d.test.Len()
	expect.Equal(t, total, 2000)
	for _, labeled := range d.test.Labeled {
		expect.That(t, !labeled, "a labeled positive is in the test set")
	}
	again := expect.Must(drawPatients("../..", 101))(t)
	expect.Equal(t, again.data.Table.Columns[0], d.data.Table.Columns[0])
	expect.Equal(t, again.test.Truth, d.test.Truth)
	expect.Error(t, expect.Err(drawPatients("nowhere", 101)), "set -root")
}

// Drawn pictures have the stated numbers, the same bytes for the same seed, and both kinds of positives are labeled.
func TestPicturesDraw(t *testing.T) {
	a := amounts{labeled: 6, unlabeled: 20, heldLabeled: 3, heldUnlabeled: 10, test: 30}
	for _, p := range pictures {
		d := expect.Must(p.draw(a, 101))(t)
		expect.Equal(t, [3]int{d.data.Len(), d.held.Len(), d.test.Len()}, [3]int{26, 13, 30})
		positives := 0
		for _, is := range d.test.Truth {
			if is {
				positives++
			}
		}
		expect.Equal(t, positives, 12)
		expect.That(t, d.data.Truth == nil && d.data.CaseControl, "%s: true classes, or one sample", p.name)
		expect.Equal(t, expect.Must(p.draw(a, 101))(t).data.Pixels, d.data.Pixels)
		other := expect.Must(p.draw(a, 102))(t)
		expect.That(t, !slices.Equal(other.data.Pixels, d.data.Pixels), "%s: two seeds draw the same", p.name)
		rows := expect.Must(d.asRows())(t)
		expect.Equal(t, len(rows.data.Table.Columns), side*side*3)
		expect.Near(t, rows.test.Table.Columns[7].Numbers[2], float64(d.test.Pixels[2*side*side*3+7])/255, 1e-12)
	}
}
