package onednn_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/onednn"
	"github.com/puclab/puclab/pucl/internal/enginetest"
)

// rounds is raised by hand, `go test ./pucl/engine/onednn -run Random -rounds 50 -timeout 0`, for other seeds than the first one.
var rounds = flag.Uint64("rounds", 1, "how often the tests of random sizes are done, each time with another seed")

// withOneDNN opens the engine, and skips the test where XLA does not call oneDNN.
func withOneDNN(t *testing.T) *engine.Engine {
	t.Helper()
	eng := enginetest.Open(t)
	if !eng.OneDNN {
		t.Skip("this engine does not call oneDNN: ", eng)
	}
	return eng
}

// bothExecs compiles f for the given arguments with calls of oneDNN, and for XLA alone. It fails the test where less than the given
// number of operations goes to oneDNN.
func bothExecs(t *testing.T, eng *engine.Engine, calls int, f func(in []*Node) []*Node, args ...*tensors.Tensor) (called, alone *Exec, made onednn.Kinds) {
	t.Helper()
	defer onednn.SetAttached(onednn.Attached())
	var inputs []shapes.Shape
	for _, a := range args {
		inputs = append(inputs, a.Shape())
	}
	execs := []*Exec{MustNewExec(eng.Backend, f), MustNewExec(eng.Backend, f)}
	for i, exec := range execs {
		t.Cleanup(exec.Finalize)
		onednn.SetAttached(i == 0)
		onednn.Forget()
		if _, err := exec.Compile(inputs...); err != nil {
			t.Fatal(err)
		}
		if here := onednn.Made(); i == 0 {
			made = here
		} else if made.Sum() < calls || here.Sum() > 0 {
			t.Fatalf("oneDNN does %+v, of %d operations; when it is switched off, %+v", made, calls, here)
		}
	}
	return execs[0], execs[1], made
}

// anyOf gives the arguments of a call their type.
func anyOf(args []*tensors.Tensor) (list []any) {
	for _, a := range args {
		list = append(list, a)
	}
	return list
}

// same fails the test where got is not want to rounding, the sums being of count products of numbers near 1.
func same(t *testing.T, what string, got, want *tensors.Tensor, count int) {
	t.Helper()
	if !got.Shape().Equal(want.Shape()) {
		t.Fatalf("%s: shape %s, want %s", what, got.Shape(), want.Shape())
	}
	flat := tensors.MustCopyFlatData[float32](want)
	wide := make([]float64, len(flat))
	for i, v := range flat {
		wide[i] = float64(v)
	}
	near(t, what, got, wide, count)
}

// general is a convolution with everything that XLA knows of but groups. The first of a pair is for rows, the second for columns.
type general struct {
	images, in, out                         int
	size, kernel                            [2]int
	stride, dilation, inputDilation         [2]int
	padding                                 [2][2]int // before and after
	axes                                    ConvolveAxesConfig
	inputLabels, kernelLabels, resultLabels string
}

var channels = []int{1, 2, 3, 8, 15, 16, 17, 24, 32, 33, 64, 70}

// randomConvolution draws one whose result is not empty.
func randomConvolution(rng *rand.Rand) (g general) {
	g.images, g.in, g.out = 1+rng.IntN(4), channels[rng.IntN(len(channels))], channels[rng.IntN(len(channels))]
	for i := range 2 {
		for {
			g.size[i], g.kernel[i] = 1+rng.IntN(20), 1+rng.IntN(7)
			g.stride[i], g.dilation[i], g.inputDilation[i] = 1+rng.IntN(3), 1+rng.IntN(3), 1
			g.padding[i] = [2]int{rng.IntN(4), rng.IntN(4)}
			if rng.IntN(4) == 0 {
				g.padding[i] = [2]int{rng.IntN(12), rng.IntN(12)} // may be larger than the kernel
			}
			if g.resultAlong(i) > 0 {
				break
			}
		}
	}
	g.setAxes("bhwf", "hwio", "bhwf")
	return g
}

