package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// IdealSign returns the claim that minimizing (3) makes similar samples more similar and dissimilar ones less.
//
// As printed, (3) is a log-probability, a reward: it increases with the similarity of the positive pair. The minimized
// loss, here and in (4) to (6), is its negative. The check computes the derivatives of the ideal loss by every
// similarity of a batch.
func IdealSign() Claim {
	return Claim{
		ID: "ideal-sign",
		Statement: "The objective L*_CL (3), which is minimized, brings the angle between similar samples down and that " +
			"between dissimilar ones up.",
		LaTeX: `\mathcal{L}^*_{\text{CL}} = \mathbb{E}\left[\mathbf{z}_i \cdot \mathbf{z}_j - \log\left(\exp(\mathbf{z}_i \cdot ` +
			`\mathbf{z}_j) + \sum_{k=1}^N \exp(\mathbf{z}_i \cdot \mathbf{z}_k)\right)\right] \to \min`,
		Source:      "Contrastive Positive Unlabeled Learning, equation (3) and the sentences below it (section 2.2)",
		Assumptions: []string{"the bracket counts as printed, without the minus sign that (4), (5) and (6) have"},
		rests:       grounds{mistakes: []mistake{{"false negatives", "the negatives of an anchor are rows of its own class"}}},
		check: func(s *subject) Finding {
			o := pucl.IdealCL(0)
			if s.mistaken("false negatives") {
				o = pucl.Objective{Name: o.Name, Attract: o.Attract, Repel: pucl.ClassMean}
			}
			return idealSignFinding(s.eng, o, -1)
		},
	}
}

// LossDirections returns the claim that lowering the InfoNCE loss raises the similarity of positive pairs and lowers
// that of negative ones.
//
// The partial derivatives by the similarities agree with it. A step on the embeddings moves all pairs at once, and some
// move in the wrong direction; the check counts them.
func LossDirections() Claim {
	return Claim{
		ID:        "loss-directions",
		Statement: "The InfoNCE loss falls as the similarity of the positive pair rises and as that of negative pairs falls.",
		LaTeX: `\frac{\partial \ell_i}{\partial s_{i,a(i)}} < 0, \qquad \frac{\partial \ell_i}{\partial s_{ij}} > 0 \ \ ` +
			`\text{for}\ j \notin \{i, a(i)\}`,
		Source: "Introduction to contrastive learning (in Chinese), sections on the InfoNCE loss and its calculation; the " +
			"same of SimCLR in the slides on open-world sampling",
		Assumptions: []string{"the negatives are the other 2b − 2 rows of the batch"},
		rests:       grounds{objectives: []string{"ssCL"}},
		check:       func(s *subject) Finding { return lossDirectionsFinding(s.eng, s.objective(pucl.SSCL())) },
	}
}

// randomBatch draws a batch of b examples in space; every second one is positive, and the first is labeled.
func randomBatch(rng *rand.Rand, b int) theory.GivenBatch {
	return theory.GivenBatch{
		Z: lists.Table(2*b, 3, func(int, int) float64 { return rng.NormFloat64() }),
		Labeled: lists.Make(b, func(i int) bool {
			return i == 0 || i == 2
		}),
		Class: lists.Make(b, func(i int) int32 { return int32(1 - i%2) }),
	}
}

// batchSlopes are derivatives on batches of the same size: entry [k][i][j] of bySimilarity is ∂ℓ_i/∂s_ij in batch k,
// with independent similarities, and byRow[k] is the gradient of the loss by the embeddings.
type batchSlopes struct{ bySimilarity, byRow [][][]float64 }

