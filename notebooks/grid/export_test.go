//go:build unix

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Loose results of a killed grid and missing results from another folder are packed on request; the export has the
// stored results.
func TestPackAndExport(t *testing.T) {
	s, other := newShop(t), newShop(t)
	s.grid("-pack", exitOK, "table-1, table-2: 0 of 6 runs done, 6 missing.")
	s.grid("table-1 -seeds 0", exitOK)
	other.grid("table-2 -seeds 1-2", exitOK)
	s.grid("-pack -from "+other.results, exitOK, "table-1, table-2: 5 of 6 runs done, 1 missing.")
	s.grid("-pack -from "+other.results+"x", exitFailed, "no such file or directory; name a folder of results")
	file := filepath.Join(t.TempDir(), "runs")
	s.grid("-export json -o "+file, exitOK)
	var all []struct {
		Path   string
		State  experiment.State
		Result *struct {
			Points []struct{ Values map[string]float64 }
		}
	}
	data, err := os.ReadFile(file)
	err = errors.Join(err, json.Unmarshal(data, &all))
	expect.Require(t, err == nil && len(all) == 6, "%s, %v", data, err)
	s.grid("-export csv -o "+file, exitOK)
	data, err = os.ReadFile(file)
	rows, csvErr := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err := errors.Join(err, csvErr); err != nil || len(rows) != 7 {
		t.Fatalf("%s, %v", data, err)
	}
	for i, run := range all {
		cell := func(name string) string { return rows[i+1][slices.Index(rows[0], name)] }
		if path := fmt.Sprintf("fmnist-i-1000-labeled/%s/seed-%s", strings.ToLower(cell("method")), cell("seed")); path != run.Path ||
			cell("state") != string(run.State) || cell("size") != "smoke" || cell("accuracy") != "" {
			t.Errorf("%q for %+v", rows[i+1], run)
		}
		if done := run.State == experiment.Done; done != (cell("value: prior") == "0.5" && cell("step") == "0") ||
			done != (run.Result != nil && run.Result.Points[0].Values["prior"] == 0.5) {
			t.Errorf("%q for %+v", rows[i+1], run)
		}
	}
	// The command, the header and the run.
	if out := s.grid("table-1 -seeds 0 -export csv", exitOK); strings.Count(out, "\n") != 3 {
		t.Error(out)
	}
}

// A row has the numbers of its point, for every kind of measurement, and the rules that choose it.
func TestRowsOfPoints(t *testing.T) {
	binary := &evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: 4, FalseNegative: 1, FalsePositive: 2, TrueNegative: 3}, AUC: math.NaN()}
	result := &experiment.Result{Seconds: 1.5, Points: []experiment.Point{
		{Head: "a", Step: 1, Test: binary, PU: &evaluate.PU{Recall: 0.5, Predicted: 0.25, Labeled: 2, Unlabeled: 8}},
		{Head: "b", Step: 2, Many: &evaluate.Classes{Accuracy: 0.25, Balanced: 0.5, N: 8, Predicted: []int{8}}}, {Head: "c", Failure: "collapsed"},
	}}
	table := rowsOf(experiment.Laptop, experiment.Standing{State: experiment.Done, Result: result})
	for i, want := range []map[string]string{
		{"accuracy": "0.7", "balanced accuracy": "0.7", "AUC": "NaN", "degenerate": "0", "true negative": "3", "Lee–Liu": "1", "PU risk": "NaN",
			"chosen: last": "1", "chosen: proxy accuracy": "0", "chosen: Lee–Liu": "1", "seconds": "1.5", "held-out unlabeled": "8", "failure": ""},
		{"accuracy": "0.25", "balanced accuracy": "0.5", "AUC": "", "degenerate": "1", "recall": "", "chosen: oracle": "1", "test examples": "8"},
		{"accuracy": "", "chosen: last": "0", "failure": "collapsed", "head": "c"},
	} {
		for name, text := range want {
			if got := cellText(table[i][name]); got != text || !slices.Contains(columns, name) && !strings.HasPrefix(name, chosenColumn) {
				t.Errorf("%s of point %d: %q, want %q", name, i, got, text)
			}
		}
	}
	failed := rowsOf(experiment.Laptop, experiment.Standing{State: experiment.Failed, Result: &experiment.Result{Failure: "it diverged"}})
	expect.That(t, len(failed) == 1 && failed[0]["failure"] == "it diverged", "%v", failed)
}
