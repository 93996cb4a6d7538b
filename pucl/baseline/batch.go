package baseline

import (
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat/distuv"
)

// Streams of random numbers derived from the seed: for examples, views and mixing.
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

// deck deals example numbers endlessly, in a new random order for every pass over the examples. The result depends only
// on the seed and the position.
type deck struct {
	examples []int
	seed     uint64

	round int // of the current order
	order []int
}

// deal returns count examples starting at position first.
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

// pairing defines which rows of a batch are mixed. Row i becomes λ·x_i + (1−λ)·x_j, where j is its partner.
type pairing int

const (
	withinKind            pairing = iota // positives with positives, unlabeled ones with unlabeled ones
	withAny                              // every row with any row
	unlabeledWithPositive                // every unlabeled row with a labeled positive
)

// first returns the first mixed row; all rows after it are mixed as well.
func (p pairing) first(positives int) int {
	if p == unlabeledWithPositive {
		return positives
	}
	return 0
}

// draw returns a partner for every mixed row, in a batch of n rows.
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

// mixing configures how rows of a batch are mixed.
type mixing struct {
	pairing
	alpha float64 // λ is drawn from Beta(α, α) for every row
	own   bool    // λ is the larger of λ and 1−λ, so that a row stays nearer to itself than to its partner
	alone bool    // the network computes mixed rows only
}

// weights draws λ for count rows. It excludes 0 and 1, where logarithms of mixed predictions would not be finite.
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

// batch is the input of a method's loss. A row is an example; the labeled positives come first.
type batch struct {
	positives int   // number of labeled positives
	logits    *Node // [n], of the unmixed rows; nil if the network computes mixed rows only
	other     *Node // [n], logits by plan.other; nil without it
	now       *Node // [k], the values of the plan's schedule at this step; nil without it

	mixed   *Node // [m], logits of the mixed rows, which are the last m of the batch
	lambda  *Node // [m], their weights
	partner *Node // int32 [m], rows of their partners

	draws *Node   // [n, plan.draws], uniform between 0 and 1
	extra []*Node // by plan.extra
}

// positive returns the rows of x, [n], that are labeled positives.
func (b batch) positive(x *Node) *Node { return Slice(x, AxisRange(0, b.positives)) }

// unlabeled returns the rows of x, [n], that are not labeled positives.
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

// mix returns the rows of x starting at first, mixed with the rows of their partners.
func (b batch) mix(x *Node, first int) *Node {
	own := Slice(x, AxisRange(first))
	lambda := Reshape(b.lambda, append([]int{-1}, slices.Repeat([]int{1}, x.Rank()-1)...)...)
	return Add(Mul(own, lambda), Mul(b.ofPartners(x), OneMinus(lambda)))
}

// scheduled returns value i of the schedule at this step.
func (b batch) scheduled(i int) *Node { return Reshape(Slice(b.now, AxisElem(i))) }
