package experiment

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/internal/sealed"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// settings is a configuration of a run.
type settings struct {
	Loss         string
	LearningRate float64
	Steps        int
	Layers       []int
	Recipe       []struct{ Name string }
	Deep         struct{ BFloat16 bool }
	Optional     *float64
}

func never(context.Context, *engine.Engine, Place) (*Outcome, error) { panic("not to be called") }

// newRun returns a run that is only looked up.
func newRun(config any) Run {
	return Run{Setting: "FMNIST-I, 1000 labeled", Method: "nnPU", Seed: 1, Config: config, Version: 2, Train: never}
}

// keep stores a result of the run.
func keep(t *testing.T, store *Store, run Run, change func(*Result)) string {
	t.Helper()
	identity := expect.Must(run.Identity())(t)
	result := sittings{Identity: identity, Seconds: 10, Sittings: 1}.result(run)
	result.Points = []Point{scored("", 1, 0.9)}
	if change != nil {
		change(result)
	}
	expect.NoError(t, store.write(Laptop, run, result))
	return store.file(Laptop, run)
}

func TestResultsAreComparedFieldByField(t *testing.T) {
	config := settings{Loss: "nnPU", LearningRate: 0.01, Steps: 100, Layers: []int{8, 0}}
	for _, c := range []struct {
		change func(*Run)
		want   string // "" for none
	}{
		{func(*Run) {}, ""},
		{func(r *Run) { c := config; c.LearningRate = 0.001; r.Config = c }, "LearningRate is 0.001 here and 0.01 in the file"},
		{func(r *Run) { c := config; c.Loss = ""; r.Config = c }, "Loss is zero here and nnPU in the file"},
		{func(r *Run) { c := config; c.Deep.BFloat16 = true; r.Config = c }, "Deep.BFloat16 is true here and zero in the file"},
		{func(r *Run) { c := config; c.Layers = []int{8}; r.Config = c }, "Layers.length is 1 here and 2 in the file"},
		{func(r *Run) { c := config; c.Layers = []int{8, 9}; r.Config = c }, "Layers[1] is 9 here and zero in the file"},
		{func(r *Run) { c := config; c.Recipe = []struct{ Name string }{{"crop"}}; r.Config = c },
			"Recipe[0].Name is crop here and zero in the file"},
		{func(r *Run) { c := config; c.Loss, c.LearningRate, c.Steps, c.Layers = "", 0, 0, nil; r.Config = c }, ", and 2 more"},
		{func(r *Run) { r.Version = 3 }, "the method's version is 3 here and 2 in the file"},
		{func(r *Run) { r.Threads = 2 }, "the number of threads is 2 here and 1 in the file"},
		{func(r *Run) { r.Threads = 1 }, ""},
		{func(r *Run) { r.Method = "NNPU" },
			`the run is "FMNIST-I, 1000 labeled / NNPU / seed 1" here and "FMNIST-I, 1000 labeled / nnPU / seed 1" in the file`},
		// A later field that is zero changes nothing.
		{func(r *Run) {
			r.Config = struct {
				Loss         string
				LearningRate float64
				Steps, New   int
				Layers       []int
			}{"nnPU", 0.01, 100, 0, []int{8, 0}}
		}, ""},
	} {
		store := &Store{t.TempDir()}
		run := newRun(config)
		path := keep(t, store, run, nil)
		c.change(&run)
		s := expect.Must(store.Look(Laptop, run))(t)
		if want := map[bool]State{true: Done, false: Stale}[c.want == ""]; s.State != want || !strings.Contains(s.Why, c.want) {
			t.Errorf("%s, %q; want %s, %q", s.State, s.Why, want, c.want)
		}
		expect.That(t, s.State != Stale ||
			(strings.Contains(s.Why, path) && strings.Contains(s.Why, "-again does the run anew")),
			"%q names neither the file nor the mend", s.Why)
	}
}

