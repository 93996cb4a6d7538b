package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/notebooks/papers"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/theory"
)

// Prototype takes an objective of one's own from an idea to a result beside ssCL and PUCL, a step a cell:
//
//	lab.Show(mine.Values())     // its value on batches that can be checked by hand
//	lab.Show(mine.Examine())    // its exact bias, variance and worst case
//	lab.Show(mine.Train())      // three short trainings
//	lab.Show(mine.Embedding())  // what the first of them sees
//	lab.Show(mine.Accuracies()) // all three, with 95% intervals
//	lab.Show(mine.Figure())
//
// It is trained and judged by [papers.PrototypeConfig], as the runs of ssCL and PUCL were that come with the module. What was trained is kept
// by the formula: a cell that is run again trains nothing anew unless the formula has changed, and going back to an earlier one is free.
//
// Steps and Seeds ask for more: only runs of as many steps are set beside each other, so with another number of steps ssCL and PUCL are trained
// too, and with more seeds those of their runs that did not come with the module.
type Prototype struct {
	Name      string // of the bench that keeps its results
	Objective pucl.Objective
	Size      experiment.Size // "" means the setting "size", experiment.Laptop unless it is set; experiment.Smoke shows only that everything runs
	Steps     int             // of each training; 0 means the setting "steps", and where that is not set 500, 20 of size smoke
	Seeds     int             // how many trainings; 0 means the setting "seeds", and where that is not set three, two of size smoke
}

// prototypeTau is the temperature of all steps, the paper's.
const prototypeTau = 0.5

// references lists what the objective is set beside.
func references() []pucl.Objective { return []pucl.Objective{pucl.SSCL(), pucl.PUCL()} }

// prototypeWork is what the steps have in common, checked.
type prototypeWork struct {
	Prototype
	eng     *engine.Engine
	bench   *Bench
	formula string
	config  papers.PrototypeConfig // with its defaults
}

// open checks all that can be wrong before anything is computed.
func (p Prototype) open() (*prototypeWork, error) {
	bench, err := Open(cmp.Or(p.Name, "prototype"))
	if err != nil {
		return nil, err
	}
	for _, o := range references() {
		if strings.EqualFold(o.Name, p.Objective.Name) {
			return nil, fmt.Errorf("lab: the objective is named %q, as one that it is set beside; give it a name of its own", o.Name)
		}
	}
	p.Objective.Name = cmp.Or(p.Objective.Name, "mine")
	if p.Size == "" {
		name, err := Setting("size", string(experiment.Laptop))
		if err == nil {
			p.Size, err = experiment.ParseSize(name)
		}
		if err != nil {
			return nil, err
		}
	}
	config, err := p.config()
	if err != nil {
		return nil, err
	}
	eng, err := engine.Open()
	if err != nil {
		return nil, err
	}
	w := &prototypeWork{Prototype: p, eng: eng, bench: bench, config: config}
	w.formula, err = formula(eng, p.Objective)
	return w, err
}

// config returns how the objective is trained, by the fields, the settings of the notebook and what is usual, in this order.
func (p Prototype) config() (papers.PrototypeConfig, error) {
	config := papers.PrototypeConfig{Size: p.Size, Steps: p.Steps, Seeds: p.Seeds}
	for name, number := range map[string]*int{"steps": &config.Steps, "seeds": &config.Seeds} {
		if *number != 0 {
			continue
		}
		var err error
		if *number, err = Setting(name, 0); err != nil {
			return config, err
		}
	}
	return config.WithDefaults()
}

// Examine measures the objective exactly on a small population: see [theory.Examine].
func (p Prototype) Examine() (theory.Examination, error) {
	w, err := p.open()
	if err != nil {
		return theory.Examination{}, err
	}
	return Examine(w.eng, w.Objective, theory.ExamineConfig{Tau: prototypeTau, References: references()})
}

// Train does the runs of the objective that are missing, and those of ssCL and PUCL that did not come with the module. An interrupted cell
// goes on where it was when it is run again. It returns how many runs are done, and of how many steps and which size, in words.
func (p Prototype) Train() (string, error) {
	w, err := p.open()
	if err != nil {
		return "", err
	}
	grid, err := w.own()
	if err != nil {
		return "", err
	}
	given, err := w.given()
	if err != nil {
		return "", err
	}
	for _, s := range given {
		if s.State != experiment.Done {
			grid.Runs = append(grid.Runs, s.Run)
		}
	}
	store, err := w.store()
	if err != nil {
		return "", err
	}
	return w.train(Interruptible(), store, grid)
}

func (w *prototypeWork) train(ctx context.Context, store *experiment.Store, grid experiment.Grid) (string, error) {
	cells, err := store.Here(ctx, w.eng, grid, w.folder(), nil)
	if err != nil {
		return "", err
	}
	for _, s := range cells.Standings {
		switch s.State {
		case experiment.Failed:
			return "", fmt.Errorf("lab: %s failed: %s", s.Run, s.Result.Failure)
		case experiment.Stale: // of an earlier state of the module
			return "", fmt.Errorf("lab: %s; remove %s and run this cell again", s.Why, store.Folder)
		}
	}
	return fmt.Sprintf("%s: %s, %s", w.Objective.Name, cells, w.done()), nil
}

