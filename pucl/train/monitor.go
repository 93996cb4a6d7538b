package train

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/rows"
)

// Monitor configures measurements during training: a [Reading] of the same examples at a fixed interval. Training gives
// the same numbers with and without. The zero value measures nothing.
//
// The examples are the first different ones of the batches, unless given. A nearest-neighbor monitor looks up the
// neighbors of half of them among the other half. It uses only the labeled positives; true classes are used only if
// Positive is set. All of a sample from the batches are training examples; to monitor held-out examples, pass them
// here.
type Monitor struct {
	Every    int          // steps between two readings; the last step has one too; 0 means no readings
	Examples int          // number of examples to take from the batches; 0 means 512
	KNN      evaluate.KNN // of the monitor; K 0 means a tenth of its bank
	Prior    float64      // class prior π of case-control data, for measures that require it; 0 means unknown

	Pixels   []uint8    // images to measure instead of a sample of the batches, height×width×channels bytes each
	Features *mat.Dense // the same for PretrainFeatures, a row each; they are one view, so their alignment is not defined
	Labeled  []bool     // which given examples are labeled positives
	Positive []bool     // which are truly positive; nil if unknown
}

// Reading holds the measurements of a [Monitor] after some steps. The loss compares the projections; the embeddings are
// used after training.
type Reading struct {
	Step        int               // steps done
	Projections evaluate.Collapse // of two views of every example
	Embeddings  evaluate.Collapse // of the same views

	// Monitor is the nearest-neighbor reading without true classes; nil unless the examples hold at least two labeled
	// and two unlabeled ones.
	Monitor *evaluate.PUReading
	// Truth is the nearest-neighbor reading with the given true classes; nil if none were given.
	Truth *evaluate.BinaryReading
}

// String returns all measurements, a line each, and a warning if the network has collapsed.
func (r Reading) String() string {
	text := fmt.Sprintf("after %d steps\n  projections: %s\n  embeddings: %s", r.Step, r.Projections, r.Embeddings)
	if r.Monitor != nil {
		text += "\n  " + r.Monitor.String()
	}
	if r.Truth != nil {
		text += "\n  " + r.Truth.String()
	}
	return text
}

// Brief returns a summary for a line of progress: "rank 23.1, kNN proxy AUC 81.2%".
func (r Reading) Brief() string {
	text := fmt.Sprintf("rank %.1f", r.Projections.EffectiveRank)
	if r.Projections.Collapsed() {
		text = "COLLAPSED, " + text
	}
	if r.Monitor != nil {
		text += fmt.Sprintf(", kNN proxy AUC %.1f%%", 100*r.Monitor.ProxyAUC)
	}
	if r.Truth != nil {
		text += fmt.Sprintf(", kNN by true classes %.1f%%", 100*r.Truth.Accuracy())
	}
	return text
}

// check returns an error if m is invalid.
func (m Monitor) check() error {
	given := m.Pixels != nil || m.Features != nil
	switch {
	case m.Every < 0:
		return fmt.Errorf("train: Monitor.Every is %d; it counts steps: give a positive number, or 0 for no readings", m.Every)
	case m.Examples < 0 || m.Examples == 1:
		return fmt.Errorf("train: Monitor.Examples is %d; one example alone has no spread: give 2 or more, or 0 for 512", m.Examples)
	case !(m.Prior >= 0 && m.Prior < 1):
		return fmt.Errorf("train: Monitor.Prior is %g; a class prior lies above 0 and below 1, and 0 says that it is not known", m.Prior)
	case m.KNN.K < 0 || !(m.KNN.Temperature >= 0):
		return fmt.Errorf("train: Monitor.KNN has K = %d and Temperature = %g; both must be positive, or 0 for the default", m.KNN.K, m.KNN.Temperature)
	case !given && (m.Labeled != nil || m.Positive != nil):
		return errors.New("train: Monitor has Labeled or Positive, but neither Pixels nor Features that they could belong to; give all or none")
	case m.Positive != nil && len(m.Positive) != len(m.Labeled):
		return fmt.Errorf("train: Monitor has %d entries in Labeled and %d in Positive; there must be one of each for every example",
			len(m.Labeled), len(m.Positive))
	}
	return nil
}

// due reports whether a reading is taken after step steps of a run.
func (m Monitor) due(step, steps int) bool {
	return m.Every > 0 && (step%m.Every == 0 || step == steps)
}

// reader takes the readings of a [Monitor].
type reader struct {
	Monitor
	model         *Model
	examples      *monitored
	exec          *model.Exec
	bank, queries []int // indices of the examples, for the monitor; empty if one kind has too few
}

// newReader prepares the readings of a run; it returns nil if there are none.
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

// split draws the monitor's bank and its queries: each holds half of the labeled and half of the other examples.
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

// afterStep returns a function that takes a reading when it is due, in a run of the given number of steps.
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

// read measures the model after step steps.
func (r *reader) read(step int) (*Reading, error) {
	h, z, err := r.embed()
	if err != nil {
		return nil, err
	}
	reading := &Reading{Step: step}
	// The last two are two views; given features are one view.
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

// findNeighbors evaluates the embeddings by their nearest neighbors.
func (r *reader) findNeighbors(reading *Reading, h *mat.Dense) error {
	if len(r.bank) == 0 {
		return nil
	}
	known, err := rows.Take(h, r.bank)
	asked, failed := rows.Take(h, r.queries)
	if err = cmp.Or(err, failed); err != nil {
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

// embed returns the embeddings and projections of the examples without augmentation and of their views.
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
			for view := range shape.Dim(0) / each {
				if p == 0 {
					*to = append(*to, mat.NewDense(n, shape.Dim(1), nil))
				}
				if err := copyRows((*to)[view], p*each, out[i], view*each, rows); err != nil {
					return nil, nil, err
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