func TestAResultComesBack(t *testing.T) {
	store := &Store{t.TempDir()}
	run := newRun(settings{Steps: 3})
	expect.Equal(t, expect.Must(store.Look(Laptop, run))(t).State, Missing)
	path := keep(t, store, run, nil)
	expect.Equal(t, path, filepath.Join(store.Folder, "laptop", "fmnist-i-1000-labeled", "nnpu", "seed-1.json"))
	s := expect.Must(store.Look(Laptop, run))(t)
	expect.That(t, s.State == Done && near(s.Result.Points[0].Test.Accuracy(), 0.9) &&
		math.IsNaN(s.Result.Points[0].Test.AUC), "%+v", s)
	expect.Equal(t, expect.Must(store.Look(Paper, run))(t).State, Missing, "of another size")
	keep(t, store, run, func(r *Result) { r.Failure = "it diverged" })
	if s, err := store.Look(Laptop, run); err != nil || s.State != Failed || s.Result.String() != "failed: it diverged" {
		t.Errorf("%+v, %v", s, err)
	}
}

// A loose file that is damaged, truncated or of another format makes the run stale, with a sentence, and stays
// unchanged.
func TestDamagedResults(t *testing.T) {
	store := &Store{t.TempDir()}
	run := newRun(settings{Steps: 3})
	path := keep(t, store, run, nil)
	read := func() []byte { return expect.Must(os.ReadFile(path))(t) }
	look := func(what string, data []byte, want string) {
		t.Helper()
		put(t, path, data)
		s, err := store.Look(Laptop, run)
		expect.That(t, err == nil && s.State == Stale && s.Result == nil && strings.Contains(s.Why, want) &&
			strings.Contains(s.Why, path), "%s: %s, %q, %v", what, s.State, s.Why, err)
		if err := store.Pack(Laptop, []Run{run}); err != nil || !bytes.Equal(read(), data) {
			t.Errorf("%s: the file was changed, %v", what, err)
		}
	}
	good := read()
	for what, data := range damagetest.Of(good, 100) {
		look(what, data, "")
	}
	look("cut", good[:len(good)/2], "is not as it was written")
	keep(t, store, run, func(r *Result) { r.Format = resultFormat + 1 })
	s := expect.Must(store.Look(Laptop, run))(t)
	expect.That(t,
		strings.Contains(s.Why, "is of format 3, and this program knows format 2: take the program that wrote it"),
		"newer: %q", s.Why)
	expect.NoError(t, sealed.Write(path, map[string]int{"accuracy": 1}))
	if s, err := store.Look(Laptop, run); err != nil || !strings.Contains(s.Why, "does not read as") {
		t.Errorf("something else: %q, %v", s.Why, err)
	}
}

func TestOpen(t *testing.T) {
	folder := t.TempDir()
	expect.Equal(t, expect.Must(Open(filepath.Join(folder, "none")))(t).Folder, filepath.Join(folder, "none"))
	for _, name := range []string{"smoke/x/y", "paper", "README.md", ".gitkeep"} {
		expect.NoError(t, os.MkdirAll(filepath.Join(folder, name), 0o755))
	}
	expect.NoError(t, expect.Err(Open(folder)))
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "thesis.tex"), nil, 0o644))
	_, err := Open(folder)
	expect.Error(t, err, "it holds thesis.tex", "name another folder")
	expect.Error(t, expect.Err(Open(filepath.Join(folder, "thesis.tex"))), "thesis.tex")
	t.Setenv("PUCL_HOME", "/home/of/puclab")
	expect.Equal(t, expect.Must(Open(""))(t).Folder, "/home/of/puclab/notebooks/results")
	module := filepath.Join(folder, "downloaded") // its zip has no results
	expect.NoError(t, os.MkdirAll(filepath.Join(module, "notebooks"), 0o755))
	expect.NoError(t, os.WriteFile(filepath.Join(module, "go.mod"), []byte("module "+home.Module+"\n"), 0o644))
	_, err = Open(filepath.Join(module, "notebooks", "results"))
	refusal.Check(t, err, "notebooks/results does not exist … clone its repository, and name the clone in a replace directive … PUCL_HOME")
	checkout := &Store{filepath.Join(module, "notebooks", "results")}
	expect.Equal(t, filepath.Join(module, "notebooks", "out", "results", "laptop", "a", "b", "seed-1.json"),
		checkout.file(Laptop, Run{Setting: "a", Method: "b", Seed: 1}),
		"the loose files of a checkout are in %s", checkout.loose())
	t.Setenv("PUCL_HOME", "")
	t.Chdir(folder)
	expect.Error(t, expect.Err(Open("")), "start in its folder")
	expect.Error(t, expect.Err(WorkFolder()), "start in its folder")
}

