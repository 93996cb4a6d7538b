package theory

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Meter measures an objective on populations by running the objective's own graph on many batches at a time, in
// float64. It compiles a graph once for each number of examples and coordinates, so a table over class priors or label
// rates needs one compilation.
type Meter struct {
	// MaxBatches is the largest number of batches of up to six examples that [Meter.Exact], [Meter.Gradient] and
	// [Meter.GradientCovariance] enumerate; 0 means [DefaultMaxBatches]. For larger batches the limit is 36/b² of it,
	// since the work grows with the square of b.
	MaxBatches int

	// Chunk is the number of batches that run through a graph together; 0 means enough to keep an engine busy, up to
	// 1024. A short enumeration, which is padded to a whole chunk, is quicker with a smaller chunk.
	Chunk int

	// Progress, if not nil, is called by these and by [Meter.MonteCarlo] with the number of batches done and in total.
	// The calls are with done = 0 before the first one, then at least every 1024, and with done = total at the end.
	Progress func(done, total float64)

	objective pucl.Objective
	tau       float64
	eng       *engine.Engine
	scores    int   // number of values with one number per batch; they come first
	values    *Exec // embeddings [c, 2b, d], labels and classes [c, b] → attraction, log partition and loss, each [c]
	gradients *Exec // the same → the gradient of each batch's loss [c, 2b, d]

	symmetries map[string]Symmetry // found by trial, by numbers of examples and points
}

// DefaultMaxBatches is the largest enumeration by default: on two CPU cores some fifteen seconds with XLA and three
// minutes with the pure-Go engine.
const DefaultMaxBatches = 8_000_000

// NewMeter returns a meter of objective at temperature tau, which must be positive; the paper uses 0.5. Close it after
// use. It compiles graphs on demand.
func NewMeter(eng *engine.Engine, objective pucl.Objective, tau float64) (meter *Meter, err error) {
	defer must.Catch(&err)
	must.Do(checkMeasurable(eng, objective, tau))
	m := &Meter{objective: objective, tau: tau, eng: eng, scores: len(quantities)}
	m.values = must.Get(NewExec(eng.Backend, func(z, labeled, class *Node) (attraction, partition, loss *Node) {
		views := pucl.Views{Z: z, Labeled: labeled, Class: class}
		block := views.Block(tau)
		attract, repel := objective.Terms(block)
		return ReduceMean(attract, -1), ReduceMean(repel, -1), objective.Loss(views, tau)
	}))
	m.gradients = must.Get(NewExec(eng.Backend, func(z, labeled, class *Node) *Node {
		defer fault.Annotate(nil, "theory: the gradient of objective %q", objective.Name)
		// Batches are independent, so the gradient of the sum holds the gradient of each.
		return Gradient(ReduceAllSum(objective.Loss(pucl.Views{Z: z, Labeled: labeled, Class: class}, tau)), z)[0]
	}))
	m.values.SetMaxCache(-1)
	m.gradients.SetMaxCache(-1)
	return m, nil
}

// NewMeters returns a meter of each of the objectives, for comparisons at one temperature.
func NewMeters(eng *engine.Engine, tau float64, objectives ...pucl.Objective) ([]*Meter, error) {
	meters := make([]*Meter, len(objectives))
	for i, o := range objectives {
		m, err := NewMeter(eng, o, tau)
		if err != nil {
			for _, open := range meters[:i] {
				open.Close()
			}
			return nil, err
		}
		meters[i] = m
	}
	return meters, nil
}

// checkMeasurable returns an error if there is no engine, a term of the objective is missing or the temperature is wrong.
func checkMeasurable(eng *engine.Engine, objective pucl.Objective, tau float64) error {
	if eng == nil || eng.Backend == nil {
		return errors.New("theory: no engine; open one with engine.Open")
	}
	if objective.Attract == nil || objective.Repel == nil {
		return fmt.Errorf("theory: objective %q lacks a term; it needs both Attract and Repel", objective.Name)
	}
	return checkTau(tau)
}

// Close frees the compiled graphs.
func (m *Meter) Close() {
	m.values.Finalize()
	m.gradients.Finalize()
}

// batch is one multi-viewed batch: the numbers of the points of its 2b rows, and the classes of its b examples, the
// labeled ones first.
type batch struct {
	rows    []int
	classes []int32
}

func newBatch(d Design) batch { return batch{make([]int, d.Rows()), make([]int32, d.Examples())} }

func (b batch) clone() batch { return batch{slices.Clone(b.rows), slices.Clone(b.classes)} }

// set sets example i to o.
func (b batch) set(i int, o outcome) {
	b.rows[i], b.rows[len(b.classes)+i], b.classes[i] = o.first, o.second, o.class
}

// chunk is a number of consecutive batches that run through a graph together.
type chunk struct {
	batch
	weights []float64 // per batch
}

// chunkSize returns the number of batches of n rows in a chunk: enough to keep an engine busy, few enough to stay in
// its caches.
func (m *Meter) chunkSize(n int) int {
	return min(max((1<<20)/(n*n), 1), cmp.Or(max(m.Chunk, 0), 1024))
}