func (g *general) setAxes(input, kernel, result string) {
	at := func(labels string, label byte) int {
		for i := range labels {
			if labels[i] == label {
				return i
			}
		}
		panic("no axis " + string(label))
	}
	g.inputLabels, g.kernelLabels, g.resultLabels = input, kernel, result
	g.axes = ConvolveAxesConfig{
		InputBatch: at(input, 'b'), InputChannels: at(input, 'f'), InputSpatial: []int{at(input, 'h'), at(input, 'w')},
		KernelInputChannels: at(kernel, 'i'), KernelOutputChannels: at(kernel, 'o'), KernelSpatial: []int{at(kernel, 'h'), at(kernel, 'w')},
		OutputBatch: at(result, 'b'), OutputChannels: at(result, 'f'), OutputSpatial: []int{at(result, 'h'), at(result, 'w')},
	}
}

func (g *general) result() [2]int { return [2]int{g.resultAlong(0), g.resultAlong(1)} }

// resultAlong is 0 where the window is larger than the padded input.
func (g *general) resultAlong(i int) int {
	room := (g.size[i]-1)*g.inputDilation[i] + g.padding[i][0] + g.padding[i][1] - (g.kernel[i]-1)*g.dilation[i]
	if room < 0 {
		return 0
	}
	return room/g.stride[i] + 1
}

func (g *general) convolve(x, w *Node) *Node {
	return ConvGeneral(x, w, g.axes, g.stride[:], g.padding[:], g.inputDilation[:], g.dilation[:], 1, 1)
}

// dims are those of the three arrays, in the order of their labels.
func (g *general) dims() (input, kernel, result []int) {
	out := g.result()
	sizes := func(labels string, size map[byte]int) (dims []int) {
		for i := range labels {
			dims = append(dims, size[labels[i]])
		}
		return dims
	}
	return sizes(g.inputLabels, map[byte]int{'b': g.images, 'f': g.in, 'h': g.size[0], 'w': g.size[1]}),
		sizes(g.kernelLabels, map[byte]int{'i': g.in, 'o': g.out, 'h': g.kernel[0], 'w': g.kernel[1]}),
		sizes(g.resultLabels, map[byte]int{'b': g.images, 'f': g.out, 'h': out[0], 'w': out[1]})
}

// place finds a number by its place along four labelled axes.
type place struct{ a, b, h, w int }

// steps are the distances between neighbours along the axes labelled a, b, h and w.
func steps(labels string, dims []int, a, b byte) (p place) {
	step := 1
	for i := len(labels) - 1; i >= 0; i-- {
		switch labels[i] {
		case a:
			p.a = step
		case b:
			p.b = step
		case 'h':
			p.h = step
		case 'w':
			p.w = step
		}
		step *= dims[i]
	}
	return p
}

func (p place) at(a, b, h, w int) int { return a*p.a + b*p.b + h*p.h + w*p.w }

// loops computes the convolution by its definition, in float64.
func (g *general) loops(x, w []float32) []float64 {
	inputDims, kernelDims, resultDims := g.dims()
	atX, atW := steps(g.inputLabels, inputDims, 'b', 'f'), steps(g.kernelLabels, kernelDims, 'o', 'i')
	atY := steps(g.resultLabels, resultDims, 'b', 'f')
	size := g.result()
	y := make([]float64, g.images*g.out*size[0]*size[1])
	for row := range size[0] {
		for i := range g.kernel[0] {
			r, ok := g.source(0, row, i)
			if !ok {
				continue
			}
			for column := range size[1] {
				for j := range g.kernel[1] {
					c, ok := g.source(1, column, j)
					if !ok {
						continue
					}
					for n := range g.images {
						for out := range g.out {
							sum := 0.0
							for in := range g.in {
								sum += float64(x[atX.at(n, in, r, c)]) * float64(w[atW.at(out, in, i, j)])
							}
							y[atY.at(n, out, row, column)] += sum
						}
					}
				}
			}
		}
	}
	return y
}

// source is the row or column of the input that place k of the window sees for the result's row or column p. It is false in the
// padding and between the numbers of a dilated input.
func (g *general) source(i, p, k int) (int, bool) {
	at := p*g.stride[i] + k*g.dilation[i] - g.padding[i][0]
	return at / g.inputDilation[i], at >= 0 && at%g.inputDilation[i] == 0 && at/g.inputDilation[i] < g.size[i]
}