func slopesOf(eng *engine.Engine, o pucl.Objective, batches []theory.GivenBatch, tau float64) batchSlopes {
	z := lists.Map(batches, func(b theory.GivenBatch) [][]float64 { return b.Z })
	labeled := lists.Map(batches, func(b theory.GivenBatch) []bool { return b.Labeled })
	class := lists.Map(batches, func(b theory.GivenBatch) []int32 { return b.Class })
	out := must.Get(ExecOnceN(eng.Backend, func(z, labeled, class *Node) []*Node {
		views := pucl.Views{Z: z, Labeled: labeled, Class: class}
		block := *views.Block(tau)
		sim := MulScalar(block.Sim, 1)
		block.Sim = sim
		var score *Node
		if o.Direct != nil {
			score = o.Direct(&block)
		} else {
			score = Sub(o.Repel(&block), o.Attract(&block))
		}
		return []*Node{Gradient(ReduceAllSum(score), sim)[0], Gradient(ReduceAllSum(o.Loss(views, tau)), z)[0]}
	}, z, labeled, class))
	return batchSlopes{out[0].Value().([][][]float64), out[1].Value().([][][]float64)}
}

// slopeCounts are numbers of pairs by the sign of the derivative of a loss by their similarity.
type slopeCounts struct{ similar, together, dissimilar, apart int }

// count adds the pairs of a batch; similar reports whether a pair is similar.
func (c *slopeCounts) count(slopes [][]float64, similar func(i, j int) bool) {
	for i, row := range slopes {
		for j, slope := range row {
			switch {
			case i == j:
			case similar(i, j):
				c.similar++
				c.together += oneIf(slope < 0) // a descent makes them more similar
			default:
				c.dissimilar++
				c.apart += oneIf(slope > 0)
			}
		}
	}
}

// idealSignFinding determines the direction in which a loss, and its product with sign, moves pairs of a class and
// other pairs.
func idealSignFinding(eng *engine.Engine, o pucl.Objective, sign float64) Finding {
	var f Finding
	rng := rand.New(rand.NewPCG(3, 0x51))
	var printed, loss slopeCounts
	batches := lists.Make(20, func(int) theory.GivenBatch { return randomBatch(rng, 4) })
	for k, slopes := range slopesOf(eng, o, batches, 0.5).bySimilarity {
		same := func(i, j int) bool { return batches[k].Class[i%4] == batches[k].Class[j%4] }
		loss.count(slopes, same)
		printed.count(lists.Map(slopes, func(row []float64) []float64 {
			return lists.Map(row, func(x float64) float64 { return sign * x })
		}), same)
	}
	measure(&f, printed.similar, "pairs of one class")
	measure(&f, printed.together, "pairs of one class that minimizing (3) as printed makes more similar")
	measure(&f, loss.together, "the same, minimizing its negative")
	measure(&f, printed.dissimilar, "pairs of two classes")
	measure(&f, printed.apart, "pairs of two classes that minimizing (3) as printed makes less similar")
	measure(&f, loss.apart, "the same, minimizing its negative")
	f.Number = exactly(printed.together)
	f.Why = "With P_j the share of the positive in the sum, the bracket of (3) has slope 1 − P_j > 0 in the similarity of the " +
		"positive pair and −P_k < 0 in that of a negative one. (4), (5) and (6) have a minus sign in front."
	f.Corrected = "Minimizing −L*_CL (or maximizing (3)) brings similar samples together and dissimilar ones apart."
	f.CorrectedLaTeX = `-\mathcal{L}^*_{\text{CL}} \to \min`
	// A pair with equal or opposite directions, and both rows of the other class at right angles to it.
	pair := func(cos float64) [][]float64 { return [][]float64{{1, 0, 0}, {0, 1, 0}, {cos, 0, 0}, {0, 0, 1}} }
	ends := must.Get(theory.AnchorLosses(eng, o, [][][]float64{pair(1), pair(-1)}, make([]bool, 2), []int32{1, 0}, 0.5))
	f.Counterexample = fmt.Sprintf("τ = ½, a positive pair and two negatives at right angles to it: the bracket of (3) is "+
		"%.4f where the "+
		"pair has one direction and %.4f where it has opposite ones", sign*ends[0][0], sign*ends[1][0])
	total := printed.similar + printed.dissimilar
	switch {
	case printed.together+printed.apart == total:
		f.conclude(Holds, "Minimizing it pulls all %d pairs the right way.", total)
		f.Corrected, f.CorrectedLaTeX, f.Counterexample = "", "", ""
	case loss.together == loss.similar && loss.apart == loss.dissimilar:
		f.conclude(Conditional, "True with the minus sign that (4), (5) and (6) have; minimizing (3) as printed, a reward, moves %d of "+
			"%d pairs of one class together and %d of %d of two classes apart.", printed.together, printed.similar,
			printed.apart, printed.dissimilar)
	default:
		f.undecide("Of the loss measured %d of %d slopes have the sign that a contrast of the classes has: it is not (3).",
			loss.together+loss.apart, total)
	}
	return f
}