func TestGridsThatAreNone(t *testing.T) {
	run := newRun(settings{})
	with := func(change func(*Run)) Run {
		r := run
		change(&r)
		return r
	}
	for want, runs := range map[string][]Run{
		"holds FMNIST-I, 1000 labeled / nnPU / seed 1 twice":             {run, run},
		"would both be fmnist-i-1000-labeled/nnpu/seed-1.json; give one": {run, with(func(r *Run) { r.Method = "NnPU" })},
		"lacks its setting": {with(func(r *Run) { r.Setting = "π" })},
		"lacks its setting, its method or what trains it": {with(func(r *Run) { r.Train = nil })},
		"is a int; make it a struct":                      {with(func(r *Run) { r.Config = 7 })},
		"cannot be written as JSON":                       {with(func(r *Run) { r.Config = struct{ F func() }{} })},
	} {
		expect.Error(t, expect.Err((&Store{t.TempDir()}).LookAll(Grid{"table-1", Laptop, runs})), want)
	}
	grid := Grid{"table-1", Laptop, []Run{run, with(func(r *Run) { r.Seed = 2 })}}
	expect.NoError(t, grid.Check())
	only := grid.Only(func(r Run) bool { return r.Seed == 2 })
	expect.That(t, len(only.Runs) == 1 && len(grid.Runs) == 2, "%v of %v", only.Runs, grid.Runs)
}

// TestPlans checks that grids share equal runs of one name, and that stored results are replaced only on request.
func TestPlans(t *testing.T) {
	store := &Store{t.TempDir()}
	runs := make([]Run, 4)
	for i := range runs {
		runs[i] = newRun(settings{Steps: 1})
		runs[i].Seed = uint64(i)
	}
	keep(t, store, runs[1], nil)
	keep(t, store, runs[2], func(r *Result) { r.Failure = "it diverged" })
	keep(t, store, runs[3], func(r *Result) { r.Identity.Version = 1 })
	grids := []Grid{{"a", Laptop, runs[:3]}, {"b", Laptop, runs[1:]}}
	for want, how := range map[string][2]bool{"[0]": {}, "[0 3]": {true, false}, "[0 2]": {false, true}, "[0 2 3]": {true, true}} {
		plan := expect.Must(store.NewPlan(grids, how[0], how[1]))(t)
		expect.That(t, fmt.Sprint(plan.Todo) == want && plan.Name == "a, b", "%+v: %v, want %s", how, plan, want)
		expect.Equal(t, Tell(plan.Standings), "1 of 4 runs done, 1 missing, 1 failed, 1 stale")
	}
	other := runs[0]
	other.Config = settings{Steps: 2}
	for want, grids := range map[string][]Grid{
		"a and b both hold FMNIST-I, 1000 labeled / nnPU / seed 0, and mean different runs: Steps is 1 in a and 2 in b": {
			grids[0], {"b", Laptop, []Run{other}}},
		"sizes laptop and smoke": {grids[0], {"b", Smoke, runs[1:]}},
	} {
		expect.Error(t, expect.Err(store.NewPlan(grids, false, false)), want)
	}
}