// TestRandomConvolutions compares convolutions of random sizes, axes in several orders, with loops: ordinary ones, those with zeros
// between the numbers of the input, as in a gradient for the input, and those with a window larger than the result, as in one for the kernel.
func TestRandomConvolutions(t *testing.T) {
	eng := withOneDNN(t)
	const cases = 90
	for round := range *rounds {
		rng := rand.New(rand.NewPCG(7, round))
		onednn.Forget()
		for i := range cases {
			g := randomConvolution(rng)
			switch i % 3 {
			case 1: // in the order of axes of gomlx's gradient for the input
				g.setAxes("bhwf", "hwoi", "bhwf")
				for i := range 2 {
					g.stride[i], g.inputDilation[i] = 1, 1+rng.IntN(3)
					g.padding[i] = [2]int{rng.IntN(1 + (g.kernel[i]-1)*g.dilation[i]), rng.IntN(8)}
				}
			case 2: // in the order of axes of gomlx's gradient for the kernel
				g.setAxes("fhwb", "ihwo", "hwbf")
				for i := range 2 {
					g.kernel[i] = 4 + rng.IntN(8)
					g.size[i] = (g.kernel[i]-1)*g.dilation[i] + 1 + rng.IntN(5)
					g.padding[i] = [2]int{rng.IntN(3), rng.IntN(3)}
				}
			}
			if rng.IntN(4) == 0 {
				g.setAxes(shuffled(rng, "bfhw"), shuffled(rng, "oihw"), shuffled(rng, "bfhw"))
			}
			if size := g.result(); size[0] < 1 || size[1] < 1 {
				continue
			}
			inputDims, kernelDims, _ := g.dims()
			x, w := values(rng, inputDims...), values(rng, kernelDims...)
			y, err := CallOnce(eng.Backend, g.convolve, x, w)
			if err != nil {
				t.Fatalf("round %d, %d, %+v: %v", round, i, g, err)
			}
			near(t, fmt.Sprintf("round %d, %d, %+v", round, i, g), y, g.loops(tensors.MustCopyFlatData[float32](x), tensors.MustCopyFlatData[float32](w)),
				g.in*g.kernel[0]*g.kernel[1])
		}
		if made := onednn.Made(); made.Forward < 8 || made.InputGradient < 4 || made.KernelGradient < 8 {
			t.Errorf("round %d: of %d convolutions oneDNN did only %+v", round, cases, made)
		}
	}
}

func shuffled(rng *rand.Rand, labels string) string {
	letters := []byte(labels)
	rng.Shuffle(len(letters), func(i, j int) { letters[i], letters[j] = letters[j], letters[i] })
	return string(letters)
}

// TestRandomGradients compares convolutions and the gradients that gomlx derives for them with XLA's own numbers.
func TestRandomGradients(t *testing.T) {
	eng := withOneDNN(t)
	const cases = 40
	for round := range *rounds {
		rng := rand.New(rand.NewPCG(8, round))
		var made onednn.Kinds
		for i := range cases {
			g := randomConvolution(rng)
			if rng.IntN(3) == 0 {
				g.stride = [2]int{1, 1}
			} else {
				g.dilation = [2]int{1, 1} // gomlx takes one of the two
			}
			for i := range 2 { // nor has it gradients where the padding is larger than the kernel
				for k := range 2 {
					g.padding[i][k] = min(g.padding[i][k], (g.kernel[i]-1)*g.dilation[i]/2*2)
				}
				g.size[i] = max(g.size[i], (g.kernel[i]-1)*g.dilation[i]+1-g.padding[i][0]-g.padding[i][1])
			}
			inputDims, kernelDims, resultDims := g.dims()
			x, w, v := values(rng, inputDims...), values(rng, kernelDims...), values(rng, resultDims...)
			step := func(in []*Node) []*Node {
				x, w, v := in[0], in[1], in[2]
				y := Convolve(x, w).StridePerAxis(g.stride[:]...).DilationPerAxis(g.dilation[:]...).PaddingPerDim(g.padding[:]).Done()
				return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, v)), x, w)...)
			}
			called, alone, here := bothExecs(t, eng, 0, step, x, w, v)
			made = made.Plus(here)
			got, want := called.MustCall(x, w, v), alone.MustCall(x, w, v)
			size := g.result()
			for k, count := range []int{g.kernel[0] * g.kernel[1] * g.in, g.kernel[0] * g.kernel[1] * g.out, g.images * size[0] * size[1]} {
				same(t, fmt.Sprintf("round %d, %d, %+v: result %d", round, i, g, k), got[k], want[k], count)
			}
		}
		if made.Forward < cases/2 || made.InputGradient < cases/8 || made.KernelGradient < cases/2 {
			t.Errorf("round %d: of %d convolutions and their gradients oneDNN did only %+v", round, cases, made)
		}
	}
}

