package vqa

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl"
)

// TermNames returns the names of the six [Terms], in order.
func TermNames() []string {
	return []string{"image with texts", "text with images", "image with images", "text with texts", "image with its patches", "text with its words"}
}

// Terms returns the six terms of TCL, a scalar each: means over the batch of an objective that compares the network's
// images and texts with the outputs of the momentum encoder, to which no gradient flows.
//
//	an image against all texts, and a text against all images: the positive is the matching one; with weight soft,
//	  the targets are a soft-max over the momentum encoder's own similarities
//	an image against all images, and a text against all texts: the positive is the momentum encoder's view of it
//	an image against parts of images, and a text against words: each of its own parts in turn is the positive, and
//	  the negatives are all parts of other examples
//
// TCL's alignment loss is their mean. Like all graph code it panics on shapes that do not fit.
//
// Source: Yang et al. (2022), Equations 2 to 9.
func Terms(objective pucl.Objective, network, momentum Seen, soft, tau float64) []*Node {
	n := network.Image.Shape().Dim(0)
	fault.PanicIf(n < 2, "vqa: a comparison of %d image; there must be at least 2 in a batch, so that there are negatives", n)
	fault.PanicIf(!(0 <= soft && soft < 1), "vqa: a share of soft targets of %g; it must be at least 0 and below 1", soft)
	for _, x := range []**Node{&momentum.Image, &momentum.Text, &momentum.Patches, &momentum.Words} {
		*x = StopGradient(*x)
	}
	mean := func(perAnchor *Node) *Node { return ReduceAllMean(perAnchor) }
	across := func(anchors, others, from, to *Node) *Node {
		cosine := cosines(anchors, others)
		hard := mean(objective.PerPair(pucl.Pairs{Cosine: cosine}, tau))
		if soft == 0 {
			return hard
		}
		weight := Softmax(MulScalar(cosines(from, to), 1/tau), -1)
		return Add(MulScalar(hard, 1-soft), MulScalar(mean(objective.SoftPairs(cosine, weight, tau)), soft))
	}
	same := func(anchors, others *Node) *Node {
		return mean(objective.PerPair(pucl.Pairs{Cosine: cosines(anchors, others)}, tau))
	}
	every := momentum.Patches.Shape()
	all := shapes.Make(dtypes.Bool, every.Dim(0), every.Dim(1))
	return []*Node{
		across(network.Image, momentum.Text, momentum.Image, momentum.Text),
		across(network.Text, momentum.Image, momentum.Text, momentum.Image),
		same(network.Image, momentum.Image),
		same(network.Text, momentum.Text),
		inside(objective, network.Image, momentum.Patches, trues(network.Image.Graph(), all), tau),
		inside(objective, network.Text, momentum.Words, momentum.Mask, tau),
	}
}

// cosines returns the inner products of rows [r, k] with rows [n, k].
func cosines(x, y *Node) *Node { return Dot(x, y).General([]int{1}, nil, []int{1}, nil) }

func trues(g *Graph, shape shapes.Shape) *Node {
	zero := Iota(g, shapes.Make(dtypes.Int32, shape.Dimensions...), 0)
	return Equal(zero, zero)
}

// inside compares global features of each example [n, k] with the parts of all examples [n, parts, k] marked in mask
// [n, parts]. It returns the mean over examples and their parts of the loss with that part as the positive and all
// parts of other examples as negatives.
func inside(objective pucl.Objective, whole, parts, mask *Node, tau float64) *Node {
	g, n, count := whole.Graph(), whole.Shape().Dim(0), parts.Shape().Dim(1)
	cosine := Reshape(cosines(whole, Reshape(parts, n*count, parts.Shape().Dim(2))), n, n, count)
	ints := shapes.Make(dtypes.Int32, n, n, count)
	itself := Equal(Iota(g, ints, 0), Iota(g, ints, 1))
	own := ReduceSum(Where(itself, cosine, ZerosLike(cosine)), 1)
	others := And(Not(itself), BroadcastToDims(ExpandAxes(mask, 0), n, n, count))
	loss := objective.InTurn(own, Reshape(cosine, n, n*count), Reshape(others, n, n*count), tau)
	weight := ConvertDType(mask, loss.DType())
	return Div(ReduceAllSum(Mul(loss, weight)), MaxScalar(ReduceAllSum(weight), 1))
}