// TestLists checks that a worker finds its run, or returns an error.
func TestLists(t *testing.T) {
	store := &Store{t.TempDir()}
	run := newRun(settings{})
	keep(t, store, run, func(r *Result) { r.Identity.Version = 1 })
	grid := Grid{"table-1", Laptop, []Run{run}}
	plan := expect.Must(store.NewPlan([]Grid{grid}, true, false))(t)
	path := filepath.Join(t.TempDir(), "list.json")
	expect.NoError(t, plan.List(store, "work").Write(path))
	list := expect.Must(ReadList(path))(t)
	expect.Require(t, list.Store == store.Folder && list.Work == "work" && list.Size == Laptop, "%+v", list)
	find := func(string, Size) (Grid, error) { return grid, nil }
	planned, err := list.Find(0, find)
	if now, _ := store.Look(Laptop, run); err != nil || planned.State != Stale || planned.digest != now.digest || now.digest == "" {
		t.Errorf("%+v, %v", planned, err)
	}
	expect.Error(t, expect.Err(list.Find(1, find)), "no number 1; it has those from 0 to 0")
	expect.Error(t, expect.Err((List{}).Find(0, find)), "the list of runs holds none: start the grid again")
	grid.Runs = nil
	expect.Error(t, expect.Err(list.Find(0, find)), "has no run FMNIST-I, 1000 labeled / nnPU / seed 1 any more")
	expect.That(t, expect.Err(ReadList(path+"x")) != nil, "a list that is not there was read")
}

// A run in words includes the name of its first head, if it has one.
func TestResultInWords(t *testing.T) {
	for want, points := range map[string][]Point{
		"2 min 23 s, accuracy 0.9340 (last)": {scored("", 1, 0.5), scored("", 2, 0.934)},
		"2 min 23 s, kNN 0.9340 (last)":      {scored("kNN", 2, 0.934), scored("probe", 2, 0.5)},
		"2 min 23 s":                         {{Values: map[string]float64{"prior": 0.3}}},
	} {
		expect.Equal(t, (&Result{Seconds: 143, Points: points}).String(), want)
	}
}

func TestOutcomesThatAreNone(t *testing.T) {
	with := func(p Point) *Outcome { return &Outcome{Points: []Point{scored("CE", 1, 0.5), p}} }
	for want, outcome := range map[string]*Outcome{
		"no measurement":                       nil,
		"left no measurement":                  {},
		`"CE" was measured on no test example`: with(Point{Head: "CE", Step: 2}),
		`"CE" was measured on 0 test examples`: with(Point{Head: "CE", Test: &evaluate.Binary{}}),
	} {
		expect.Error(t, outcome.check(), want)
	}
	expect.NoError(t, with(Point{Values: map[string]float64{"prior": 0.3}}).check())
}

// Error messages for lack of memory are recognized, and the system's counter is readable.
func TestOutOfMemory(t *testing.T) {
	for _, text := range []string{"RESOURCE_EXHAUSTED: Out of memory allocating", "fatal error: runtime: out of memory",
		"fork: cannot allocate memory", "terminate called after throwing an instance of 'std::bad_alloc'"} {
		expect.That(t, outOfMemory(text), "%q", text)
	}
	expect.That(t, !outOfMemory("the images are not here"), "a missing file is no want of memory")
	file := filepath.Join(t.TempDir(), "memory.events")
	for text, want := range map[string]int{"low 0\noom 2\noom_kill 3\n": 3, "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n": 7} {
		expect.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		n, ok := counted(file)
		expect.That(t, n == want && ok, "%q: %d, %v", text, n, ok)
	}
	_, ok := counted(file + "x")
	expect.That(t, !ok, "a file that is not there counts")
	n := oomKills()
	expect.That(t, n >= 0, "%d processes were killed", n)
}

func TestIdentityIsJSON(t *testing.T) {
	run := newRun(settings{Loss: "nnPU", LearningRate: 1e-3})
	identity := expect.Must(run.Identity())(t)
	text, err := json.Marshal(identity)
	want := `{"Version":2,"Threads":1,"Config":{"LearningRate":"0.001","Loss":"nnPU"}}`
	expect.That(t, err == nil && string(text) == want, "%s, %v", text, err)
	run.Config = nil
	if identity, err := run.Identity(); err != nil || !reflect.DeepEqual(identity, Identity{2, 1, map[string]string{}}) {
		t.Errorf("%+v, %v", identity, err)
	}
}
