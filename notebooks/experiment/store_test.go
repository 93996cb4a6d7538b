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

// keep puts a result of the run into the store.
func keep(t *testing.T, store *Store, run Run, change func(*Result)) string {
	t.Helper()
	identity, err := run.Identity()
	if err != nil {
		t.Fatal(err)
	}
	result := sittings{Identity: identity, Seconds: 10, Sittings: 1}.result(run)
	result.Points = []Point{scored("", 1, 0.9)}
	if change != nil {
		change(result)
	}
	if err := store.write(Laptop, run, result); err != nil {
		t.Fatal(err)
	}
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
		// A field that came in later, and is zero, changes nothing.
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
		s, err := store.Look(Laptop, run)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]State{true: Done, false: Stale}[c.want == ""]; s.State != want || !strings.Contains(s.Why, c.want) {
			t.Errorf("%s, %q; want %s, %q", s.State, s.Why, want, c.want)
		}
		if s.State == Stale && !(strings.Contains(s.Why, path) && strings.Contains(s.Why, "-again does the run anew")) {
			t.Errorf("%q names neither the file nor the mend", s.Why)
		}
	}
}

func TestAResultComesBack(t *testing.T) {
	store := &Store{t.TempDir()}
	run := newRun(settings{Steps: 3})
	if s, err := store.Look(Laptop, run); err != nil || s.State != Missing {
		t.Errorf("%s, %v", s.State, err)
	}
	path := keep(t, store, run, nil)
	if want := filepath.Join(store.Folder, "laptop", "fmnist-i-1000-labeled", "nnpu", "seed-1.json"); path != want {
		t.Errorf("%s, want %s", path, want)
	}
	s, err := store.Look(Laptop, run)
	if err != nil || s.State != Done || !near(s.Result.Points[0].Test.Accuracy(), 0.9) || !math.IsNaN(s.Result.Points[0].Test.AUC) {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := store.Look(Paper, run); err != nil || s.State != Missing {
		t.Errorf("of another size it is %s, %v", s.State, err)
	}
	keep(t, store, run, func(r *Result) { r.Failure = "it diverged" })
	if s, err := store.Look(Laptop, run); err != nil || s.State != Failed || s.Result.String() != "failed: it diverged" {
		t.Errorf("%+v, %v", s, err)
	}
}

// A loose file that was changed, cut or is of another format is stale, with a sentence, and stays as it is.
func TestDamagedResults(t *testing.T) {
	store := &Store{t.TempDir()}
	run := newRun(settings{Steps: 3})
	path := keep(t, store, run, nil)
	read := func() []byte {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	look := func(what string, data []byte, want string) {
		t.Helper()
		put(t, path, data)
		s, err := store.Look(Laptop, run)
		if err != nil || s.State != Stale || s.Result != nil || !strings.Contains(s.Why, want) || !strings.Contains(s.Why, path) {
			t.Errorf("%s: %s, %q, %v", what, s.State, s.Why, err)
		}
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
	s, err := store.Look(Laptop, run)
	if err != nil || !strings.Contains(s.Why, "is of format 3, and this program knows format 2: take the program that wrote it") {
		t.Errorf("newer: %q, %v", s.Why, err)
	}
	if err := sealed.Write(path, map[string]int{"accuracy": 1}); err != nil {
		t.Fatal(err)
	}
	if s, err := store.Look(Laptop, run); err != nil || !strings.Contains(s.Why, "does not read as") {
		t.Errorf("something else: %q, %v", s.Why, err)
	}
}

func TestOpen(t *testing.T) {
	folder := t.TempDir()
	if s, err := Open(filepath.Join(folder, "none")); err != nil || s.Folder != filepath.Join(folder, "none") {
		t.Errorf("%v, %v", s, err)
	}
	for _, name := range []string{"smoke/x/y", "paper", "README.md", ".gitkeep"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(folder); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Open(folder)
	if err == nil || !strings.Contains(err.Error(), "it holds thesis.tex") || !strings.Contains(err.Error(), "name another folder") {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(folder, "thesis.tex")); err == nil || !strings.Contains(err.Error(), "thesis.tex") {
		t.Error(err)
	}
	t.Setenv("PUCL_HOME", "/home/of/puclab")
	if s, err := Open(""); err != nil || s.Folder != "/home/of/puclab/notebooks/results" {
		t.Errorf("%v, %v", s, err)
	}
	module := filepath.Join(folder, "downloaded") // whose zip holds no results
	if err := os.MkdirAll(filepath.Join(module, "notebooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module "+home.Module+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Open(filepath.Join(module, "notebooks", "results"))
	refusal.Check(t, err, "notebooks/results does not exist … clone its repository, and name the clone in a replace directive … PUCL_HOME")
	checkout := &Store{filepath.Join(module, "notebooks", "results")}
	if want := filepath.Join(module, "notebooks", "out", "results", "laptop", "a", "b", "seed-1.json"); want != checkout.file(Laptop, Run{Setting: "a", Method: "b", Seed: 1}) {
		t.Errorf("the loose files of a checkout are in %s", checkout.loose())
	}
	t.Setenv("PUCL_HOME", "")
	t.Chdir(folder)
	if _, err := Open(""); err == nil || !strings.Contains(err.Error(), "start in its folder") {
		t.Error(err)
	}
	if _, err := WorkFolder(); err == nil || !strings.Contains(err.Error(), "start in its folder") {
		t.Error(err)
	}
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
		if _, err := (&Store{t.TempDir()}).LookAll(Grid{"table-1", Laptop, runs}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	grid := Grid{"table-1", Laptop, []Run{run, with(func(r *Run) { r.Seed = 2 })}}
	if err := grid.Check(); err != nil {
		t.Error(err)
	}
	if only := grid.Only(func(r Run) bool { return r.Seed == 2 }); len(only.Runs) != 1 || len(grid.Runs) != 2 {
		t.Errorf("%v of %v", only.Runs, grid.Runs)
	}
}

// TestPlans: grids share runs, if they mean the same by a name, and what stands is left alone unless asked.
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
		plan, err := store.NewPlan(grids, how[0], how[1])
		if err != nil || fmt.Sprint(plan.Todo) != want || plan.Name != "a, b" {
			t.Errorf("%+v: %v, %v, want %s", how, plan, err, want)
		}
		if got := Tell(plan.Standings); got != "1 of 4 runs done, 1 missing, 1 failed, 1 stale" {
			t.Error(got)
		}
	}
	other := runs[0]
	other.Config = settings{Steps: 2}
	for want, grids := range map[string][]Grid{
		"a and b both hold FMNIST-I, 1000 labeled / nnPU / seed 0, and mean different runs: Steps is 1 in a and 2 in b": {
			grids[0], {"b", Laptop, []Run{other}}},
		"sizes laptop and smoke": {grids[0], {"b", Smoke, runs[1:]}},
	} {
		if _, err := store.NewPlan(grids, false, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestLists: a worker finds its run again, and says so where it cannot.
func TestLists(t *testing.T) {
	store := &Store{t.TempDir()}
	run := newRun(settings{})
	keep(t, store, run, func(r *Result) { r.Identity.Version = 1 })
	grid := Grid{"table-1", Laptop, []Run{run}}
	plan, err := store.NewPlan([]Grid{grid}, true, false)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "list.json")
	if err := plan.List(store, "work").Write(path); err != nil {
		t.Fatal(err)
	}
	list, err := ReadList(path)
	if err != nil || list.Store != store.Folder || list.Work != "work" || list.Size != Laptop {
		t.Fatalf("%+v, %v", list, err)
	}
	find := func(string, Size) (Grid, error) { return grid, nil }
	planned, err := list.Find(0, find)
	if now, _ := store.Look(Laptop, run); err != nil || planned.State != Stale || planned.digest != now.digest || now.digest == "" {
		t.Errorf("%+v, %v", planned, err)
	}
	if _, err := list.Find(1, find); err == nil || !strings.Contains(err.Error(), "no number 1; it has those from 0 to 0") {
		t.Error(err)
	}
	if _, err := (List{}).Find(0, find); err == nil || !strings.Contains(err.Error(), "the list of runs holds none: start the grid again") {
		t.Error(err)
	}
	grid.Runs = nil
	_, err = list.Find(0, find)
	if err == nil || !strings.Contains(err.Error(), "has no run FMNIST-I, 1000 labeled / nnPU / seed 1 any more") {
		t.Error(err)
	}
	if _, err := ReadList(path + "x"); err == nil {
		t.Error("a list that is not there was read")
	}
}

// A run in words names its first head, where that has a name.
func TestResultInWords(t *testing.T) {
	for want, points := range map[string][]Point{
		"2 min 23 s, accuracy 0.9340 (last)": {scored("", 1, 0.5), scored("", 2, 0.934)},
		"2 min 23 s, kNN 0.9340 (last)":      {scored("kNN", 2, 0.934), scored("probe", 2, 0.5)},
		"2 min 23 s":                         {{Values: map[string]float64{"prior": 0.3}}},
	} {
		if got := (&Result{Seconds: 143, Points: points}).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
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
		if err := outcome.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := with(Point{Values: map[string]float64{"prior": 0.3}}).check(); err != nil {
		t.Error(err)
	}
}

// The words by which programs say that memory is used up; and what the system counts can be read.
func TestOutOfMemory(t *testing.T) {
	for _, text := range []string{"RESOURCE_EXHAUSTED: Out of memory allocating", "fatal error: runtime: out of memory",
		"fork: cannot allocate memory", "terminate called after throwing an instance of 'std::bad_alloc'"} {
		if !outOfMemory(text) {
			t.Errorf("%q", text)
		}
	}
	if outOfMemory("the images are not here") {
		t.Error("a missing file is no want of memory")
	}
	file := filepath.Join(t.TempDir(), "memory.events")
	for text, want := range map[string]int{"low 0\noom 2\noom_kill 3\n": 3, "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n": 7} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if n, ok := counted(file); n != want || !ok {
			t.Errorf("%q: %d, %v", text, n, ok)
		}
	}
	if _, ok := counted(file + "x"); ok {
		t.Error("a file that is not there counts")
	}
	if n := oomKills(); n < 0 {
		t.Errorf("%d processes were killed", n)
	}
}

func TestIdentityIsJSON(t *testing.T) {
	run := newRun(settings{Loss: "nnPU", LearningRate: 1e-3})
	identity, err := run.Identity()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(identity)
	if want := `{"Version":2,"Threads":1,"Config":{"LearningRate":"0.001","Loss":"nnPU"}}`; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	run.Config = nil
	if identity, err := run.Identity(); err != nil || !reflect.DeepEqual(identity, Identity{2, 1, map[string]string{}}) {
		t.Errorf("%+v, %v", identity, err)
	}
}
