package papers

import (
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
)

var sizes = []experiment.Size{experiment.Smoke, experiment.Laptop, experiment.Paper}

// Every grid can be run at every size, and a run that stands in two of them is one run.
func TestGrids(t *testing.T) {
	for _, size := range sizes {
		identities := map[string]experiment.Identity{}
		for _, name := range Names() {
			grid, err := Find(name, size)
			if err != nil {
				t.Fatal(err)
			}
			if grid.Name != name || grid.Size != size || len(grid.Runs) == 0 {
				t.Errorf("%s at %s: grid %s at %s of %d runs", name, size, grid.Name, grid.Size, len(grid.Runs))
			}
			if err := grid.Check(); err != nil {
				t.Error(err)
			}
			for _, run := range grid.Runs {
				identity, err := run.Identity()
				if err != nil {
					t.Fatal(err)
				}
				other, twice := identities[run.Path()]
				if twice && len(other.Differences(identity)) > 0 {
					t.Errorf("%s differs between tables: %s", run, other.Differences(identity))
				}
				identities[run.Path()] = identity
			}
		}
	}
}

// The grids hold the runs that they say: seeds of slow rivals, settings of few rivals, the first seeds first.
func TestRunsOfALaptop(t *testing.T) {
	grid, err := Table2().Grid(experiment.Laptop)
	if err != nil {
		t.Fatal(err)
	}
	seeds := map[string][]uint64{}
	for _, run := range grid.Runs {
		key := run.Setting + " / " + run.Method
		seeds[key] = append(seeds[key], run.Seed)
	}
	for key, want := range map[string]int{
		"FMNIST-I, 1000 labeled / nnPU": 5, "FMNIST-I, 1000 labeled / PAN": 3, "FMNIST-II, 1000 labeled / PUCL": 5,
		"FMNIST-I, 3000 labeled / vPU": 5, "FMNIST-I, 3000 labeled / uPU": 0, "CIFAR-I, 1000 labeled / P3MIX-C": 3,
		"CIFAR-I, 1000 labeled / PAN": 0, "CIFAR-II, 1000 labeled / PUCL": 3,
		"FMNIST-I, 1000 labeled / all true labels": 3, "FMNIST-I, 3000 labeled / all true labels": 0, "CIFAR-II, 1000 labeled / all true labels": 3,
	} {
		if got := seeds[key]; len(got) != want || !slices.IsSorted(got) || want > 0 && got[0] != 1 {
			t.Errorf("%s: seeds %d, want %d of them", key, got, want)
		}
	}
	first, second, last := grid.Runs[0], grid.Runs[1], grid.Runs[len(grid.Runs)-1]
	if first.Seed != 1 || second.Seed != 1 || last.Setting != "CIFAR-II, 1000 labeled" {
		t.Errorf("the grid goes from %s, %s to %s", first, second, last)
	}
}

// Only rivals that learn from views are given them, those of contrastive runs.
func TestViews(t *testing.T) {
	s := small()
	want := s.contrastive(objectives()[0], 1).Config.(Contrastive).Views
	for _, c := range competitors() {
		views := s.rival(c, 1).Config.(Rival).Views
		if learns := c.name == "LaGAM" || c.name == "NcPU"; learns != (views == want) || !learns && views != "" {
			t.Errorf("%s learns from views %q", c.name, views)
		}
	}
}

// What methods are told of the class prior is the true one.
func TestPrior(t *testing.T) {
	list, err := settings(experiment.Paper)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		want := map[string]float64{
			"FMNIST-I": 0.3, "FMNIST-II": 0.7, "CIFAR-I": 0.4, "CIFAR-II": 0.6, "STL-I": 0.51, "STL-II": 0.49,
		}[s.Data.Benchmark]
		if got := s.prior(); got != want {
			t.Errorf("%s: π = %g, want %g", s.Name, got, want)
		}
	}
}

