package lab

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
)

// softer returns a user-defined objective with one parameter.
func softer(knob float64) Prototype {
	return Prototype{Name: "test", Size: experiment.Smoke, Objective: pucl.Objective{
		Name: "softer", Attract: pucl.ByLabel(pucl.Mix(knob, pucl.LabeledMean, pucl.OwnViews), pucl.OwnViews), Repel: pucl.LogPartition,
	}}
}

// A prototype runs from value to figure and trains nothing twice. Other numbers of steps or seeds are different runs,
// for the baselines too, and the display states them.
func TestPrototype(t *testing.T) {
	expect.Slow(t)
	b := bench(t)
	p := softer(0.5)
	p.Steps = 4
	values, err := p.Values()
	expect.NoError(t, err)
	for _, row := range values.Cells { // chance: log(2·4 − 1) for every loss
		got := row[3].Mean
		expect.That(t, got >= 1.9459 && got <= 1.946, "all at one point: %g, want log 7", got)
	}
	expect.Error(t, expect.Err(p.Accuracies()), "run the cell that trains it first")
	// Its own runs, and those of ssCL and PUCL from the checkout.
	if said, err := p.Train(); err != nil || said != "softer: 6 of 6 runs done, each of 4 steps, of size smoke, which shows that everything runs and "+
		"no more" {
		t.Fatalf("%q, %v", said, err)
	}
	table := expect.Must(p.Accuracies())(t)
	for _, text := range []string{table.Title, table.Note} { // a smoke run is marked
		expect.That(t, strings.Contains(text, "size smoke"), "%q does not say that it is of size smoke", text)
	}
	expect.Equal(t, strings.Join(table.Rows, " "), "ssCL PUCL softer", "rows")
	c := table.Cells[2][2]
	expect.That(t, !c.Missing && c.Mean >= 30 && c.Spread > 0, "with true labels %+v", c)
	for _, f := range []func() (Figure, error){p.Embedding, p.Figure} {
		if f, err := f(); err != nil || f.Drawer == nil || !strings.Contains(f.Alt, "softer") || !strings.Contains(f.Alt, "4 steps, of size smoke") {
			t.Errorf("figure %+v, %v", f, err)
		}
	}
	done := results(t, b)
	p.Objective.Name = "milder" // the same formula with another name
	if said, err := p.Train(); err != nil || results(t, b) != done || !strings.HasPrefix(said, "milder: ") {
		t.Errorf("%q; trained anew: %d results, before %d, %v", said, results(t, b), done, err)
	}
	values, err = p.Values()
	expect.That(t, err == nil && values.Rows[2] == "milder", "values of %q, %v", values.Rows, err)
	table, err = p.Accuracies()
	expect.That(t, err == nil && table.Rows[2] == "milder", "accuracies of %q, %v", table.Rows, err)
	for _, f := range []func() (Figure, error){p.Embedding, p.Figure} {
		f := expect.Must(f())(t)
		expect.That(t, strings.Contains(f.Alt, "milder") && !strings.Contains(f.Alt, "softer"), "%q", f.Alt)
	}
	other := softer(0.25) // another formula with the same name
	other.Steps = 4
	expect.That(t, expect.Err(other.Accuracies()) != nil, "the results of one formula stand for another")

	p = softer(0.5)
	p.Steps, p.Seeds = 4, 1
	said := expect.Must(p.Train())(t)
	expect.Require(t, strings.HasPrefix(said, "softer: 3 of 3 runs done, each of 4 steps, "), "%q", said)
	expect.Equal(t, results(t, b), done, "one of the two seeds is trained anew: results")
	table, err = p.Accuracies()
	expect.That(t, err == nil && strings.Contains(table.Title, ", 4 steps") &&
		strings.Contains(table.Note, "One seed, so without an interval; trainings each of 4 steps"), "%q, %q, %v",
		table.Title, table.Note, err)
	f := expect.Must(p.Figure())(t)
	expect.That(t, strings.Contains(f.Alt, "one seed, no interval"), "%q", f.Alt)
	p.Steps = 5
	expect.Is(t, expect.Err(p.Accuracies()), errUntrained, "runs of 4 steps stand for those of 5")
	t.Setenv("PUCL_STEPS", "4")
	t.Setenv("PUCL_SEEDS", "2")
	p.Steps, p.Seeds = 0, 0
	config := expect.Must(p.config())(t)
	expect.That(t, config.Steps == 4 && config.Seeds == 2, "by the settings: %+v", config)
	for name, of := range map[string]Prototype{"steps": {Steps: -1}, "seeds": {Seeds: -1}} {
		of.Objective, of.Size = p.Objective, experiment.Smoke
		expect.Error(t, expect.Err(of.Train()), "-1 "+name)
	}
}

