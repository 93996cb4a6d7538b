package augment

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/internal/fault"
)

// Blur is torchvision's GaussianBlur with a probability: each pixel becomes an average of its neighborhood, with
// weights exp(−d²/2σ²) for a random σ in pixels. The image is reflected at its edges.
//
// One number describes a view: σ, or 0 for no blur.
type Blur struct {
	// Kernel is the odd width of the average in pixels; 0 means 13. The recipe of A.7.3 for CIFAR and ImageNet gives
	// none, since its filter, PIL's, has no finite size. 13 pixels reach to three times the largest σ of 2 on both
	// sides, and hold 99.9% of that Gaussian along each axis.
	Kernel             int
	MinSigma, MaxSigma float64 // σ is uniform between them; 0 means 0.1 and 2
	Probability        float64 // of blurring a view; 0 means 0.5
}

// withDefaults fills in the zero fields.
func (b Blur) withDefaults() Blur {
	return Blur{cmp.Or(b.Kernel, 13), cmp.Or(b.MinSigma, 0.1), cmp.Or(b.MaxSigma, 2), cmp.Or(b.Probability, 0.5)}
}

func (b Blur) check(in Shape) (Shape, error) {
	d := b.withDefaults()
	return in, cmp.Or(
		fault.If(d.Kernel < 1 || d.Kernel%2 == 0, "a kernel of %d pixels has no middle; its size must be odd and positive", d.Kernel),
		fault.If(d.Kernel/2 >= min(in.Height, in.Width), "a kernel of %d pixels reaches beyond the mirror image; %d is the most here",
			d.Kernel, 2*min(in.Height, in.Width)-1),
		fault.If(!(0 < d.MinSigma && d.MinSigma <= d.MaxSigma && d.MaxSigma < 1e10),
			"σ lies between %g and %g; both must be positive and in order", d.MinSigma, d.MaxSigma),
		checkProbability(d.Probability),
	)
}

func (Blur) numbers() int { return 1 }

func (b Blur) draw(rng *rand.Rand, _ Shape, numbers []float32) {
	d := b.withDefaults()
	numbers[0] = happens(rng, d.Probability) * float32(uniform(rng, d.MinSigma, d.MaxSigma))
}

func (b Blur) apply(images, numbers *Node) *Node {
	on := GreaterThan(numbers, ScalarZero(images.Graph(), dtypes.Float32)) // [n, 1]
	sigma := Where(on, numbers, OnesLike(numbers))
	height, width := images.Shape().Dim(1), images.Shape().Dim(2)
	rows := b.weights(sigma, height)
	columns := rows
	if width != height {
		columns = b.weights(sigma, width)
	}
	return where(Reshape(on, -1, 1, 1, 1), alongBoth(images, rows, columns), images)
}

// weights returns the weights of each of size pixels in each of them, [n, size, size], for sigma [n, 1].
func (b Blur) weights(sigma *Node, size int) *Node {
	g, n, half := sigma.Graph(), sigma.Shape().Dim(0), b.withDefaults().Kernel/2
	factor := MulScalar(Reciprocal(Square(ExpandAxes(sigma, -1))), -0.5) // [n, 1, 1]
	bell := func(distance *Node) *Node { return Exp(Mul(factor, Square(distance))) }

	from, to := iota3(g, size, 2), iota3(g, size, 1)
	part := func(position *Node, exists *Node) *Node { // of the pixel, or its mirror image, at that position
		distance := difference(position, to, 1, size, size)
		w := bell(distance)
		near := LessOrEqual(Abs(distance), Scalar(g, dtypes.Float32, half))
		if exists != nil {
			near = LogicalAnd(near, BroadcastToDims(exists, 1, size, size))
		}
		return Mul(w, ConvertDType(near, dtypes.Float32))
	}
	scalar := func(x int) *Node { return Scalar(g, dtypes.Float32, x) }
	w := part(from, nil)
	// The reflected images before the first pixel and after the last.
	w = Add(w, part(Neg(from), GreaterThan(from, scalar(0))))
	w = Add(w, part(AddScalar(Neg(from), float64(2*(size-1))), LessThan(from, scalar(size-1))))
	sum := ReduceAndKeep(bell(AddScalar(iota3(g, 2*half+1, 2), float64(-half))), ReduceSum, 2)
	w = Div(w, sum)
	w.AssertDims(n, size, size)
	return w
}

// String implements [Step].
func (b Blur) String() string {
	d := b.withDefaults()
	return fmt.Sprintf("Gaussian blur of %d pixels, σ %g–%g, with probability %g", d.Kernel, d.MinSigma, d.MaxSigma, d.Probability)
}
