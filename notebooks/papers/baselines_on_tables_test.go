package papers

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
)

// The tables, if PUCL_DATA_DIR has them, have the rows that their donors state and enough rows of each class.
func TestUCISets(t *testing.T) {
	if os.Getenv(datasets.EnvDataDir) == "" {
		t.Skipf("%s names no folder with the real files", datasets.EnvDataDir)
	}
	for name, want := range map[string][3]int{ // rows, columns without the class, positives
		"spambase": {4601, 57, 1813}, "mushroom": {8124, 22, 3916}, "landsat": {6435, 36, 2841}, "wine": {6497, 12, 1599},
		"page blocks": {5473, 10, 560}, "shuttle": {58000, 9, 12414},
	} {
		set := uciSets()[slices.IndexFunc(uciSets(), func(u uciSet) bool { return u.name == name })]
		table, _ := expect.Must2(set.read())(t)
		expect.NoError(t, table.Validate())
		rows, columns := table.Features.Dims()
		positives := 0
		for _, class := range table.Labels {
			positives += class
		}
		expect.Equal(t, [3]int{rows, columns, positives}, want, "%s has: rows, columns and positives", name)
		expect.Must(set.split(table.Labels, 1))(t)
	}
}

// No row is in two parts, all parts of the unlabeled examples have the class prior, and seeds differ.
func TestSplitOfATable(t *testing.T) {
	u := uciSet{name: "a table", labeled: 40, positives: 100, negatives: 300}
	labels := make([]int, 500)
	for i := range 150 {
		labels[3*i] = 1
	}
	parts := expect.Must(u.split(labels, 1))(t)
	all := slices.Concat(parts.learn.labeled, parts.learn.unlabeled, parts.held.labeled, parts.held.unlabeled, parts.test)
	slices.Sort(all)
	expect.That(t, len(all) == 440 && len(slices.Compact(all)) == 440,
		"%d rows, %d of them once", len(all), len(slices.Compact(all)))
	positives := func(index []int) (n int) {
		for _, row := range index {
			n += labels[row]
		}
		return n
	}
	for i, tt := range []struct {
		rows            []int
		positives, size int
	}{
		{parts.learn.labeled, 36, 36}, {parts.held.labeled, 4, 4}, {parts.learn.unlabeled, 70, 280}, {parts.held.unlabeled, 10, 40},
		{parts.test, 20, 80},
	} {
		expect.That(t, positives(tt.rows) == tt.positives && len(tt.rows) == tt.size,
			"part %d: %d positives of %d, want %d of %d", i, positives(tt.rows), len(tt.rows), tt.positives, tt.size)
	}
	other := expect.Must(u.split(labels, 2))(t)
	expect.That(t, !slices.Equal(other.test, parts.test), "another seed gives the same test")
	u.negatives = 351
	const few = "150 positives and 350 negatives, and 140 and 351 are needed"
	expect.Error(t, expect.Err(u.split(labels, 1)), few)
}

