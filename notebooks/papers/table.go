package papers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/naming"
	"github.com/puclab/puclab/notebooks/experiment"
)

// Table is a table of a paper: its runs, and the published numbers.
type Table struct {
	Name      string // "table-1"
	Title     string
	Rows      []Row
	Published []Published
	Claims    []Claim

	runs func(s setting) []experiment.Run // nil for a table with a separate grid function
}

// Row names a row: a method, and the head for a pretrained encoder.
type Row struct{ Method, Head string }

// String names the row: "PUCL, nnPU".
func (r Row) String() string {
	if r.Head == "" {
		return r.Method
	}
	return r.Method + ", " + r.Head
}

// in returns the series of the row in a setting.
func (r Row) in(setting string) experiment.Series {
	return experiment.Series{Setting: setting, Method: r.Method, Head: r.Head}
}

// Published is a number of a paper, in percent.
type Published struct {
	Setting string
	Row     Row
	Mean    float64
	Spread  float64         // the number after ± in the paper; 0 for none
	Rule    experiment.Rule // for the choice of a run's point; "" if the source does not state it
	Source  string          // with the protocol and the choice of the point, if stated
}

// grids returns all grids by name.
func grids() map[string]func(experiment.Size) (experiment.Grid, error) {
	return map[string]func(experiment.Size) (experiment.Grid, error){
		"table-1":       Table1().Grid,
		"table-2":       Table2().Grid,
		onTables:        BaselinesOnTables,
		priorsOnTables:  PriorsOnTables,
		inThePlane:      Gaussians,
		overLabels:      Labels,
		withoutPrior:    WithoutPrior().Grid,
		debiased:        Debiased,
		labeler:         Labeler,
		components:      Components,
		prototype:       Prototype,
		samplingBias:    SamplingBias,
		geometry:        Geometry,
		figure1:         Supervision,
		figure3:         Figure3,
		figure4:         Figure4,
		figure5:         Figure5,
		figure8:         Figure8,
		figure9:         Convergence,
		figure10:        Parametric,
		debiasedPos:     FalsePositives,
		recovery:        Recovery,
		openWorldGrid:   OpenWorld,
		answering:       QuestionAnswering,
		unevenLabels:    UnevenLabels,
		unevenPriors:    UnevenPriors,
		corruptionRates: Corruption,
	}
}

// Names returns the names of all grids.
func Names() []string { return slices.Sorted(maps.Keys(grids())) }

// Find returns the grid of that name at a size. For an unknown name the error lists all names.
func Find(name string, size experiment.Size) (experiment.Grid, error) {
	of, ok := grids()[name]
	if !ok {
		return experiment.Grid{}, fmt.Errorf("papers: there is no table %q%s; there are %s", name, naming.DidYouMean(name, Names()), strings.Join(Names(), ", "))
	}
	return of(size)
}

// Grid returns the runs of the table at a size, by setting, and in each setting the first seed of all methods before
// the second.
func (t Table) Grid(size experiment.Size) (experiment.Grid, error) {
	if t.runs == nil {
		return Find(t.Name, size)
	}
	list, err := settings(size)
	if err != nil {
		return experiment.Grid{}, err
	}
	grid := experiment.Grid{Name: t.Name, Size: size}
	for _, s := range list {
		runs := t.runs(s)
		slices.SortStableFunc(runs, func(a, b experiment.Run) int { return cmp.Compare(a.Seed, b.Seed) })
		grid.Runs = append(grid.Runs, runs...)
	}
	return grid, nil
}

// Settings returns the settings of the table at a size, its columns.
func (t Table) Settings(size experiment.Size) ([]string, error) {
	list, err := settings(size)
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names, err
}

// published returns the published number of a row in a setting for results chosen by a rule, the first of several.
// Numbers with an unstated rule match all rules.
func (t Table) published(setting string, row Row, rule experiment.Rule) (Published, bool) {
	for _, rule := range []experiment.Rule{rule, ""} {
		for _, p := range t.Published {
			if p.Setting == setting && p.Row == row && p.Rule == rule {
				return p, true
			}
		}
	}
	return Published{}, false
}