// done says of what size the runs are: "each of 500 steps". One of size smoke is never taken for a result.
func (w *prototypeWork) done() string {
	text := fmt.Sprintf("each of %d steps", w.config.Steps)
	if w.Size == experiment.Smoke {
		return text + ", of size smoke, which shows that everything runs and no more"
	} else if w.Size != experiment.Laptop {
		text += ", of size " + string(w.Size)
	}
	return text
}

// smoke marks the titles of what came of runs of size smoke.
func (w *prototypeWork) smoke() string {
	if w.Size == experiment.Smoke {
		return ", size smoke"
	}
	return ""
}

func (w *prototypeWork) store() (*experiment.Store, error) {
	return experiment.Open(w.bench.Path("results"))
}
func (w *prototypeWork) folder() string { return w.bench.Path("work") }

// own returns the runs of the objective. Their method is the formula: another name for it trains nothing anew.
func (w *prototypeWork) own() (experiment.Grid, error) {
	o := w.Objective
	o.Name = formulaMethod + w.formula
	grid, err := w.config.Own(o)
	grid.Name = w.Objective.Name
	return grid, err
}

// formulaMethod is what the methods of objectives of one's own begin with.
const formulaMethod = "formula "

// label names a method in tables and figures: that of the objective by its name.
func (w *prototypeWork) label(method string) string {
	if strings.HasPrefix(method, formulaMethod) {
		return w.Objective.Name
	}
	return method
}

// given returns the runs of what the objective is set beside, as they come with a checkout: the one of $PUCL_HOME or around the working
// folder, else the one that the program was compiled from. Runs that this has not are missing. Where there is no checkout it is an error that
// says how to get one, unless they are of size smoke, which takes no time.
func (w *prototypeWork) given() ([]experiment.Standing, error) {
	grid, err := w.config.Beside()
	if err != nil {
		return nil, err
	}
	root, ok := home.Dir()
	if !ok {
		root, ok = home.Source()
	}
	folder := ""
	if ok {
		folder = filepath.Join(root, "notebooks", "results")
	}
	store, err := experiment.Open(folder)
	if err == nil {
		return store.LookAll(grid)
	} else if w.Size != experiment.Smoke {
		return nil, fmt.Errorf("lab: ssCL and PUCL have no runs to be set beside %q (%w; an empty folder in %[3]s has them trained here)",
			w.Objective.Name, err, home.Env)
	}
	var standings []experiment.Standing
	for _, run := range grid.Runs {
		standings = append(standings, experiment.Standing{Run: run, State: experiment.Missing})
	}
	return standings, nil
}

// formula tells the formula of the objective from others: a few digits made of its loss and gradient on a batch of random points. Knobs
// that float32, in which is trained, can tell apart have different ones. It is an error if they cannot be had, so that a term is looked at
// before it is trained.
func formula(eng *engine.Engine, o pucl.Objective) (string, error) {
	const examples, dim = 6, 4
	rng := rand.New(rand.NewPCG(1, 0xF0))
	z := make([][]float64, 2*examples)
	for i := range z {
		for range dim {
			z[i] = append(z[i], rng.NormFloat64())
		}
	}
	labeled := []bool{true, true, true, false, false, false}
	if _, err := o.Value(eng, z, labeled, prototypeTau); err != nil {
		return "", err
	}
	out, err := ExecOnce(eng.Backend, func(z, labeled *Node) *Node {
		loss := o.Loss(pucl.Views{Z: z, Labeled: labeled, Count: 2}, prototypeTau)
		slope := gradient(loss, z)
		return Concatenate([]*Node{Reshape(loss, 1), Reshape(slope, slope.Shape().Size())}, 0)
	}, z, labeled)
	if err != nil {
		return "", fmt.Errorf("lab: the gradient of %q: %w", o.Name, engine.RootCause(err))
	}
	values, err := tensors.CopyFlatData[float64](out)
	if err != nil {
		return "", err
	}
	largest := 0.0
	for _, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			part, err := o.NotFinite(eng, z, labeled, nil, prototypeTau)
			if err != nil || part == "" {
				part = fmt.Sprintf("the loss or its gradient is %v", x)
			}
			return "", fmt.Errorf("lab: %q cannot be trained: on a batch of random points %s; look there for a logarithm or a division of 0, and for a "+
				"Where around one", o.Name, part)
		}
		largest = max(largest, math.Abs(x))
	}
	// Nine digits of the largest: engines agree on more, so that the formula is the same on all.
	text := fmt.Appendf(nil, "%.9g", largest)
	for _, x := range values {
		text = fmt.Appendf(text, " %d", int64(math.Round(1e9*x/cmp.Or(largest, 1))))
	}
	return train.Digest(text)[:6], nil
}

// gradient returns that of the loss, and panics with the name of an operation that has none.
func gradient(loss, of *Node) *Node {
	defer fault.Annotate(nil, "the gradient")
	return Gradient(loss, of)[0]
}

// errUntrained says what to do before a result can be shown.
var errUntrained = errors.New("lab: there is no training of this formula yet; run the cell that trains it first")
