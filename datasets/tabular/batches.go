package tabular

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// Batches provides two random views of the rows of each training step: a [datasets.Schedule] and the features of its
// examples. It has no state: any step can be requested at any time, also concurrently.
type Batches struct {
	*datasets.Schedule
	split      *datasets.Split
	features   *mat.Dense
	corruption *Corruption
	seed       uint64
}

// NewBatches returns the batches of the rows of table that split lists; split is made of the table's own classes:
//
//	split, err := datasets.NewSplit(table.Labels, table.Classes, datasets.SplitConfig{Positive: []int{1}, Labeled: 50})
//
// Views are made by corruption; nil means [NewCorruption] with its default rate, drawn from all rows of the split, each
// row once. The table is not copied: do not change it while the batches are in use.
//
// Values are returned in float32, and networks square them. It is an error if a feature has values beyond ±10¹⁵, or if
// its values differ but by less than 10⁻¹⁵: scale such features to size 1 by [Table.Standardize]. Other errors are an
// invalid table, a table without exactly one row per class of split, a corruption with rows of another length, and
// those of datasets.NewSchedule.
func NewBatches(table *Table, split *datasets.Split, corruption *Corruption, cfg datasets.BatchConfig) (*Batches, error) {
	if err := table.Validate(); err != nil {
		return nil, err
	}
	schedule, err := datasets.NewSchedule(split, cfg)
	if err := cmp.Or(fitFloat32(table.Features), err); err != nil {
		return nil, err
	}
	if err := split.Fits(table.Len()); err != nil {
		return nil, err
	}
	_, columns := table.Features.Dims()
	if corruption == nil {
		rows := slices.Compact(slices.Sorted(slices.Values(split.Index)))
		if corruption, err = NewCorruption(gather(table.Features, rows), 0); err != nil {
			return nil, err
		}
	}
	if corruption.empty() {
		return nil, errEmptyCorruption
	}
	_, features := corruption.from.Dims()
	err = fault.If(features != columns, "tabular: a corruption with values of %d features for a table of %d", features, columns)
	if err := cmp.Or(err, fitFloat32(corruption.from)); err != nil {
		return nil, err
	}
	return &Batches{Schedule: schedule, split: split, features: table.Features, corruption: corruption, seed: cfg.Seed}, nil
}

// fitFloat32 returns an error if the values of a column of x are too large for squares and products in float32, or
// differ by so little that these are 0.
func fitFloat32(x *mat.Dense) error {
	const remedy = "; training takes numbers of 32 bits: bring the features to size 1 with Table.Standardize"
	if i, j, found := firstBeyond(x, 1e15); found {
		return fmt.Errorf("tabular: feature %d of row %d is %g"+remedy, j, i, x.At(i, j))
	}
	rows, columns := x.Dims()
	low, high := mat.Row(nil, 0, x), mat.Row(nil, 0, x)
	for i := range rows {
		for j, v := range x.RawRowView(i) {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	for j := range columns {
		if spread := high[j] - low[j]; spread > 0 && spread < 1e-15 {
			return fmt.Errorf("tabular: the values of feature %d differ by %g at most"+remedy, j, spread)
		}
	}
	return nil
}

// gather returns copies of rows of x.
func gather(x *mat.Dense, rows []int) *mat.Dense {
	_, columns := x.Dims()
	out := mat.NewDense(len(rows), columns, nil)
	for i, row := range rows {
		out.SetRow(i, x.RawRowView(row))
	}
	return out
}

// Features returns the number of features in a row.
func (b *Batches) Features() int {
	_, columns := b.features.Dims()
	return columns
}

// String describes the data, the batches and the views for the record of a result.
func (b *Batches) String() string { return fmt.Sprintf("%s; views: %s", b.Schedule, b.corruption) }

// viewStream separates the random stream of views from other streams of the same seed.
const viewStream = 0x7669657773 // "views" in ASCII

// Batch returns two views of each row of a step's batch, 2·Size rows of Features numbers: a view of each in the order
// of Rows, then a second view of each in the same order. It also returns the mask [Size] of labeled rows. Both views
// are corrupted, independently of each other. The result depends only on the table, the configuration and the step, on
// every platform. The caller may modify both slices.
func (b *Batches) Batch(step int) (views []float32, labeled []bool) {
	examples := b.Rows(step)
	rows := make([]int, len(examples))
	labeled = make([]bool, len(examples))
	for i, example := range examples {
		rows[i], labeled[i] = b.split.Index[example], b.split.Labeled[example]
	}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], b.seed)
	binary.LittleEndian.PutUint64(key[8:], viewStream)
	binary.LittleEndian.PutUint64(key[16:], uint64(step))
	first, second, err := b.corruption.Views(gather(b.features, rows), rand.New(rand.NewChaCha8(key)))
	if err != nil {
		panic(errors.Join(errors.New("tabular: NewBatches let through what cannot be corrupted"), err))
	}
	views = make([]float32, 0, 2*len(rows)*b.Features())
	for _, view := range []*mat.Dense{first, second} {
		for i := range rows {
			for _, v := range view.RawRowView(i) {
				views = append(views, float32(v))
			}
		}
	}
	return views, labeled
}