// dot is a product of arrays with the axes that DotGeneral is told of.
type dot struct {
	left, right                                    []int
	leftBatch, leftSummed, rightBatch, rightSummed []int
}

// randomProduct draws one of at least a quarter of a million multiplications. The axes of the batch, of the sums and of rows and
// columns lie in any order, some of them of size 1.
func randomProduct(rng *rand.Rand) dot {
	for {
		var d dot
		type axis struct{ size, kind, number int } // kind 0: of the batch, 1: summed over, 2: a row or column
		var sides [2][]axis
		work := 1
		for kind, most := range []int{2, 2, 2} {
			for number := range kind/2 + rng.IntN(most+1-kind/2) {
				size := 1 + rng.IntN(60)
				switch rng.IntN(5) {
				case 0:
					size = 1
				case 1:
					size = 200 + rng.IntN(200)
				}
				work *= size
				sides[0] = append(sides[0], axis{size, kind, number})
				if kind < 2 {
					sides[1] = append(sides[1], axis{size, kind, number})
				}
			}
		}
		for number := range 1 + rng.IntN(2) {
			size := 1 + rng.IntN(60)
			work *= size
			sides[1] = append(sides[1], axis{size, 2, number})
		}
		if work < 1<<18 || work > 1<<21 {
			continue
		}
		for side := range sides {
			s := sides[side]
			if rng.IntN(8) > 0 { // axes of a kind side by side, the kinds in any order
				order := rng.Perm(3)
				slices.SortStableFunc(s, func(a, b axis) int { return order[a.kind] - order[b.kind] })
			} else {
				rng.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
			}
			var dims []int
			var kinds [2][2]int // axes by kind and number
			for i, a := range s {
				dims = append(dims, a.size)
				if a.kind < 2 {
					kinds[a.kind][a.number] = i
				}
			}
			count := [2]int{}
			for _, a := range s {
				if a.kind < 2 {
					count[a.kind]++
				}
			}
			batch, summed := append([]int(nil), kinds[0][:count[0]]...), append([]int(nil), kinds[1][:count[1]]...)
			if side == 0 {
				d.left, d.leftBatch, d.leftSummed = dims, batch, summed
			} else {
				d.right, d.rightBatch, d.rightSummed = dims, batch, summed
			}
		}
		return d
	}
}

// loops computes the product by its definition, in float64.
func (d *dot) loops(a, b *tensors.Tensor) (product []float64, inner int) {
	left, batch, inner := arranged(a, d.leftBatch, d.leftSummed)
	right, _, _ := arranged(b, d.rightBatch, d.rightSummed)
	rows, columns := len(left)/batch/inner, len(right)/batch/inner
	product = make([]float64, batch*rows*columns)
	for i := range product {
		at, row, column := i/(rows*columns), i/columns%rows, i%columns
		x, y := left[(at*rows+row)*inner:][:inner], right[(at*columns+column)*inner:][:inner]
		for k := range x {
			product[i] += x[k] * y[k]
		}
	}
	return product, inner
}

// TestRandomProducts compares products of random sizes, with their axes in any order, with loops.
func TestRandomProducts(t *testing.T) {
	eng := withOneDNN(t)
	const cases = 60
	for round := range *rounds {
		rng := rand.New(rand.NewPCG(9, round))
		onednn.Forget()
		for i := range cases {
			d := randomProduct(rng)
			a, b := values(rng, d.left...), values(rng, d.right...)
			got, err := CallOnce(eng.Backend, func(a, b *Node) *Node {
				return DotGeneral(a, d.leftSummed, d.leftBatch, b, d.rightSummed, d.rightBatch)
			}, a, b)
			if err != nil {
				t.Fatalf("round %d, %d, %+v: %v", round, i, d, err)
			}
			want, inner := d.loops(a, b)
			near(t, fmt.Sprintf("round %d, %d, %+v", round, i, d), got, want, inner)
		}
		if made := onednn.Made(); made.Product < cases/3 {
			t.Errorf("round %d: of %d products oneDNN did only %d", round, cases, made.Product)
		}
	}
}
