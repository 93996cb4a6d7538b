package papers

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// TableContrastive is the configuration of a run that pretrains an encoder on rows of a table. The replaced features of
// views are drawn from the whole table, including held-out and test rows, just as columns are standardized over all
// rows: only features are used, no classes.
type TableContrastive struct {
	Set       string
	Labeled   int // a tenth of these is held out
	Drawn     [2]int
	Objective string
	Tau       float64
	Encoder   string
	Corrupted float64 // fraction of a row's features that a view takes from other rows
	Update    string  // optimizer, learning rate and schedule
	Batch     int     // rows in a batch
	Share     float64 // fraction of labeled positives forced into a batch
	Steps     int
	Points    int // number of points at which heads are evaluated
	Restarts  int // of PUPL
}

// contrastive returns the run that pretrains on a table by an objective.
func (u uciSet) contrastive(o pucl.Objective, size experiment.Size, seed uint64) experiment.Run {
	c := train.Config{Objective: o, Encoder: tableEncoder(), Tau: 0.5, Steps: 2000, Seed: seed}
	if size == experiment.Smoke {
		c.Steps = 20
	}
	const points = 4
	batch := datasets.BatchConfig{Size: 256, Share: 0.25, Seed: seed}
	return experiment.Run{
		Setting: u.setting(), Method: o.Name, Seed: seed, Version: contrastiveVersion,
		Config: TableContrastive{
			Set: u.name, Labeled: u.labeled, Drawn: [2]int{u.positives, u.negatives}, Objective: o.Name, Tau: c.Tau,
			Encoder: encoder.Describe(c.Encoder), Corrupted: u.corruptionRate(), Update: update(c), Batch: batch.Size, Share: batch.Share, Steps: c.Steps,
			Points: points, Restarts: restarts,
		},
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			o, err := u.open(seed)
			if err != nil {
				return nil, err
			}
			batches, err := tabular.NewBatches(o.table, o.train.Split, o.corruption, batch)
			if err != nil {
				return nil, err
			}
			return o.pretrain(eng, place, c, points, o.embed, func(c train.Config) (*train.Model, error) {
				return train.PretrainFeatures(ctx, eng, batches, c)
			})
		},
	}
}

// openedTable is the data of a run on a table: parts without images, and the test rows.
type openedTable struct {
	opened
	table      *tabular.Table
	corruption *tabular.Corruption // makes views of rows
	rowViews   *mat.Dense          // a view of each held-out row
	tests      []int
}

// corrupted is the fraction of a row's features that a view takes from other rows, unless a table has its own: SCARF's
// value.
const corrupted = 0.6

// corruptionRate returns the fraction of a row's features that a view takes from other rows.
func (u uciSet) corruptionRate() float64 { return cmp.Or(u.corruption, corrupted) }

// open reads the table and returns its rows as split for that seed.
func (u uciSet) open(seed uint64) (*openedTable, error) {
	table, digest, err := u.read()
	if err != nil {
		return nil, err
	}
	parts, err := u.split(table.Labels, seed)
	if err != nil {
		return nil, err
	}
	of := func(p tablePart) part {
		index := slices.Concat(p.labeled, p.unlabeled)
		split := &datasets.Split{Index: index, Of: table.Len(), Labeled: make([]bool, len(index)), Prior: u.prior(),
			Classes: table.Classes, Config: datasets.SplitConfig{Positive: []int{1}, Labeled: len(p.labeled), Seed: seed}}
		for i, row := range index {
			split.Labeled[i] = i < len(p.labeled)
			split.Positive = append(split.Positive, table.Labels[row] == 1)
		}
		return part{Split: split}
	}
	o := &openedTable{table: table, tests: parts.test}
	o.train, o.held, o.note = of(parts.learn), of(parts.held), u.source(digest)
	for _, row := range parts.test {
		o.truth = append(o.truth, table.Labels[row] == 1)
	}
	if o.corruption, err = tabular.NewCorruption(table.Features, u.corruptionRate()); err != nil {
		return nil, err
	}
	held, err := rows.Take(table.Features, o.held.Index)
	if err != nil {
		return nil, err
	}
	o.rowViews, _, err = o.corruption.Views(held, rand.New(rand.NewPCG(seed, viewsStream)))
	return o, err
}

// embed embeds the rows of the table.
func (o *openedTable) embed(eng *engine.Engine, m *train.Model) (embeddings, error) {
	whole, err := m.EmbedFeatures(eng, o.table.Features)
	if err != nil {
		return embeddings{}, err
	}
	test, err := whole.Take(o.tests)
	if err != nil {
		return embeddings{}, err
	}
	views, err := m.EmbedFeatures(eng, o.rowViews)
	if err != nil {
		return embeddings{}, err
	}
	return o.embeddings(whole, whole, views, test)
}

// tableEncoder is the network of all runs on tables.
func tableEncoder() encoder.Encoder { return encoder.MLP{Hidden: []int{128, 64}, Dim: 64} }
