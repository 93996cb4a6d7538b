package main

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
)

// TestCommittedResults checks that every committed result belongs to a current run of a table, and that results of one
// setting have the same training files. If a change of a method or a configuration makes a result stale, the same
// change must repeat the run or remove the result.
func TestCommittedResults(t *testing.T) {
	expect.Slow(t)
	store := expect.Must(experiment.Open(filepath.Join("..", "results")))(t)
	for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
		var grids []experiment.Grid
		for _, name := range tables.names() {
			grid := expect.Must(tables.find(name, size))(t)
			grids = append(grids, grid)
		}
		plan, err := store.NewPlan(grids, false, false)
		expect.NoError(t, err)
		there, data := map[string]bool{}, map[string]string{}
		for _, s := range plan.Standings {
			there[s.Run.Path()] = true
			expect.That(t, s.State != experiment.Stale, "%s: %s", s.Run, s.Why)
			if s.State != experiment.Done {
				continue
			}
			// The files, and a digest if nothing else checks them.
			learned, _, _ := strings.Cut(s.Result.Record.Data, "; ")
			// For drawn data, not read from files.
			learned = strings.TrimSuffix(learned, fmt.Sprintf(", seed %d", s.Run.Seed))
			if other := cmp.Or(data[s.Run.Setting], learned); other != learned {
				t.Errorf("%s learned from %s, and other runs of its setting from %s", s.Run, learned, other)
			}
			data[s.Run.Setting] = learned
		}
		t.Logf("%s: %s", size, experiment.Tell(plan.Standings))
		folder := filepath.Join(store.Folder, string(size))
		err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) == ".part" {
				return err
			}
			if !strings.HasSuffix(path, ".jsonl.gz") {
				t.Errorf("%s is no pack of results; remove it", path)
				return nil
			}
			for _, run := range runsIn(t, path) {
				expect.That(t, there[run],
					"%s holds the result of no run of a table, %s; take its line out, or name the run as it was", path,
					run)
			}
			return nil
		})
		expect.That(t, err == nil || errors.Is(err, fs.ErrNotExist), "%v", err)
	}
}

// runsIn returns the paths of the runs in a pack of results or of answers, read without package experiment.
func runsIn(t *testing.T, path string) (runs []string) {
	t.Helper()
	f := expect.Must(os.Open(path))(t)
	defer f.Close()
	z := expect.Must(gzip.NewReader(f))(t)
	for lines := json.NewDecoder(z); ; {
		var line struct {
			Setting, Method string
			Seed            uint64
		}
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			return runs
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		runs = append(runs, experiment.Run{Setting: line.Setting, Method: line.Method, Seed: line.Seed}.Path())
	}
}

// The program's names and sizes equal those of the tables.
func TestTables(t *testing.T) {
	names := tables.names()
	expect.That(t, len(names) >= 2 && strings.Contains(strings.Join(names, " "), "table-1"), "%q", names)
	for _, name := range names {
		for _, size := range []experiment.Size{experiment.Smoke, experiment.Laptop, experiment.Paper} {
			grid := expect.Must(tables.find(name, size))(t)
			if err := grid.Check(); err != nil || len(grid.Runs) == 0 || grid.Size != size || grid.Name != name {
				t.Errorf("%s of size %s: %d runs, %v", name, size, len(grid.Runs), err)
			}
		}
	}
}
