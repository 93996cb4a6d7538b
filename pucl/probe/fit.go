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

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/sample"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
)

// Config says how to train a probe. The zero value works.
type Config struct {
	Epochs       int     // passes over the rows; 0 means 10
	BatchSize    int     // rows a step, at most all there are; 0 means 1024
	LearningRate float64 // of Adam, falling to 0 as a half cosine; 0 means 0.05
	L2           float64 // times ‖w‖²/2 is added to the loss, for standardized features; 0 means 1e-4, negative means none
	Seed         uint64  // of the order of the rows

	// Start is the probe at which training starts, and stays as it is; nil means at zeros.
	Start *Probe
}

func (c Config) withDefaults() Config {
	c.Epochs, c.BatchSize = cmp.Or(c.Epochs, 10), cmp.Or(c.BatchSize, 1024)
	c.LearningRate, c.L2 = cmp.Or(c.LearningRate, 0.05), max(cmp.Or(c.L2, 1e-4), 0)
	return c
}

// Check returns an error if c cannot be followed, whatever the rows.
func (c Config) Check() error {
	c = c.withDefaults()
	if c.Start == nil {
		return c.check(2, 0, 0)
	}
	outputs, k, err := c.Start.Shape()
	return cmp.Or(err, c.check(2, k, outputs))
}

// check returns an error if c, defaults filled in, does not fit n rows of k entries and a probe of so many outputs.
func (c Config) check(n, k, outputs int) error {
	err := cmp.Or(
		fault.If(n < 2 || c.Epochs < 0 || c.BatchSize < 1, "probe: %d rows, %d a batch, %d epochs; a probe needs at least 2 rows, 1 row a batch "+
			"and no negative number of epochs", n, c.BatchSize, c.Epochs),
		fault.If(!(c.LearningRate > 0) || math.IsInf(c.LearningRate, 1) || math.IsNaN(c.L2) || math.IsInf(c.L2, 1),
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

// Fit trains a linear classifier on the rows of x [n, k] with their labels [n], classes from 0 to classes−1, by minimizing
// the cross-entropy in nats: the linear probe of contrastive learning, which needs to know the classes.
//
// Features are standardized for training and the result is folded back, so a Probe takes the rows as they are. Every epoch
// goes through the rows in a new random order; those that fill no batch are left out. An entry of x that is not finite is an
// error.
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
	t.batches = sample.Shuffled(len(labels), t.size, rand.New(rand.NewPCG(config.Seed, 0xc1a55)))
	return t.run(classStep(eng))
}

var errNoRisk = errors.New("probe: no risk to minimize; risk.CrossEntropy on pseudo-labels, or risk.NNPU on labeled positives, is one")

// FitPU trains a linear classifier with one output on the rows of x [n, k] by minimizing the risk r, with labels [n] as r reads
// them: [risk.CrossEntropy] on pseudo-labels is Algorithm 1C, [risk.NNPU] on "is a labeled positive" the baseline.
//
// Features are standardized as in [Fit]. Every batch of 2 rows or more holds the same share of true labels as the whole,
// rounded, and one at least, so that the labeled positives are never missing: where they are fewer than one in a batch they count for more.
// Labels of one kind alone are an error. Of rows that are all the same, as those of an embedding that has collapsed, the classifier is a
// constant, which [Probe.Score] tells.
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
	t.batches = sample.Stratified(labels, t.size, rand.New(rand.NewPCG(config.Seed, 0x9b0be)))
	exec, err := NewExec(eng.Backend, stepGraph(func(logits, labels *Node) *Node { return minimized(r, Squeeze(logits, -1), labels) }))
	if err == nil {
		defer exec.Finalize()
	}
	return t.run(exec, err)
}

// minimized returns what the risk gives, and panics where that is no scalar.
func minimized(r risk.Risk, logits, labels *Node) *Node {
	defer fault.Annotate(r, "the risk")
	loss := r(logits, labels)
	fault.PanicIf(loss == nil, "it returns nil; a risk is a scalar, such as ReduceAllMean of the losses")
	fault.PanicIf(!loss.IsScalar(), "it gives %s; a risk is a scalar, such as ReduceAllMean of the losses", loss.Shape())
	return loss
}

// CheckRisk returns an error if the risk cannot be minimized, whatever the examples, such as one with a class prior of 2. It has the risk
// and its gradient computed for one positive and one unlabeled example, so that a mistake shows before anything is trained.
func CheckRisk(eng *engine.Engine, r risk.Risk) error {
	if r == nil {
		return errNoRisk
	}
	if err := eng.Check(); err != nil {
		return err
	}
	_, err := ExecOnce(eng.Backend, func(logits, labels *Node) *Node { return Gradient(minimized(r, logits, labels), logits)[0] },
		[]float32{0.5, -0.5}, []bool{true, false})
	if err != nil {
		return fmt.Errorf("probe: %w", engine.RootCause(err))
	}
	return nil
}

// classSteps holds for each backend the steps that were compiled for it, which is what takes longest in a short training.
var classSteps sync.Map // from compute.Backend to *Exec

// classStep returns the step of a probe for classes; one program serves all fits of the same shapes, several at a time.
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

// CrossEntropy returns the mean cross-entropy, in nats, of logits [n, classes] with the classes [n] that are right; a scalar.
func CrossEntropy(logits, classes *Node) *Node {
	right := OneHot(classes, logits.Shape().Dim(-1), logits.DType())
	return Neg(ReduceAllMean(ReduceSum(Mul(LogSoftmax(logits, -1), right), -1)))
}
