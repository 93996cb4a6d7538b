package train

import (
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/rows"
)

// reader takes the readings of a [Monitor].
type reader struct {
	Monitor
	model         *Model
	examples      *monitored
	exec          *model.Exec
	bank, queries []int // of the examples, for the monitor; empty where it has too few of one kind
}

// newReader prepares the readings of a run; it returns nil where none are wanted.
func (m *Model) newReader(eng *engine.Engine, c Config, from source) (*reader, error) {
	if c.Monitor.Every == 0 {
		return nil, nil
	}
	examples, views, err := from.monitored(c.Monitor)
	if err != nil {
		return nil, err
	}
	r := &reader{Monitor: c.Monitor, model: m, examples: examples}
	r.split(rand.New(rand.NewPCG(c.Seed, monitorStream)))
	if k := r.KNN.K; len(r.bank) > 0 && k > len(r.bank) {
		return nil, fmt.Errorf("train: Monitor.KNN has K = %d, but of %d examples only the %d of the bank can be neighbors; give a smaller K or more Examples",
			k, len(examples.labeled), len(r.bank))
	} else if k == 0 {
		r.KNN.K = max(1, len(r.bank)/10)
	}
	r.exec, err = model.NewExec(eng.Backend, m.store, func(scope *model.Scope, inputs []*Node) []*Node {
		// One pass for all: without batch statistics no row depends on another.
		h, z := m.graph(scope, Concatenate(views(inputs), 0), false)
		return []*Node{h, z}
	})
	if err != nil {
		return nil, fmt.Errorf("train: building the readings: %w", engine.RootCause(err))
	}
	return r, nil
}

// split draws which examples are the monitor's bank and which it is asked about: half of the labeled and half of the others
// each.
func (r *reader) split(rng *rand.Rand) {
	kinds := map[bool][]int{}
	for i, l := range r.examples.labeled {
		kinds[l] = append(kinds[l], i)
	}
	if len(kinds[true]) < 2 || len(kinds[false]) < 2 {
		return
	}
	for _, labeled := range []bool{true, false} {
		rows := kinds[labeled]
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		r.bank = append(r.bank, rows[:len(rows)/2]...)
		r.queries = append(r.queries, rows[len(rows)/2:]...)
	}
}

// afterStep returns what reads where a reading is due, in a run of so many steps.
func (r *reader) afterStep(steps int) func(done int) (*Reading, error) {
	if r == nil {
		return nil
	}
	return func(done int) (*Reading, error) {
		if !r.due(done, steps) {
			return nil, nil
		}
		return r.read(done)
	}
}

// read measures the model as it is after step steps.
func (r *reader) read(step int) (*Reading, error) {
	h, z, err := r.embed()
	if err != nil {
		return nil, err
	}
	reading := &Reading{Step: step}
	// The last two are two views; features that were given are one.
	last := len(h) - 1
	views := func(x []*mat.Dense) (first, second *mat.Dense) {
		if last == 0 {
			return x[0], nil
		}
		return x[last-1], x[last]
	}
	if reading.Projections, err = evaluate.Diagnose(views(z)); err != nil {
		return nil, err
	}
	if reading.Embeddings, err = evaluate.Diagnose(views(h)); err != nil {
		return nil, err
	}
	return reading, r.findNeighbors(reading, h[0])
}

// findNeighbors judges the embeddings by their nearest neighbors.
func (r *reader) findNeighbors(reading *Reading, h *mat.Dense) error {
	if len(r.bank) == 0 {
		return nil
	}
	known, err := rows.Take(h, r.bank)
	if err != nil {
		return err
	}
	asked, err := rows.Take(h, r.queries)
	if err != nil {
		return err
	}
	bank, err := evaluate.LabeledPositives(known, rows.Pick(r.examples.labeled, r.bank))
	if err != nil {
		return err
	}
	pu, err := r.KNN.ReadPU(bank, asked, rows.Pick(r.examples.labeled, r.queries), evaluate.ScoreConfig{Prior: r.Prior})
	if err != nil {
		return err
	}
	reading.Monitor = &pu
	if r.Positive == nil {
		return nil
	}
	if bank, err = evaluate.SupervisedBinary(known, rows.Pick(r.Positive, r.bank)); err != nil {
		return err
	}
	truth, err := r.KNN.ReadBinary(bank, asked, rows.Pick(r.Positive, r.queries), 0.5)
	reading.Truth = &truth
	return err
}

// embed returns the embeddings and projections of the examples as they are and of their views.
func (r *reader) embed() (h, z []*mat.Dense, err error) {
	n, each := len(r.examples.labeled), r.examples.each
	for p, inputs := range r.examples.parts {
		out, err := r.exec.Call(inputs...)
		if err != nil {
			return nil, nil, fmt.Errorf("train: embedding the examples to monitor: %w", engine.RootCause(err))
		}
		rows := min(each, n-p*each)
		for i, to := range []*[]*mat.Dense{&h, &z} {
			shape := out[i].Shape()
			if *to == nil {
				for range shape.Dim(0) / each {
					*to = append(*to, mat.NewDense(n, shape.Dim(1), nil))
				}
			}
			all := mat.NewDense(shape.Dim(0), shape.Dim(1), nil)
			if err := copyRows(all, out[i], 0, shape.Dim(0)); err != nil {
				return nil, nil, err
			}
			for view, x := range *to {
				for row := range rows {
					x.SetRow(p*each+row, all.RawRowView(view*each+row))
				}
			}
		}
	}
	return h, z, nil
}

func (r *reader) finalize() {
	if r != nil {
		r.exec.Finalize()
	}
}