// Reading a table converts categories to numbers in their order and scales columns; damage is rejected with its line
// number.
func TestReadUCI(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(datasets.EnvDataDir, dir)
	write := func(text string) {
		expect.NoError(t, os.WriteFile(filepath.Join(dir, "some.csv"), []byte(text), 0o644))
	}
	u := uciSet{name: "some", files: []string{"some.csv"}, comma: ",", positive: "p", negative: "e"}
	if _, _, err := u.read(); err == nil || !strings.Contains(err.Error(), "there is no some.csv in "+filepath.Join(dir, "uci")) {
		t.Errorf("no file: %v", err)
	}
	write("p,b,1\ne,a,3\r\np,b,5\ne,c,3\n")
	table, digest := expect.Must2(u.read())(t)
	if want := []int{1, 0, 1, 0}; !slices.Equal(table.Labels, want) || len(digest) != 64 {
		t.Errorf("labels %d, want %d; digest %q", table.Labels, want, digest)
	}
	x := table.Features
	expect.That(t, x.At(0, 0) == 0 && x.At(1, 0) < 0 && x.At(3, 0) == -x.At(1, 0) && x.At(1, 1) == 0 &&
		x.At(2, 1) == -x.At(0, 1), "features %v", x.RawMatrix().Data)
	write("p,b,1\ne,a\n")
	if _, _, err := u.read(); err == nil || !strings.Contains(err.Error(), "some.csv, line 2 has 1 values and the first one 2") {
		t.Errorf("a short line: %v", err)
	}
	for text, says := range map[string]string{
		"": "class \"\" is neither", "p\ne\n": "there are no features in some.csv", "p,1\n?,2\n": `line 2: class "?" is neither "p" nor "e"`,
		"p,1\ne,?\n": `column 1 has numbers, and values such as "?" that are none`, "p,1\ne,NaN\n": `"NaN", which is no finite number`,
		"<html>": `class "<html>" is neither`,
	} {
		write(text)
		_, _, err := u.read()
		expect.That(t, err != nil && strings.Contains(err.Error(), says), "%q: %v, want %s", text, err, says)
	}
	write("p,b,1\ne,a\n")
	u.positive, u.above = "", 2
	if _, _, err := u.read(); err == nil || !strings.Contains(err.Error(), `some.csv, line 1: class "p" is no number`) {
		t.Errorf("a class that is no number: %v", err)
	}
}

// runOnTable does the run of a method on the first table.
func runOnTable(t *testing.T, method string) *experiment.Outcome {
	t.Helper()
	if os.Getenv(datasets.EnvDataDir) == "" {
		t.Skipf("%s names no folder with the real files", datasets.EnvDataDir)
	}
	grid := expect.Must(BaselinesOnTables(experiment.Smoke))(t)
	run := grid.Runs[slices.IndexFunc(grid.Runs, func(r experiment.Run) bool { return r.Method == method })]
	outcome, err := run.Train(context.Background(), enginetest.Open(t), experiment.Place{Folder: t.TempDir(), Keep: t.TempDir()})
	expect.NoError(t, err)
	expect.That(t, strings.Contains(outcome.Record.Data, "UCI's spambase"), "%v", outcome.Record.Data)
	return outcome
}

// A baseline on a table is evaluated after every epoch.
func TestBaselineOnATable(t *testing.T) {
	judged := experiment.Judgements(runOnTable(t, "nnPU").Points)
	if j := judged[0]; len(judged) != len(experiment.Rules()) || j.Rule != experiment.Last || j.Step != 28 || j.AUC < 0.85 {
		t.Errorf("%+v", judged)
	}
}

// All heads evaluate an encoder on a table, and its ceiling is above chance after twenty steps.
func TestContrastOnATable(t *testing.T) {
	outcome := runOnTable(t, "PUCL")
	judged := experiment.Judgements(outcome.Points)
	expect.Require(t, len(outcome.Points) == 4*len(Heads()) && len(judged) == len(experiment.Rules())*len(Heads()),
		"%d points, %d judgements", len(outcome.Points), len(judged))
	for _, j := range judged {
		expect.That(t, j.Head != Ceiling || j.AUC >= 0.85 && (j.Rule != experiment.Last || j.Step == 20), "%+v", j)
	}
}

// All settings of the grid are columns, and every method is a row.
func TestOnTables(t *testing.T) {
	grid := expect.Must(OnTables().Grid(experiment.Laptop))(t)
	left := map[string]bool{}
	for _, run := range grid.Runs {
		left[run.Setting], left[run.Method] = true, true
	}
	for _, setting := range TableSettings() {
		delete(left, setting)
	}
	for _, row := range OnTables().Rows {
		delete(left, row.Method)
	}
	expect.That(t, len(left) == 0, "neither columns nor rows: %v", left)
}
