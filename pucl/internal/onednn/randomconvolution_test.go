package onednn_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/internal/onednn"
)

// general is a convolution with everything that XLA supports except groups. The first of a pair is for rows, the second
// for columns.
type general struct {
	images, in, out                         int
	size, kernel                            [2]int
	stride, dilation, inputDilation         [2]int
	padding                                 [2][2]int // before and after
	axes                                    ConvolveAxesConfig
	inputLabels, kernelLabels, resultLabels string
}

var channels = []int{1, 2, 3, 8, 15, 16, 17, 24, 32, 33, 64, 70}

// randomConvolution draws a convolution with a nonempty result.
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
	at := strings.IndexByte
	g.inputLabels, g.kernelLabels, g.resultLabels = input, kernel, result
	g.axes = ConvolveAxesConfig{
		InputBatch: at(input, 'b'), InputChannels: at(input, 'f'), InputSpatial: []int{at(input, 'h'), at(input, 'w')},
		KernelInputChannels: at(kernel, 'i'), KernelOutputChannels: at(kernel, 'o'), KernelSpatial: []int{at(kernel, 'h'), at(kernel, 'w')},
		OutputBatch: at(result, 'b'), OutputChannels: at(result, 'f'), OutputSpatial: []int{at(result, 'h'), at(result, 'w')},
	}
}

func (g *general) result() [2]int { return [2]int{g.resultAlong(0), g.resultAlong(1)} }

// resultAlong returns the size of the result along an axis, 0 if the window is larger than the padded input.
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

// dims returns the dimensions of the three arrays, in the order of their labels.
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

// place is the position of a number along four labeled axes.
type place struct{ a, b, h, w int }

// steps returns the distances between neighbors along the axes labeled a, b, h and w.
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

// source returns the row or column of the input at place k of the window for the result's row or column p. It is false
// in the padding and between the numbers of a dilated input.
func (g *general) source(i, p, k int) (int, bool) {
	at := p*g.stride[i] + k*g.dilation[i] - g.padding[i][0]
	return at / g.inputDilation[i], at >= 0 && at%g.inputDilation[i] == 0 && at/g.inputDilation[i] < g.size[i]
}

// TestRandomConvolutions compares convolutions of random sizes, axes in several orders, with loops. Some are ordinary,
// some have zeros between the numbers of the input, as in a gradient for the input, and some have a window larger than
// the result, as in a gradient for the kernel.
func TestRandomConvolutions(t *testing.T) {
	eng := withOneDNN(t)
	const cases = 60
	for round := range *rounds {
		rng := rand.New(rand.NewPCG(7, round))
		onednn.Forget()
		var all []general
		var args []*tensors.Tensor
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
			all, args = append(all, g), append(args, values(rng, inputDims...), values(rng, kernelDims...))
		}
		results := expect.Must(CallOnceN(eng.Backend, func(in []*Node) (out []*Node) { // one graph compiles several times as fast
			for i, g := range all {
				out = append(out, g.convolve(in[2*i], in[2*i+1]))
			}
			return out
		}, anyOf(args)...))(t)
		for i, g := range all {
			x, w := tensors.MustCopyFlatData[float32](args[2*i]), tensors.MustCopyFlatData[float32](args[2*i+1])
			near(t, fmt.Sprintf("round %d, %d, %+v", round, i, g), results[i], g.loops(x, w), g.in*g.kernel[0]*g.kernel[1])
		}
		made := onednn.Made()
		expect.That(t, made.Forward >= cases/12 && made.InputGradient >= cases/20 && made.KernelGradient >= cases/12,
			"round %d: of %d convolutions oneDNN did only %+v", round, cases, made)
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
	const cases = 18
	for round := range *rounds {
		rng := rand.New(rand.NewPCG(8, round))
		var made onednn.Kinds
		for i := range cases {
			g := randomConvolution(rng)
			if rng.IntN(3) == 0 {
				g.stride = [2]int{1, 1}
			} else {
				g.dilation = [2]int{1, 1} // gomlx supports one of the two
			}
			for i := range 2 { // gomlx has no gradients if the padding is larger than the kernel
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
		expect.That(t, made.Forward >= cases/2 && made.InputGradient >= cases/8 && made.KernelGradient >= cases/2,
			"round %d: of %d convolutions and their gradients oneDNN did only %+v", round, cases, made)
	}
}
