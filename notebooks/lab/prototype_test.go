package lab

import (
	"compress/gzip"
	"errors"
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

// softer returns an objective of one's own with a knob.
func softer(knob float64) Prototype {
	return Prototype{Name: "test", Size: experiment.Smoke, Objective: pucl.Objective{
		Name: "softer", Attract: pucl.ByLabel(pucl.Mix(knob, pucl.LabeledMean, pucl.OwnViews), pucl.OwnViews), Repel: pucl.LogPartition,
	}}
}

// A prototype goes its way from value to figure, and trains nothing twice.
func TestPrototype(t *testing.T) {
	expect.Slow(t)
	b := bench(t)
	p := softer(0.5)
	values, err := p.Values()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range values.Cells { // chance: log(2·4 − 1), whatever the loss
		if got := row[3].Mean; got < 1.9459 || got > 1.946 {
			t.Errorf("all at one point: %g, want log 7", got)
		}
	}
	if _, err := p.Accuracies(); err == nil || !strings.Contains(err.Error(), "run the cell that trains it first") {
		t.Errorf("before training: %v", err)
	}
	// Its own, and those of ssCL and PUCL, which a checkout has.
	if said, err := p.Train(); err != nil || said != "softer: 6 of 6 runs done, each of 20 steps, of size smoke, which shows that everything runs and "+
		"no more" {
		t.Fatalf("%q, %v", said, err)
	}
	table, err := p.Accuracies()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{table.Title, table.Note} { // a smoke run does not look like a result
		if !strings.Contains(text, "size smoke") {
			t.Errorf("%q does not say that it is of size smoke", text)
		}
	}
	if got := strings.Join(table.Rows, " "); got != "ssCL PUCL softer" {
		t.Errorf("rows %s", got)
	}
	if c := table.Cells[2][2]; c.Missing || c.Mean < 30 || c.Spread <= 0 {
		t.Errorf("with true labels %+v", c)
	}
	for _, f := range []func() (Figure, error){p.Embedding, p.Figure} {
		if f, err := f(); err != nil || f.Drawer == nil || !strings.Contains(f.Alt, "softer") || !strings.Contains(f.Alt, "20 steps, of size smoke") {
			t.Errorf("figure %+v, %v", f, err)
		}
	}
	done := results(t, b)
	p.Objective.Name = "milder" // the same formula by another name
	if said, err := p.Train(); err != nil || results(t, b) != done || !strings.HasPrefix(said, "milder: ") {
		t.Errorf("%q; trained anew: %d results, before %d, %v", said, results(t, b), done, err)
	}
	if values, err = p.Values(); err != nil || values.Rows[2] != "milder" {
		t.Errorf("values of %q, %v", values.Rows, err)
	}
	if table, err = p.Accuracies(); err != nil || table.Rows[2] != "milder" {
		t.Errorf("accuracies of %q, %v", table.Rows, err)
	}
	for _, f := range []func() (Figure, error){p.Embedding, p.Figure} {
		if f, err := f(); err != nil || !strings.Contains(f.Alt, "milder") || strings.Contains(f.Alt, "softer") {
			t.Errorf("%q, %v", f.Alt, err)
		}
	}
	if _, err := softer(0.25).Accuracies(); err == nil { // another formula of the same name
		t.Error("the results of one formula stand for another")
	}
}

// Other numbers of steps and seeds are other runs, of what the objective is set beside too, and what is shown says which they are.
func TestPrototypeOfOtherSteps(t *testing.T) {
	expect.Slow(t)
	bench(t)
	p := softer(0.5)
	p.Steps, p.Seeds = 4, 1
	if said, err := p.Train(); err != nil || !strings.HasPrefix(said, "softer: 3 of 3 runs done, each of 4 steps, ") {
		t.Fatalf("%q, %v", said, err)
	}
	table, err := p.Accuracies()
	if err != nil || !strings.Contains(table.Title, ", 4 steps") ||
		!strings.Contains(table.Note, "One seed, so without an interval; trainings each of 4 steps") {
		t.Errorf("%q, %q, %v", table.Title, table.Note, err)
	}
	if f, err := p.Figure(); err != nil || !strings.Contains(f.Alt, "one seed, no interval") {
		t.Errorf("%q, %v", f.Alt, err)
	}
	p.Steps = 5
	if _, err := p.Accuracies(); !errors.Is(err, errUntrained) {
		t.Errorf("runs of 4 steps stand for those of 5: %v", err)
	}
	t.Setenv("PUCL_STEPS", "4")
	t.Setenv("PUCL_SEEDS", "2")
	p.Steps, p.Seeds = 0, 0
	if c, err := p.config(); err != nil || c.Steps != 4 || c.Seeds != 2 {
		t.Errorf("by the settings: %+v, %v", c, err)
	}
	for name, of := range map[string]Prototype{"steps": {Steps: -1}, "seeds": {Seeds: -1}} {
		of.Objective, of.Size = p.Objective, experiment.Smoke
		if _, err := of.Train(); err == nil || !strings.Contains(err.Error(), "-1 "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Formulas are told apart by knobs that float32 can tell apart, and not by the engine.
func TestFormulaOfNearKnobs(t *testing.T) {
	of := func(knob float64) string {
		t.Helper()
		text, err := formula(Must(engine.Open()), softer(knob).Objective)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	mine := of(0.5)
	if near := of(0.5 + 1e-7); near == mine {
		t.Errorf("knobs of 0.5 and 0.5000001 have the formula %s", near)
	}
	t.Setenv("GOMLX_BACKEND", "go")
	if other := of(0.5); other != mine {
		t.Errorf("the pure-Go engine makes of it the formula %s, not %s", other, mine)
	}
}

// A program of another module is set beside the runs of the checkout that it was compiled from.
func TestPrototypeOfAnotherModule(t *testing.T) {
	t.Setenv("PUCL_HOME", "")
	t.Chdir(t.TempDir())
	p := Prototype{Size: experiment.Laptop}
	w := &prototypeWork{Prototype: p, config: Must(p.config())}
	given, err := w.given()
	if err != nil || len(given) != 6 {
		t.Fatalf("%d runs, %v", len(given), err)
	}
	for _, s := range given {
		if s.State != experiment.Done {
			t.Errorf("%s is %s", s.Run, s.State)
		}
	}
}

// results counts the results of a bench, which are the lines of its packs.
func results(t *testing.T, b *Bench) (n int) {
	t.Helper()
	files, err := filepath.Glob(b.Path("results/*/*.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		n += strings.Count(string(text), "\n")
	}
	return n
}

// What can be refused before anything is trained is.
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
		"random points the gradient of Attract by row 0 is NaN": {Objective: of(func(b *pucl.Block) *Node { // of NaN, where the loss itself is finite
			zero := ZerosLike(pucl.OwnViews(b))
			return Add(pucl.OwnViews(b), Mul(zero, Sqrt(Mul(zero, pucl.OwnViews(b)))))
		})},
	} {
		if _, err := p.Train(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	t.Setenv("PUCL_SIZE", "tiny")
	if _, err := (Prototype{Objective: of(pucl.OwnViews)}).Values(); err == nil || !strings.Contains(err.Error(), `no size "tiny"`) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(os.Getenv("PUCL_HOME"), "notebooks", "out", "prototype", "results")); err == nil {
		t.Error("something was trained")
	}
}
