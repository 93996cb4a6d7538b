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

// Prototype takes a user-defined objective from an idea to results beside ssCL and PUCL, one step per cell:
//
//	lab.Show(mine.Values())     // its value on batches that can be checked by hand
//	lab.Show(mine.Examine())    // its exact bias, variance and worst case
//	lab.Show(mine.Train())      // three short trainings
//	lab.Show(mine.Embedding())  // the test images as the first training embeds them
//	lab.Show(mine.Accuracies()) // all three, with 95% intervals
//	lab.Show(mine.Figure())
//
// It is trained and evaluated by [papers.PrototypeConfig], like the module's own runs of ssCL and PUCL. Results are
// stored by the formula. A repeated cell trains only if the formula has changed; returning to an earlier formula needs
// no training.
//
// Only runs with equal numbers of steps are compared. Another value of Steps therefore also trains ssCL and PUCL; a
// larger Seeds trains those of their runs that the module does not have.
type Prototype struct {
	Name      string // of the bench that stores its results
	Objective pucl.Objective

	// Size "" means the setting "size", by default experiment.Laptop; experiment.Smoke shows only that everything runs.
	Size  experiment.Size
	Steps int // of each training; 0 means the setting "steps", by default 500, or 20 at size smoke
	Seeds int // number of trainings; 0 means the setting "seeds", by default three, or two at smoke
}

// prototypeTau is the temperature in all steps, as in the paper.
const prototypeTau = 0.5

// references lists the baseline objectives.
func references() []pucl.Objective { return []pucl.Objective{pucl.SSCL(), pucl.PUCL()} }

// prototypeWork is the checked state that the steps share.
type prototypeWork struct {
	Prototype
	eng     *engine.Engine
	bench   *Bench
	formula string
	config  papers.PrototypeConfig // with its defaults
}

// open validates the prototype before any computation.
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

// config returns the training configuration: fields first, then settings of the notebook, then defaults.
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

// Examine computes properties of the objective exactly on a small population: see [theory.Examine].
func (p Prototype) Examine() (theory.Examination, error) {
	w, err := p.open()
	if err != nil {
		return theory.Examination{}, err
	}
	return Examine(w.eng, w.Objective, theory.ExamineConfig{Tau: prototypeTau, References: references()})
}

// Train performs the missing runs of the objective, and the runs of ssCL and PUCL that the module does not have. An
// interrupted cell resumes when it is run again. It returns a sentence with the number of runs done, their steps and
// their size.
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
		case experiment.Stale: // of an earlier version of the module
			return "", fmt.Errorf("lab: %s; remove %s and run this cell again", s.Why, store.Folder)
		}
	}
	return fmt.Sprintf("%s: %s, %s", w.Objective.Name, cells, w.done()), nil
}

// done describes the steps and size of the runs: "each of 500 steps". It marks smoke runs, so that they are not
// mistaken for results.
func (w *prototypeWork) done() string {
	text := fmt.Sprintf("each of %d steps", w.config.Steps)
	if w.Size == experiment.Smoke {
		return text + ", of size smoke, which shows that everything runs and no more"
	} else if w.Size != experiment.Laptop {
		text += ", of size " + string(w.Size)
	}
	return text
}

// smoke returns the suffix of titles for smoke runs.
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

// own returns the runs of the objective. Their method is the formula: renaming the objective trains nothing.
func (w *prototypeWork) own() (experiment.Grid, error) {
	o := w.Objective
	o.Name = formulaMethod + w.formula
	grid, err := w.config.Own(o)
	grid.Name = w.Objective.Name
	return grid, err
}

// formulaMethod is the prefix of the methods of user-defined objectives.
const formulaMethod = "formula "

// label returns the name of a method in tables and figures; for the user's objective it is the objective's name.
func (w *prototypeWork) label(method string) string {
	if strings.HasPrefix(method, formulaMethod) {
		return w.Objective.Name
	}
	return method
}

// given returns the runs of the baseline objectives from a checkout: the one of $PUCL_HOME or around the working
// folder, else the one from which the program was compiled. Runs that it lacks are missing. Without a checkout, given
// returns an error that states how to get one, except at size smoke, where training takes little time.
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

// formula returns a short hash that identifies the formula of the objective, computed from its loss and gradient on a
// batch of random points. Parameters that differ in float32, the precision of training, have different hashes. It
// returns an error if loss or gradient cannot be computed, so that a term is checked before training.
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
	// Nine digits relative to the largest value: engines agree to more digits, so the hash does not depend on the
	// engine.
	text := fmt.Appendf(nil, "%.9g", largest)
	for _, x := range values {
		text = fmt.Appendf(text, " %d", int64(math.Round(1e9*x/cmp.Or(largest, 1))))
	}
	return train.Digest(text)[:6], nil
}

// gradient returns the gradient of the loss, and panics with the name of an operation that has none.
func gradient(loss, of *Node) *Node {
	defer fault.Annotate(nil, "the gradient")
	return Gradient(loss, of)[0]
}

// errUntrained states the step that must precede a result.
var errUntrained = errors.New("lab: there is no training of this formula yet; run the cell that trains it first")
