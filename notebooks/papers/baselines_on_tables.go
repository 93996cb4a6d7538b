package papers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/baseline"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/rows"
)

// onTables names the grid of baselines on rows of features.
const onTables = "rivals-on-tables"

// BaselinesOnTables is every baseline, and the losses of Table 1 with their heads, on six tables of the UCI repository.
// Runs take seconds, so a baseline that falls behind is found quickly. Positives and negatives are drawn as for
// class-prior estimation, with ¼ of the unlabeled examples positive. A fifth of these is the test set; a tenth of them
// and of the labeled positives is held out to select epochs. Training uses no class of these rows but their features:
// columns are standardized over all rows of a table, and views have features from any row, see [TableContrastive].
func BaselinesOnTables(size experiment.Size) (experiment.Grid, error) {
	seeds, sets := 5, uciSets()
	config := baseline.Config{Encoder: tableEncoder(), Positives: 64, Unlabeled: 192}
	switch size {
	case experiment.Smoke:
		seeds, sets = 1, sets[:1]
		sets[0].passes = 2
	case experiment.Laptop, experiment.Paper: // a GPU gives no speedup here
	default:
		return experiment.Grid{}, size.Unknown()
	}
	grid := experiment.Grid{Name: onTables, Size: size}
	for _, set := range sets {
		for seed := range uint64(seeds) {
			for _, o := range objectives() {
				grid.Runs = append(grid.Runs, set.contrastive(o, size, seed+1))
			}
			for _, c := range competitors() {
				grid.Runs = append(grid.Runs, set.baseline(c, config, seed+1))
			}
		}
	}
	return grid, nil
}

// TableBaseline is the configuration of a run of a baseline on a table.
type TableBaseline struct {
	Protocol  int // baselineProtocol
	Set       string
	Labeled   int // a tenth of these is held out
	Drawn     [2]int
	Method    string // with all its parameters
	Encoder   string // with a linear output layer
	Update    string // optimizer, learning rate and schedule
	Positives int    // labeled positives in a batch
	Unlabeled int    // unlabeled examples in a batch
	Epochs    int    // passes over the unlabeled examples, with an evaluation after each
}

// prior returns the fraction of positives among unlabeled examples.
func (u uciSet) prior() float64 { return float64(u.positives) / float64(u.positives+u.negatives) }

// setting names the table by its name and n_P, and its corruption rate if that is not the usual one.
func (u uciSet) setting() string {
	name := settingName(u.name, u.labeled)
	if u.corruptionRate() != corrupted {
		name += fmt.Sprintf(", corruption %g", u.corruption)
	}
	return name
}

// baseline returns the run that trains a baseline on a table.
func (u uciSet) baseline(c competitor, config baseline.Config, seed uint64) experiment.Run {
	method := c.of(u.prior(), u.name)
	config.Method, config.Seed = method, seed
	return experiment.Run{
		Setting: u.setting(), Method: c.name, Seed: seed, Version: baseline.Version(method),
		Config: TableBaseline{
			Protocol: baselineProtocol, Set: u.name, Labeled: u.labeled, Drawn: [2]int{u.positives, u.negatives}, Method: method.String(),
			Encoder: encoder.Describe(config.Encoder), Update: config.Settings.WithDefaults().Update(),
			Positives: config.Positives, Unlabeled: config.Unlabeled, Epochs: u.passes,
		},
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			return u.compete(ctx, eng, place, config)
		},
	}
}

// compete does a run.
func (u uciSet) compete(ctx context.Context, eng *engine.Engine, place experiment.Place, c baseline.Config) (*experiment.Outcome, error) {
	o, err := u.open(c.Seed)
	if err != nil {
		return nil, err
	}
	data := func(p part) (baseline.Data, error) {
		x, err := rows.Take(o.table.Features, p.Index)
		return baseline.Data{Examples: baseline.Rows{X: x}, Labeled: p.Labeled}, err
	}
	learn, err := data(o.train)
	held, heldErr := data(o.held)
	test, testErr := rows.Take(o.table.Features, o.tests)
	if err := errors.Join(err, heldErr, testErr); err != nil {
		return nil, err
	}
	var tested mat.Dense
	tested.Stack(test, o.rowViews)
	c.HeldOut, c.Test = baseline.HeldOut{Data: held, Prior: u.prior()}, baseline.Rows{X: &tested}
	return o.compete(ctx, eng, place, learn, c, u.passes)
}

// tablePart lists rows of a table.
type tablePart struct{ labeled, unlabeled []int }

// tableParts lists the rows of a table by purpose.
type tableParts struct {
	learn, held tablePart
	test        []int
}

// deal draws labeled positives, and unlabeled positives and negatives. It returns an error if a class has too few rows.
func (u uciSet) deal(labels []int, seed, stream uint64) (labeled, positives, negatives []int, err error) {
	var byClass [2][]int
	for _, row := range rand.New(rand.NewPCG(seed, stream)).Perm(len(labels)) {
		byClass[labels[row]] = append(byClass[labels[row]], row)
	}
	if len(byClass[1]) < u.labeled+u.positives || len(byClass[0]) < u.negatives {
		return nil, nil, nil, fmt.Errorf("papers: %s has %d positives and %d negatives, and %d and %d are needed: is it the file as UCI has it?",
			u.name, len(byClass[1]), len(byClass[0]), u.labeled+u.positives, u.negatives)
	}
	return byClass[1][:u.labeled], byClass[1][u.labeled : u.labeled+u.positives], byClass[0][:u.negatives], nil
}

// split draws the rows of a seed.
func (u uciSet) split(labels []int, seed uint64) (parts tableParts, err error) {
	labeled, positives, negatives, err := u.deal(labels, seed, 0x7ab1e)
	if err != nil {
		return tableParts{}, err
	}
	parts.held.labeled, parts.learn.labeled = labeled[:len(labeled)/10], labeled[len(labeled)/10:]
	for _, class := range [][]int{positives, negatives} {
		test, held := len(class)/5, len(class)/5+len(class)/10
		parts.test = append(parts.test, class[:test]...)
		parts.held.unlabeled = append(parts.held.unlabeled, class[test:held]...)
		parts.learn.unlabeled = append(parts.learn.unlabeled, class[held:]...)
	}
	return parts, nil
}