// Formulas differ if their parameters differ in float32; they do not depend on the engine.
func TestFormulaOfNearKnobs(t *testing.T) {
	of := func(knob float64) string {
		t.Helper()
		return expect.Must(formula(Must(engine.Open()), softer(knob).Objective))(t)
	}
	mine := of(0.5)
	near := of(0.5 + 1e-7)
	expect.That(t, near != mine, "knobs of 0.5 and 0.5000001 have the formula %s", near)
	t.Setenv("GOMLX_BACKEND", "go")
	expect.Equal(t, of(0.5), mine, "the pure-Go engine makes of it the formula: not")
}

// A program of another module is compared with the runs of the checkout from which it was compiled.
func TestPrototypeOfAnotherModule(t *testing.T) {
	t.Setenv("PUCL_HOME", "")
	t.Chdir(t.TempDir())
	p := Prototype{Size: experiment.Laptop}
	w := &prototypeWork{Prototype: p, config: Must(p.config())}
	given, err := w.given()
	expect.Require(t, err == nil && len(given) == 6, "%d runs, %v", len(given), err)
	for _, s := range given {
		expect.That(t, s.State == experiment.Done, "%s is %s", s.Run, s.State)
	}
}

// results counts the results of a bench: the lines of its packs.
func results(t *testing.T, b *Bench) (n int) {
	t.Helper()
	files := expect.Must(filepath.Glob(b.Path("results/*/*.jsonl.gz")))(t)
	for _, path := range files {
		f := expect.Must(os.Open(path))(t)
		defer f.Close()
		z := expect.Must(gzip.NewReader(f))(t)
		text := expect.Must(io.ReadAll(z))(t)
		n += strings.Count(string(text), "\n")
	}
	return n
}

// Invalid prototypes are rejected before any training.
func TestPrototypeRefuses(t *testing.T) {
	bench(t)
	of := func(attract pucl.Term) pucl.Objective {
		return pucl.Objective{Name: "mine", Attract: attract, Repel: pucl.LogPartition}
	}
	for want, p := range map[string]Prototype{
		`"my term"`:       {Name: "my term", Objective: pucl.PUCL()},
		"name of its own": {Objective: pucl.PUCL()},
		`no size "huge"`:  {Objective: of(pucl.OwnViews), Size: "huge"},
		"one number":      {Objective: of(func(b *pucl.Block) *Node { return ReduceAllMean(b.Sim) })},
		"random points Attract of anchor 1, which is labeled, is NaN": {Objective: of(func(b *pucl.Block) *Node { return Log(Neg(pucl.OwnViews(b))) })},
		"Attract and Repel":                 {Objective: of(nil)},
		"has no gradient; take another one": {Objective: of(func(b *pucl.Block) *Node { return Round(pucl.OwnViews(b)) })},
		"random points the gradient of Attract by row 0 is NaN": {Objective: of(func(b *pucl.Block) *Node {
			// The gradient is NaN; the loss is finite.
			zero := ZerosLike(pucl.OwnViews(b))
			return Add(pucl.OwnViews(b), Mul(zero, Sqrt(Mul(zero, pucl.OwnViews(b)))))
		})},
	} {
		expect.Error(t, expect.Err(p.Train()), want)
	}
	t.Setenv("PUCL_SIZE", "tiny")
	expect.Error(t, expect.Err((Prototype{Objective: of(pucl.OwnViews)}).Values()), `no size "tiny"`)
	_, err := os.Stat(filepath.Join(os.Getenv("PUCL_HOME"), "notebooks", "out", "prototype", "results"))
	expect.That(t, err != nil, "something was trained")
}
