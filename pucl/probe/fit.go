package probe

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/sample"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
)

// Config configures the training of a probe. The zero value trains to convergence.
//
// With Epochs 0, L-BFGS minimizes the objective F, the loss over all rows plus the penalty, in float64. It stops when
// the gradient g by all parameters has ‖g‖² ≤ 2·λ·10⁻⁴·max(|F|, 0.001 nats), where λ is L2 or, if larger, 10⁻⁵.
//
// For the cross-entropy, which is convex, and L2 ≥ 10⁻⁵, F is then above its minimum by at most 10⁻⁴·max(F, 0.001
// nats), plus the possible gain from the bias. The bias has no penalty, so this second part has no general bound. In
// the tests both parts together are below a thousandth of the minimum. The minimum is unique: it depends neither on
// Seed nor on Start. L2 corresponds to C = 1/(n·L2) of scikit-learn's LogisticRegression on standardized features of n
// rows.
//
// Other risks may be non-convex, and the non-negative risk has kinks. The rule then finds a stationary point, possibly
// not the lowest. For all risks training also stops if 50 iterations, or a restart at a kink, lower F by at most
// 10⁻⁶·max(|F|, 0.001 nats).
//
// Without a penalty, separable rows have no best classifier: F falls toward 0 as the weights grow, and the rule ends
// training at a small gradient. A loss that is not finite is an error. So are 10,000 iterations without an end.
type Config struct {
	Epochs       int     // passes over the rows by Adam; 0 means L-BFGS, to convergence
	BatchSize    int     // rows per step of Adam, at most all; 0 means 1024; must be 0 without Epochs
	LearningRate float64 // of Adam, with cosine decay to 0; 0 means 0.05; must be 0 without Epochs
	L2           float64 // coefficient of ‖w‖²/2, for standardized features; 0 means 1e-4, negative means none
	Seed         uint64  // seed of the order of the rows with Epochs

	// Start is the initial probe, which stays unchanged; nil means zeros.
	Start *Probe
}

func (c Config) withDefaults() Config {
	if c.Epochs != 0 {
		c.BatchSize, c.LearningRate = cmp.Or(c.BatchSize, 1024), cmp.Or(c.LearningRate, 0.05)
	}
	c.L2 = max(cmp.Or(c.L2, 1e-4), 0)
	return c
}

// Check returns an error if c is invalid for all rows.
func (c Config) Check() error {
	c = c.withDefaults()
	if c.Start == nil {
		return c.check(2, 0, 0)
	}
	outputs, k, err := c.Start.Shape()
	return cmp.Or(err, c.check(2, k, outputs))
}

// check returns an error if c, with defaults set, does not fit n rows of k entries and the given number of outputs.
func (c Config) check(n, k, outputs int) error {
	err := cmp.Or(
		fault.If(n < 2, "probe: %d rows; a probe needs at least 2", n),
		fault.If(c.Epochs == 0 && (c.BatchSize != 0 || c.LearningRate != 0),
			"probe: batches of %d rows and learning rate %g without Epochs; both are of Adam: set Epochs too, or neither",
			c.BatchSize, c.LearningRate),
		fault.If(c.Epochs < 0 || c.Epochs > 0 && c.BatchSize < 1,
			"probe: %d epochs, %d rows a batch; there must be 1 or more of both, or 0 for the defaults",
			c.Epochs, c.BatchSize),
		fault.If(c.Epochs > 0 && !(c.LearningRate > 0) || math.IsInf(c.LearningRate, 1) ||
			math.IsNaN(c.L2) || math.IsInf(c.L2, 1),
			"probe: learning rate %g and L2 %g; the rate must be positive, and both finite", c.LearningRate, c.L2),
	)
	if err != nil || c.Start == nil {
		return err
	}
	if err := c.Start.Check(); err != nil {
		return fmt.Errorf("%w: Start", err)
	}
	has, entries := c.Start.Weights.Dims()
	return fault.If(has != outputs || entries != k, "probe: Start has %d outputs for rows of %d entries, but %d outputs "+
		"for rows of %d are trained; Classes and Binary turn 1 output into 2 and back", has, entries, outputs, k)
}

// Fit trains a linear classifier on the rows of x [n, k] with their labels [n], classes from 0 to classes−1, by
// minimizing the cross-entropy in nats. This is the linear probe of contrastive learning; it requires the true classes.
//
// Features are standardized for training and the standardization is folded into the weights, so a Probe takes unscaled
// rows. Every epoch of Adam uses the rows in a new random order and drops the last incomplete batch. An entry of x that
// is not finite is an error.
func Fit(eng *engine.Engine, x *mat.Dense, labels []int, classes int, config Config) (*Probe, error) {
	if classes < 2 {
		return nil, fmt.Errorf("probe: %d classes; Fit takes 2 or more", classes)
	}
	if err := rows.CheckClasses(classes, labels, "row"); err != nil {
		return nil, err
	}
	t := training{config: config.withDefaults(), outputs: classes, labels: sample.Classes(labels)}
	if err := t.prepare(eng, x, len(labels)); err != nil {
		return nil, err
	}
	if t.config.Epochs == 0 {
		return t.converge(classLoss(labels, classes))
	}
	t.batches = sample.Shuffled(len(labels), t.size, rand.New(rand.NewPCG(config.Seed, 0xc1a55)))
	return t.run(classStep(eng))
}

var errNoRisk = errors.New("probe: no risk to minimize; risk.CrossEntropy on pseudo-labels, or risk.NNPU on labeled positives, is one")