// lastSize returns the padded size of a chunk of count batches; size is that of a whole chunk. The pure-Go engine
// compiles a graph in less time than it runs a whole chunk, so it uses the least of size, size/4, size/16 … that is at
// least count.
func (m *Meter) lastSize(count, size int) int {
	for m.eng.Kind == "go" && count <= size/4 {
		size /= 4
	}
	return size
}

// run runs weighted batches through exec, a graph of m, and calls visit with each chunk and the graph's outputs, flat.
// All chunks except the last have the same shape, so that one graph suffices. The last is padded to lastSize with its
// first batch; visit must ignore the padding (the length of weights is the number of real batches). It ends the
// measurement if the graph cannot be run.
func (m *Meter) run(exec *Exec, d Design, points [][]float64, batches iter.Seq2[batch, float64],
	visit func(c chunk, out [][]float64)) {
	n, b, dim := d.Rows(), d.Examples(), len(points[0])
	size := m.chunkSize(n)
	marks := lists.Make(size*b, func(i int) bool { return i%b < d.Labeled })

	var c chunk
	buffer := make([]float64, size*n*dim)
	flush := func() {
		size := m.lastSize(len(c.weights), size)
		missing := size - len(c.weights)
		z := buffer[:size*n*dim]
		labeled := tensors.FromFlatDataAndDimensions(marks[:size*b], size, b)
		defer labeled.MustFinalizeAll()
		rows := slices.Concat(c.rows, slices.Repeat(c.rows[:n], missing))
		classes := slices.Concat(c.classes, slices.Repeat(c.classes[:b], missing))
		for i, point := range rows {
			copy(z[i*dim:(i+1)*dim], points[point])
		}
		in, known := tensors.FromFlatDataAndDimensions(z, size, n, dim), tensors.FromFlatDataAndDimensions(classes, size, b)
		defer in.MustFinalizeAll()
		defer known.MustFinalizeAll()
		results, err := exec.Call(in, labeled, known)
		must.Wrap(engine.RootCause(err), "theory: scoring %d batches of %d rows", size, n)
		visit(c, lists.Map(results, flatten))
		c.rows, c.classes, c.weights = c.rows[:0], c.classes[:0], c.weights[:0]
	}
	for next, weight := range batches {
		c.rows, c.classes, c.weights = append(c.rows, next.rows...), append(c.classes, next.classes...), append(c.weights, weight)
		if len(c.weights) == size {
			flush()
		}
	}
	if len(c.weights) > 0 {
		flush()
	}
}

// flatten returns the numbers of a graph's output and frees its memory.
func flatten(output *tensors.Tensor) []float64 {
	flat, err := tensors.CopyFlatData[float64](output)
	must.Wrap(errors.Join(err, output.FinalizeAll()), "theory: reading results")
	return flat
}

// quantities names the results of the values graph, in order.
var quantities = [3]string{"attraction", "log partition", "loss"}

// score runs the values graph. If finite is set, scores that are not finite end the measurement.
func (m *Meter) score(d Design, points [][]float64, batches iter.Seq2[batch, float64], finite bool,
	visit func(weights []float64, values [][]float64)) {
	m.run(m.values, d, points, batches, func(c chunk, out [][]float64) {
		out = out[:m.scores]
		for i, values := range out {
			out[i] = values[:len(c.weights)]
			for k, value := range out[i] {
				if finite && !isFinite(value) {
					must.Fail("theory: the %s of objective %q is %g for the batch %s", quantities[i], m.objective.Name, value, c.describe(k, d, points))
				}
			}
		}
		visit(c.weights, out)
	})
}

// describe describes one batch of the chunk for an error message.
func (c chunk) describe(k int, d Design, points [][]float64) string {
	n, b := d.Rows(), d.Examples()
	shown := lists.Map(c.rows[k*n:(k+1)*n], func(point int) []float64 { return points[point] })
	return fmt.Sprintf("whose rows show the points %v, of examples with classes %v of which the first %d are labeled",
		shown, c.classes[k*b:(k+1)*b], d.Labeled)
}

// blame returns the first part of an objective that is not finite on one batch of the chunk, "" if that cannot be
// determined.
func (c chunk) blame(eng *engine.Engine, o pucl.Objective, tau float64, k int, d Design, points [][]float64) string {
	n, b := d.Rows(), d.Examples()
	z := lists.Map(c.rows[k*n:(k+1)*n], func(point int) []float64 { return points[point] })
	labeled := lists.Make(b, func(i int) bool { return i < d.Labeled })
	part, err := o.NotFinite(eng, z, labeled, c.classes[k*b:(k+1)*b], tau)
	if err != nil || part == "" { // the error is reported anyway, less precisely
		return ""
	}
	return "; " + part
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// reporter reports the total number of batches to m.Progress, and returns a function that reports further completed
// batches.
func (m *Meter) reporter(total float64) func(batches int) {
	if m.Progress == nil {
		return func(int) {}
	}
	done := 0.0
	m.Progress(done, total)
	return func(batches int) {
		done += float64(batches)
		m.Progress(done, total)
	}
}
