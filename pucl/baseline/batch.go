package baseline

import (
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat/distuv"
)

// Streams of random numbers that go with a seed: which examples, in which views, how mixed.
const (
	positiveStream  = 0x9051 << 32
	unlabeledStream = 0x07ab << 32
	viewStream      = 0xf1e3 << 32
	mixStream       = 0x313c << 32
	againStream     = 0xa6a1 << 32
	drawStream      = 0xd4a3 << 32
	groupStream     = 0x6409 << 32
	asideStream     = 0xa51d << 32
)

// deck deals the numbers of some examples without end, in a new random order every time that it has gone through them. What it
// deals depends on the seed and the place alone.
type deck struct {
	examples []int
	seed     uint64

	round int // of order
	order []int
}

// deal returns count examples from place first on.
func (d *deck) deal(first, count int) []int {
	out := make([]int, count)
	for i := range out {
		round, at := (first+i)/len(d.examples), (first+i)%len(d.examples)
		if d.order == nil || d.round != round {
			d.round, d.order = round, rand.New(rand.NewPCG(d.seed, uint64(round))).Perm(len(d.examples))
		}
		out[i] = d.examples[d.order[at]]
	}
	return out
}

// pairing says which rows of a batch are mixed with which others. Row i becomes λ·x_i + (1−λ)·x_j, where j is its partner.
type pairing int

const (
	withinKind            pairing = iota // positives with positives, unlabeled ones with unlabeled ones
	withAny                              // every row with any row
	unlabeledWithPositive                // every unlabeled row with a labeled positive
)

// first returns the first row that is mixed; those after it are mixed as well.
func (p pairing) first(positives int) int {
	if p == unlabeledWithPositive {
		return positives
	}
	return 0
}

// draw returns a partner for every row that is mixed, in a batch of n rows.
func (p pairing) draw(rng *rand.Rand, positives, n int) []int32 {
	partner := make([]int32, n-p.first(positives))
	for i := range partner {
		switch {
		case p == withAny:
			partner[i] = int32(rng.IntN(n))
		case p == unlabeledWithPositive || i < positives:
			partner[i] = int32(rng.IntN(positives))
		default:
			partner[i] = int32(positives + rng.IntN(n-positives))
		}
	}
	return partner
}

// mixing says how rows of a batch are mixed.
type mixing struct {
	pairing
	alpha float64 // λ is drawn from Beta(α, α) for every row
	own   bool    // λ is the larger of λ and 1−λ, so that a row stays nearer to itself than to its partner
	alone bool    // the network sees mixed rows only
}

// weights draws λ for count rows. It stays off 0 and 1, at which logarithms of mixed predictions would not be finite.
func (m mixing) weights(rng *rand.Rand, count int) []float32 {
	const margin = 1e-6
	beta := distuv.Beta{Alpha: m.alpha, Beta: m.alpha, Src: rng}
	out := make([]float32, count)
	for i := range out {
		lambda := min(max(beta.Rand(), margin), 1-margin)
		if m.own {
			lambda = max(lambda, 1-lambda)
		}
		out[i] = float32(lambda)
	}
	return out
}

// batch is what the loss of a method is made of. A row is an example; the labeled positives come first.
type batch struct {
	positives int   // how many rows are labeled positives
	logits    *Node // [n], of the rows as they are; nil where the network sees mixed rows only
	other     *Node // [n], logits by plan.other; nil where there are none
	now       *Node // [k], the numbers of this step by the plan's schedule; nil where it has none

	mixed   *Node // [m], logits of the rows that are mixed, which are the last m of the batch
	lambda  *Node // [m], their weights
	partner *Node // int32 [m], rows of their partners

	draws *Node   // [n, plan.draws], uniform between 0 and 1
	extra []*Node // by plan.extra
}

// positive returns the rows of x, [n], that are labeled positives.
func (b batch) positive(x *Node) *Node { return Slice(x, AxisRange(0, b.positives)) }

// unlabeled returns the rows of x, [n], that are not.
func (b batch) unlabeled(x *Node) *Node { return Slice(x, AxisRange(b.positives)) }

// labels returns which rows are labeled positives, Bool [n], for x with n rows.
func (b batch) labels(x *Node) *Node {
	labeled := make([]bool, x.Shape().Dim(0))
	for i := range b.positives {
		labeled[i] = true
	}
	return Const(x.Graph(), labeled)
}

// ofPartners returns x, [n], of the partner of every mixed row.
func (b batch) ofPartners(x *Node) *Node { return Gather(x, ExpandDims(b.partner, -1)) }

// mix returns the rows of x from first on, mixed with those of their partners.
func (b batch) mix(x *Node, first int) *Node {
	own := Slice(x, AxisRange(first))
	lambda := Reshape(b.lambda, append([]int{-1}, slices.Repeat([]int{1}, x.Rank()-1)...)...)
	return Add(Mul(own, lambda), Mul(b.ofPartners(x), OneMinus(lambda)))
}

// scheduled returns number i of this step.
func (b batch) scheduled(i int) *Node { return Reshape(Slice(b.now, AxisElem(i))) }