// Published numbers and claims are about rows and settings that there are.
func TestPublishedAndClaims(t *testing.T) {
	for _, table := range []Table{Table1(), Table2()} {
		settings, err := table.Settings(experiment.Paper)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[Published]bool{}
		for _, p := range table.Published {
			key := Published{Setting: p.Setting, Row: p.Row, Rule: p.Rule, Source: p.Source}
			if seen[key] {
				t.Errorf("%s: %s in %s by rule %q is published twice by %s", table.Name, p.Row, p.Setting, p.Rule, p.Source)
			}
			seen[key] = true
			if !slices.Contains(settings, p.Setting) || !slices.Contains(table.Rows, p.Row) || !(p.Mean > 40 && p.Mean < 100) || p.Spread < 0 ||
				!strings.Contains(p.Source, "epoch") { // which one counts, or that it is not told
				t.Errorf("%s: published %+v", table.Name, p)
			}
		}
		for _, c := range table.Claims {
			if !slices.Contains(settings, c.Setting) || !slices.Contains(table.Rows, c.Above) || !slices.Contains(table.Rows, c.Below) ||
				c.Above == c.Below || c.Statement == "" || c.Source == "" {
				t.Errorf("%s: claim %+v", table.Name, c)
			}
		}
		if len(table.Claims) == 0 {
			t.Errorf("%s has no claims", table.Name)
		}
	}
}

// The means that Table 1 prints are those of its rows but for rounding, so a number copied wrongly shows.
func TestAveragesOfTable1(t *testing.T) {
	for _, tt := range []struct {
		labeled int
		row     Row
		average float64
	}{
		{1000, Row{"ssCL", NNPU}, 86.6}, {1000, Row{"SCL-PU", NNPU}, 72.5}, {1000, Row{"PUCL", NNPU}, 87.2},
		{1000, Row{"ssCL", PUPL}, 87.1}, {1000, Row{"SCL-PU", PUPL}, 75.3}, {1000, Row{"PUCL", PUPL}, 88.8},
		{3000, Row{"ssCL", NNPU}, 87.6}, {3000, Row{"SCL-PU", NNPU}, 85.8}, {3000, Row{"PUCL", NNPU}, 88.9},
		{3000, Row{"ssCL", PUPL}, 88.5}, {3000, Row{"SCL-PU", PUPL}, 87.5}, {3000, Row{"PUCL", PUPL}, 89.9},
	} {
		sum := 0.0
		for _, benchmark := range benchmarks1 {
			p, ok := Table1().published(settingOf(benchmark, tt.labeled), tt.row, experiment.Last)
			if !ok {
				t.Fatalf("%s in %s with %d labels is not there", tt.row, benchmark, tt.labeled)
			}
			sum += p.Mean
		}
		if off := sum/6 - tt.average; off > 0.1 || off < -0.1 {
			t.Errorf("%s, %d labeled: the mean is %.2f, the paper prints %.1f", tt.row, tt.labeled, sum/6, tt.average)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, tt := range []struct {
		of   func() error
		want []string
	}{
		{func() error { _, err := Find("table-3", experiment.Smoke); return err }, []string{`no table "table-3"`, "table-1, table-2"}},
		{func() error { _, err := Find("table-1", "huge"); return err }, []string{`no size "huge"`}},
		{func() error { _, err := Data{Benchmark: "FMNIST-III"}.open(1); return err }, []string{"FMNIST-III", "FMNIST-II"}},
		{func() error {
			_, err := Data{Benchmark: "FMNIST-I", Files: BuiltIn, Labeled: 1e6, HeldOut: 0.1}.open(1)
			return err
		},
			[]string{"FMNIST-I", "2160"}},
		{func() error { _, err := Data{Benchmark: "Woof-vs-Nette"}.open(1); return err }, []string{"Imagenette and Imagewoof"}},
	} {
		err := tt.of()
		for _, word := range tt.want {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%v, want %q in it", err, word)
			}
		}
	}
}

// The two rivals whose steps cost several times as much as others' make half the epochs on two cores, so that a run of them ends
// within the time of the others, and as many as they do with a GPU.
func TestDearRivalsMakeFewerEpochs(t *testing.T) {
	for size, want := range map[experiment.Size][2]int{experiment.Laptop: {10, 5}, experiment.Paper: {200, 200}} {
		grid, err := Table2().Grid(size)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range grid.Runs {
			config, ok := run.Config.(Rival)
			if !ok || run.Setting != "FMNIST-I, 1000 labeled" {
				continue
			}
			epochs := want[0]
			if run.Method == "Self-PU" || run.Method == "LaGAM" {
				epochs = want[1]
			}
			if config.Epochs != epochs {
				t.Errorf("%s, %s: %d epochs, want %d", size, run.Method, config.Epochs, epochs)
			}
		}
	}
}
