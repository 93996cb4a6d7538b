package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/notebooks/papers"
)

// The results that came with the module are found whatever small size the cells have, and the sentence counts them.
func TestCommitted(t *testing.T) {
	for _, size := range []string{"", "smoke", "laptop"} {
		t.Setenv("PUCL_SIZE", size)
		cells, told, err := Committed("gaussians")
		if err != nil || len(cells.Standings) != 380 || told != "gaussians, size laptop: 380 of 380 runs done." {
			t.Errorf("size %q: %q, %v", size, told, err)
		}
	}
	grid, err := papers.Find("gaussians", experiment.Smoke)
	if err != nil {
		t.Fatal(err)
	}
	told := tellGrid(grid, &experiment.Cells{Standings: []experiment.Standing{
		{State: experiment.Done}, {State: experiment.Missing}, {State: experiment.Stale, Why: "a is of another run"}}})
	for _, want := range []string{"1 of 3 runs done, 1 missing, 1 stale.", "`go run ./notebooks grid -size smoke gaussians`", "Left out: a is of another run."} {
		if !strings.Contains(told, want) {
			t.Errorf("%q, want %q in it", told, want)
		}
	}
}

// Runs that are too small to judge by say so, those of another size say how large they are.
func TestTellSize(t *testing.T) {
	cells := &experiment.Cells{Standings: []experiment.Standing{
		{Run: experiment.Run{Seed: 1}, State: experiment.Done, Result: &experiment.Result{Points: []experiment.Point{{Step: 20}}}}}}
	for size, want := range map[experiment.Size]string{
		experiment.Smoke:  "Size smoke: one seed, 20 steps. It shows that everything runs, and not who wins.",
		experiment.Laptop: "Size laptop: one seed, 20 steps.",
	} {
		if got := tellSize(size, cells); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A size and a grid that are not there, and a result that cannot be used, are sentences with the mend, before anything is trained.
func TestRunGridRefuses(t *testing.T) {
	refuse := func(name string, words ...string) {
		t.Helper()
		_, err := RunGrid(name, t.Output())
		for _, word := range words {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%v, want %q in it", err, word)
			}
		}
	}
	t.Setenv("PUCL_SIZE", "huge")
	refuse("figure-1", `no size "huge"`, "smoke, laptop or paper")
	if _, _, err := Committed("figure-1"); err == nil || !strings.Contains(err.Error(), "smoke, laptop or paper") {
		t.Error(err)
	}
	t.Setenv("PUCL_SIZE", "smoke")
	refuse("figure-99", `no table "figure-99"`, "figure-1")

	t.Setenv(home.Env, t.TempDir()) // a checkout without results
	t.Setenv("PUCL_SIZE", "")
	if _, told, err := Committed("figure-9"); err != nil || !strings.Contains(told, "63 missing. `go run ./notebooks grid -size laptop figure-9`") {
		t.Errorf("%q, %v", told, err)
	}
	bench, err := Open("grids")
	if err != nil {
		t.Fatal(err)
	}
	grid, err := papers.Find("figure-1", experiment.Smoke)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(bench.Path("results"), "smoke", grid.Runs[3].Path()+".json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"Format": 99}`), 0o644); err != nil {
		t.Fatal(err)
	}
	refuse("figure-1", "is of format 99", "; or remove "+bench.Path("results"))
}
