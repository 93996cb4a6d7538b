package pucl

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// Objective is a contrastive loss: per anchor, repulsion minus attraction. The loss is the mean over the anchors, in
// nats; lower is better.
type Objective struct {
	Name    string // as the paper writes it, for tables and figures
	Attract Term
	Repel   Term

	// Direct, if not nil, computes repel − attract in one step, and the loss uses it. It is for objectives with a small
	// difference of large terms, where a subtraction would lose digits; Attract and Repel must agree with it.
	Direct Term

	// Whole, if not nil, is added to the loss: a part that is not a mean over anchors, such as [Uniformity]. It returns
	// one number for each batch, the shape of the leading axes of Views.Z.
	Whole func(v Views, tau float64) *Node

	// OfMasses, if not nil, returns the loss of an anchor from three nodes of one shape: the similarity s of its only
	// positive, the log of the sum of exp s over its negatives, and their number. The negatives are all others that
	// count. It is for objectives that depend on nothing else, and must agree with the terms. [Objective.InTurn] and
	// [Objective.SoftPairs] use it and then take far less time.
	OfMasses func(own, negatives, count *Node, tau float64) *Node
}

// Loss returns the loss of each batch of v: a scalar, or the shape of the leading axes if Z has some. Embeddings in
// half precision are scored in float32. The temperature tau must be positive; the paper uses 0.5. If an entry of the
// embeddings of a batch is infinite or NaN, its loss and its whole gradient are NaN, for any terms.
//
// Memory grows with the number of rows times [Views].BlockRows, not with its square. If a term uses all pairs and these
// are many, it gets the anchors in blocks, one after the other. The gradient of each block is computed together with
// its value. Value and gradient are the same to rounding.
func (o Objective) Loss(v Views, tau float64) *Node {
	batch := v.batch(tau)
	perAnchor := o.score(batch.whole())
	var loss *Node
	if batch.cut.again && seesAllPairs(perAnchor, batch) {
		loss = o.lossInBlocks(batch)
	} else {
		loss = ReduceMean(perAnchor, -1)
	}
	loss = o.addWhole(loss, v, tau)
	return Mul(loss, Reshape(batch.one, loss.Shape().Dimensions...))
}

// PerAnchor returns repel(i) − attract(i) for every row of v, shape [.., m·b], plus Whole if set, the same for all rows
// of a batch. The mean over the rows is the loss.
func (o Objective) PerAnchor(v Views, tau float64) *Node {
	batch := v.batch(tau)
	perAnchor := o.score(batch.whole())
	if o.Whole != nil {
		zero := Zeros(perAnchor.Graph(), leadingShape(perAnchor, 1))
		perAnchor = Add(perAnchor, ExpandAxes(o.addWhole(zero, v, tau), -1))
	}
	return Mul(perAnchor, Squeeze(batch.one, -1))
}

// score returns repel − attract of the anchors of a block, [.., r].
func (o Objective) score(b *Block) *Node {
	o.needTerms()
	if o.Direct != nil {
		return o.made("Direct", o.Direct, b)
	}
	return Sub(o.made("Repel", o.Repel, b), o.made("Attract", o.Attract, b))
}

// Terms returns the attraction and the repulsion of the anchors of a block, one number for each anchor, [.., r]. Like
// all graph builders it panics on errors, with the names of the objective and the term.
func (o Objective) Terms(b *Block) (attract, repel *Node) {
	o.needTerms()
	return o.made("Attract", o.Attract, b), o.made("Repel", o.Repel, b)
}

// Check returns an error if o lacks a term; graph builders panic in that case.
func (o Objective) Check() error {
	return fault.If(o.Attract == nil || o.Repel == nil, "pucl: objective %q lacks a term; it needs both Attract and Repel", o.Name)
}

func (o Objective) needTerms() {
	err := o.Check()
	fault.PanicIf(err != nil, "%v", err)
}

// made returns the term's value on b, and panics unless it is one number for each anchor. A panic of the term itself is
// annotated with the term's name, the objective's name, and the line.
func (o Objective) made(name string, term Term, b *Block) *Node {
	defer fault.Annotate(term, "pucl: %s of objective %q", name, o.Name)
	got := term(b)
	fault.PanicIf(notPerAnchor(got, b) != "", "it %s", notPerAnchor(got, b))
	return got
}

// addWhole adds Whole to the loss.
func (o Objective) addWhole(loss *Node, v Views, tau float64) *Node {
	if o.Whole == nil {
		return loss
	}
	return Add(loss, o.whole(v, tau))
}