// lossDirectionsFinding counts derivatives of the correct sign, and pairs that a step on the embeddings moves in the
// wrong direction.
func lossDirectionsFinding(eng *engine.Engine, o pucl.Objective) Finding {
	var f Finding
	rng := rand.New(rand.NewPCG(4, 0x51))
	var slopes slopeCounts
	positives, farther, negatives, nearer, balance := 0, 0, 0, 0, 0.0
	batches := lists.Make(20, func(int) theory.GivenBatch { return randomBatch(rng, 4) })
	measured := slopesOf(eng, o, batches, 0.5)
	for k, s := range measured.bySimilarity {
		own := func(i, j int) bool { return i%4 == j%4 }
		slopes.count(s, own)
		for _, row := range s {
			sum := 0.0
			for _, x := range row {
				sum += x
			}
			balance = max(balance, math.Abs(sum))
		}
		before := batches[k].Z
		moved := stepAgainst(measured.byRow[k], before, 1e-3)
		for i := range moved {
			for j := range i {
				change := cosine(moved[i], moved[j]) - cosine(before[i], before[j])
				if own(i, j) {
					positives++
					farther += oneIf(change < 0)
				} else {
					negatives++
					nearer += oneIf(change > 0)
				}
			}
		}
	}
	total := slopes.similar + slopes.dissimilar
	wrong := total - slopes.together - slopes.apart
	measure(&f, total, "slopes by a similarity")
	measure(&f, wrong, "slopes of the wrong sign")
	measure(&f, balance, "largest sum of an anchor's slopes")
	measure(&f, positives, "positive pairs")
	measure(&f, farther, "positive pairs that lose similarity in a small step on the embeddings")
	measure(&f, negatives, "negative pairs")
	measure(&f, nearer, "negative pairs that gain similarity in it")
	f.Number = exactly(float64(wrong))
	f.Why = "∂ℓ_i/∂s_{i,a(i)} = P_{i,a(i)} − 1 and ∂ℓ_i/∂s_ij = P_ij, with P the softmax over the other rows. All pairs share " +
		"the rows, so that a step on these moves some pairs against their own slope."
	f.detail("a small step against the gradient by the embeddings: %d of %d positive pairs lose similarity, %d of %d negative "+
		"ones gain it",
		farther, positives, nearer, negatives)
	if wrong > 0 || exceeds(balance, contrastTolerance) {
		f.undecide("Of the loss measured %d of %d slopes have the wrong sign, and an anchor's slopes add up to as much as "+
			"%.4g where a softmax less the own view adds up to 0: this is not the InfoNCE loss.", wrong, total, balance)
		return f
	}
	f.conclude(Holds, "%d of %d slopes by a similarity have the wrong sign; a step on the embeddings, which moves all pairs "+
		"at once, nevertheless brings %d of %d negative pairs nearer.", wrong, total, nearer, negatives)
	return f
}

// stepAgainst returns the rows after a step of size by against their gradients.
func stepAgainst(slopes, rows [][]float64, by float64) [][]float64 {
	return lists.Table(len(rows), len(rows[0]), func(i, k int) float64 { return rows[i][k] - by*slopes[i][k] })
}

func cosine(x, y []float64) float64 {
	var xy, xx, yy float64
	for k := range x {
		xy, xx, yy = xy+x[k]*y[k], xx+x[k]*x[k], yy+y[k]*y[k]
	}
	return xy / math.Sqrt(xx*yy)
}