// FitPU trains a linear classifier with one output on the rows of x [n, k] by minimizing the risk r with labels [n].
// [risk.CrossEntropy] on pseudo-labels is Algorithm 1C; [risk.NNPU] on "is a labeled positive" is the baseline.
//
// Features are standardized as in [Fit]. Without Epochs r is computed over all rows, with logits in Float64. Every
// batch of Adam, of 2 rows or more, holds the overall share of true labels, rounded, and at least one; if the share is
// below one per batch, labeled positives are over-weighted. Labels of one kind alone are an error. For identical rows,
// as after collapse, the classifier is constant; [Probe.Score] reports that.
func FitPU(eng *engine.Engine, x *mat.Dense, labels []bool, r risk.Risk, config Config) (*Probe, error) {
	if r == nil {
		return nil, errNoRisk
	}
	t := training{config: config.withDefaults(), outputs: 1, labels: sample.Labels(labels)}
	if err := t.prepare(eng, x, len(labels)); err != nil {
		return nil, err
	}
	if err := rows.CheckBoth(labels); err != nil {
		return nil, err
	}
	if t.config.Epochs == 0 {
		loss, free, err := riskLoss(eng, r, labels)
		if err != nil {
			return nil, err
		}
		p, err := t.converge(loss)
		return p, errors.Join(err, free())
	}
	t.batches = sample.Stratified(labels, t.size, rand.New(rand.NewPCG(config.Seed, 0x9b0be)))
	exec, err := NewExec(eng.Backend, stepGraph(func(logits, labels *Node) *Node { return minimized(r, Squeeze(logits, -1), labels) }))
	if err == nil {
		defer exec.Finalize()
	}
	return t.run(exec, err)
}

// riskLoss returns the loss of a risk and labels, and a function that frees its engine memory.
func riskLoss(eng *engine.Engine, r risk.Risk, labels []bool) (loss lossOf, release func() error, err error) {
	exec, err := NewExec(eng.Backend, riskAndSlopes(r))
	if err != nil {
		return nil, nil, fmt.Errorf("probe: building the risk: %w", err)
	}
	all := tensors.FromFlatDataAndDimensions(labels, len(labels))
	loss = func(slopes, logits []float64) (float64, error) {
		input := tensors.FromFlatDataAndDimensions(logits, len(logits))
		out, err := exec.Call(input, all)
		if err != nil {
			return 0, errors.Join(engine.RootCause(err), input.FinalizeAll())
		}
		value := tensors.ToScalar[float64](out[0])
		err = tensors.ConstFlatData(out[1], func(flat []float64) { copy(slopes, flat) })
		return value, errors.Join(err, free(append(out, input)))
	}
	return loss, func() error { exec.Finalize(); return all.FinalizeAll() }, nil
}

// riskAndSlopes returns the graph of a risk and its derivatives by the logits.
func riskAndSlopes(r risk.Risk) func(logits, labels *Node) (*Node, *Node) {
	return func(logits, labels *Node) (*Node, *Node) {
		loss := minimized(r, logits, labels)
		return loss, Gradient(loss, logits)[0]
	}
}

// minimized returns the value of the risk, and panics unless it is a scalar.
func minimized(r risk.Risk, logits, labels *Node) *Node {
	defer fault.Annotate(r, "the risk")
	loss := r(logits, labels)
	fault.PanicIf(loss == nil, "it returns nil; a risk is a scalar, such as ReduceAllMean of the losses")
	fault.PanicIf(!loss.IsScalar(), "it gives %s; a risk is a scalar, such as ReduceAllMean of the losses", loss.Shape())
	return loss
}

// CheckRisk returns an error if the risk cannot be minimized for any examples, for example with a class prior of 2. It
// computes the risk and its gradient for one positive and one unlabeled example, in Float32 and in Float64, before any
// training.
func CheckRisk(eng *engine.Engine, r risk.Risk) error {
	if r == nil {
		return errNoRisk
	}
	if err := eng.Check(); err != nil {
		return err
	}
	for _, logits := range []any{[]float32{0.5, -0.5}, []float64{0.5, -0.5}} {
		if _, err := ExecOnceN(eng.Backend, riskAndSlopes(r), logits, []bool{true, false}); err != nil {
			return fmt.Errorf("probe: %w", engine.RootCause(err))
		}
	}
	return nil
}

// classSteps caches compiled steps by backend, because compilation dominates a short training.
var classSteps sync.Map // from compute.Backend to *Exec

// classStep returns the step of a probe for classes; one program serves all fits of the same shapes, also concurrent
// ones.
func classStep(eng *engine.Engine) (*Exec, error) {
	if exec, ok := classSteps.Load(eng.Backend); ok {
		return exec.(*Exec), nil
	}
	exec, err := NewExec(eng.Backend, stepGraph(CrossEntropy))
	if err != nil {
		return nil, err
	}
	kept, _ := classSteps.LoadOrStore(eng.Backend, exec.SetMaxCache(-1))
	return kept.(*Exec), nil
}

// CrossEntropy returns the mean cross-entropy, in nats, of logits [n, classes] with the true classes [n]; a scalar.
func CrossEntropy(logits, classes *Node) *Node {
	right := OneHot(classes, logits.Shape().Dim(-1), logits.DType())
	return Neg(ReduceAllMean(ReduceSum(Mul(LogSoftmax(logits, -1), right), -1)))
}