// whole returns the value of Whole on v, and panics as made does.
func (o Objective) whole(v Views, tau float64) *Node {
	defer fault.Annotate(o.Whole, "pucl: Whole of objective %q", o.Name)
	z := v.Z.Shape()
	got, want := o.Whole(v, tau), shapes.Make(numeric.Working(z.DType), z.Dimensions[:z.Rank()-2]...)
	fault.PanicIf(got == nil, "it returns nil; it gives one number for each batch, %s", want)
	fault.PanicIf(!got.Shape().Equal(want), "it gives shape %s for embeddings %s; it gives one number for each batch, %s", got.Shape(), z, want)
	return got
}

// Block returns the whole batch as one block of m·b anchors, for inspection of single terms.
func (v Views) Block(tau float64) *Block { return v.batch(tau).whole() }

// Value returns the loss of one batch given as plain numbers, in float64: embeddings [m·b, d], all first views before
// all second views, and which of the b examples are labeled positives. It is for inspection and for checks by hand;
// training builds [Objective.Loss] into its own graph. Objectives that need the classes use [Objective.ValueOfClasses].
func (o Objective) Value(eng *engine.Engine, z [][]float64, labeled []bool, tau float64) (float64, error) {
	return o.value(eng, tau, func(z, labeled *Node) Views { return Views{Z: z, Labeled: labeled} }, z, labeled, len(labeled))
}

// ValueOfClasses returns [Objective.Value] for a batch with given true classes, one number for each example; no example
// is labeled.
func (o Objective) ValueOfClasses(eng *engine.Engine, z [][]float64, class []int32, tau float64) (float64, error) {
	return o.value(eng, tau, func(z, class *Node) Views {
		return Views{Z: z, Labeled: NotEqual(class, class), Class: class}
	}, z, class, len(class))
}

// value returns the loss of the Views that views builds from the embeddings z and from labels or classes, known, of the
// given number of examples.
func (o Objective) value(eng *engine.Engine, tau float64, views func(z, known *Node) Views, z [][]float64, known any, examples int) (float64, error) {
	if err := eng.Check(); err != nil {
		return 0, err
	}
	if examples == 0 || len(z) == 0 || len(z)%examples != 0 {
		return 0, fmt.Errorf("pucl: %d rows for %d examples; there must be the same number of views, two or more, of each", len(z), examples)
	}
	if len(z[0]) == 0 {
		return 0, errors.New("pucl: row 0 has 0 coordinates; give each row the same number, one or more")
	}
	for i, row := range z {
		if len(row) != len(z[0]) {
			return 0, fmt.Errorf("pucl: row %d has %d coordinates, row 0 has %d; give each row the same number, one or more", i, len(row), len(z[0]))
		}
	}
	out, err := ExecOnce(eng.Backend, func(z, known *Node) *Node {
		v := views(z, known)
		v.Count = v.Z.Shape().Dim(0) / examples
		return o.Loss(v, tau)
	}, z, known)
	if err != nil {
		cause := engine.RootCause(err)
		if strings.HasPrefix(cause.Error(), "pucl: ") {
			return 0, cause
		}
		return 0, fmt.Errorf("pucl: objective %q: %w", o.Name, cause)
	}
	return tensors.ToScalar[float64](out), nil
}

// ChanceLevel returns the loss of an encoder that maps everything to one point, log(m·b − 1) nats for b examples with m
// views each. Every objective with an attraction that is a mean of similarities starts near it. An objective that stays
// there has collapsed or learned nothing.
func ChanceLevel(examples, views int) float64 { return math.Log(float64(examples*views - 1)) }

// Part is one objective in a [WeightedSum].
type Part struct {
	Weight    float64
	Objective Objective
}

// WeightedSum returns the objective Σ_k w_k L_k. Its terms, Direct and Whole are the weighted sums of those parts.
func WeightedSum(name string, parts ...Part) Objective {
	sum := func(term func(Objective, *Block) *Node) Term {
		return func(b *Block) *Node {
			total := Nothing(b)
			for _, part := range parts {
				fault.PanicIf(part.Objective.Attract == nil || part.Objective.Repel == nil,
					"pucl: objective %q, a part of %q, lacks a term; it needs both Attract and Repel", part.Objective.Name, name)
				total = Add(total, MulScalar(term(part.Objective, b), part.Weight))
			}
			return total
		}
	}
	o := Objective{
		Name:    name,
		Attract: sum(func(o Objective, b *Block) *Node { return o.made("Attract", o.Attract, b) }),
		Repel:   sum(func(o Objective, b *Block) *Node { return o.made("Repel", o.Repel, b) }),
	}
	if slices.ContainsFunc(parts, func(part Part) bool { return part.Objective.Direct != nil }) {
		o.Direct = sum(Objective.score)
	}
	if slices.ContainsFunc(parts, func(part Part) bool { return part.Objective.Whole != nil }) {
		o.Whole = func(v Views, tau float64) *Node {
			var total *Node
			for _, part := range parts {
				if part.Objective.Whole != nil {
					total = numeric.Plus(total, MulScalar(part.Objective.whole(v, tau), part.Weight))
				}
			}
			return total
		}
	}
	return o
}
