package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// numberCase is a training step, small enough for the pure-Go engine, whose numbers are compared between engines.
type numberCase struct {
	what                string
	images, size, color int
	encoder             encoder.Encoder
	recipe              augment.Recipe
}

func numberCases() []numberCase {
	gray, _ := augment.FMNIST().Split() // scaling is the encoder's task
	color, _ := augment.CIFAR(0).Split()
	return []numberCase{
		{"a step of the small CNN against pure Go", 16, 28, 1, encoder.SmallCNN{Mean: 0.286, Std: 0.353}, gray},
		{"a step of a ResNet-10 against pure Go", 8, 16, 3,
			encoder.ResNet{Depth: 10, Width: 8, CIFAR: true, Pixels: cifarPixels}, color},
	}
}

// againstPureGo compares the step on eng with the step on the pure-Go engine, which it sets in the environment.
func (c numberCase) againstPureGo(_ context.Context, eng *engine.Engine, progress reporter) (*Row, error) {
	progress("on the engine")
	here, err := c.step(eng)
	if err = errors.Join(err, os.Setenv("GOMLX_BACKEND", "go")); err != nil {
		return nil, err
	}
	progress("on the pure-Go engine")
	pure, err := engine.Open()
	if err != nil {
		return nil, err
	}
	there, err := c.step(pure)
	if err != nil {
		return nil, err
	}
	allowed := float32Apart
	if eng.Kind == "xla-cuda" {
		allowed = tf32Apart
	}
	return compare(*here, *there, allowed), nil
}

// oneStep is the result of a step before any weight changes.
type oneStep struct {
	loss      float64   // in nats
	gradients []float64 // the length of every trainable variable's gradient
}

// step computes loss and gradients of a case, from the same weights, images and views on every engine.
func (c numberCase) step(eng *engine.Engine) (*oneStep, error) {
	batch := newNoise(c.images, c.size, c.color)
	numbers, err := c.recipe.Draw(rand.New(rand.NewPCG(1, 2)), augment.Shape{Height: c.size, Width: c.size, Channels: c.color}, 2*c.images)
	if err != nil {
		return nil, err
	}
	store := model.NewStore()
	encoder.SetSeed(store, 1)
	exec, err := model.NewExec(eng.Backend, store, func(scope *model.Scope, inputs []*Node) []*Node {
		images := MulScalar(ConvertDType(inputs[0], dtypes.Float32), 1.0/255)
		views := c.recipe.Apply(Concatenate([]*Node{images, images}, 0), inputs[2])
		embeddings := c.encoder.Embed(scope.In("encoder"), views, true)
		projections := encoder.Projector(scope.In("projector"), embeddings, 32, true)
		loss := pucl.PUCL().Loss(pucl.Views{Z: projections, Labeled: inputs[1]}, 0.5)
		out := []*Node{loss}
		for _, gradient := range scope.BuildTrainableVariablesGradientsGraph(loss) {
			out = append(out, Sqrt(ReduceAllSum(Square(gradient))))
		}
		return out
	})
	if err != nil {
		return nil, err
	}
	defer exec.Finalize()
	out, err := exec.Call(
		tensors.FromFlatDataAndDimensions(batch.pixels, c.images, c.size, c.size, c.color),
		tensors.FromFlatDataAndDimensions(batch.labeled, c.images),
		tensors.FromFlatDataAndDimensions(numbers, 2*c.images, c.recipe.Numbers()))
	if err != nil {
		return nil, err
	}
	var values []float64
	for _, t := range out {
		values = append(values, float64(tensors.ToScalar[float32](t)))
	}
	if sum := floats.Sum(values); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, fmt.Errorf("on %s the loss is %g and the lengths of the gradients are %g; all should be finite",
			eng.Name(), values[0], values[1:])
	}
	return &oneStep{values[0], values[1:]}, nil
}

// apart bounds the difference between two engines, relative to the loss and to the norm of the whole gradient.
type apart struct{ loss, gradients float64 }

// Float32 rounds at 6e-8, and losses differ by about 1e-7. A gradient jumps if an activation is so close to zero that
// rounding decides its side: with the few activations here, by about 1e-4. TF32 rounds at 5e-4, which changes the loss
// by as much and the side of more activations. A wrong gradient has an error of its own norm.
var (
	float32Apart = apart{loss: 1e-5, gradients: 5e-3}
	tf32Apart    = apart{loss: 1e-2, gradients: 1e-1}
)

// compare reports the difference between the numbers of a step and those of the pure-Go engine.
func compare(here, reference oneStep, allowed apart) *Row {
	if len(here.gradients) != len(reference.gradients) || len(here.gradients) == 0 {
		return &Row{Result: Fail,
			Detail: fmt.Sprintf("%d gradients here, %d on the pure-Go engine", len(here.gradients), len(reference.gradients))}
	}
	worst, norm, normThere := 0.0, 0.0, 0.0
	for i, there := range reference.gradients {
		norm, normThere = math.Hypot(norm, here.gradients[i]), math.Hypot(normThere, there)
		worst = math.Max(worst, math.Abs(here.gradients[i]-there)) // NaN if one of them is
	}
	found := apart{loss: math.Abs(here.loss-reference.loss) / math.Abs(reference.loss), gradients: worst / normThere}
	row := &Row{Result: Fail, Detail: fmt.Sprintf("loss %.6f here, %.6f there, apart by %s (%.0e allowed); "+
		"gradient %.4f here, %.4f there, apart by %s (%.0e allowed)",
		here.loss, reference.loss, small(found.loss), allowed.loss, norm, normThere, small(found.gradients), allowed.gradients),
		Values: map[string]float64{"loss_nats": here.loss, "loss_nats_pure_go": reference.loss, "gradient_norm": norm,
			"gradient_norm_pure_go": normThere, "loss_apart": found.loss, "gradients_apart": found.gradients}}
	if found.loss <= allowed.loss && found.gradients <= allowed.gradients {
		row.Result = Pass
	}
	return row
}

// small formats a relative difference.
func small(x float64) string {
	if x == 0 {
		return "0"
	}
	return fmt.Sprintf("%.0e", x)
}

// productSize is the number of rows and columns of the matrices of the trial product.
const productSize = 512

// product multiplies two float32 matrices of normal numbers, and reports the root-mean-square error of the product,
// relative to the root mean square of the product, against sums in float64.
func product(_ context.Context, eng *engine.Engine, _ reporter) (*Row, error) {
	const n = productSize
	rng := rand.New(rand.NewPCG(3, 4))
	a, b := make([]float32, n*n), make([]float32, n*n)
	exactA, exactB := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range a {
		a[i], b[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
		exactA.RawMatrix().Data[i], exactB.RawMatrix().Data[i] = float64(a[i]), float64(b[i])
	}
	out, err := CallOnce(eng.Backend, func(x, y *Node) *Node { return MatMul(x, y) },
		tensors.FromFlatDataAndDimensions(a, n, n), tensors.FromFlatDataAndDimensions(b, n, n))
	if err != nil {
		return nil, err
	}
	got, err := tensors.CopyFlatData[float32](out)
	if err != nil {
		return nil, err
	}
	var exact, wrong mat.Dense
	exact.Mul(exactA, exactB)
	wrong.Apply(func(i, j int, x float64) float64 { return float64(got[i*n+j]) - x }, &exact)
	relative := mat.Norm(&wrong, 2) / mat.Norm(&exact, 2)
	if math.IsNaN(relative) || math.IsInf(relative, 0) {
		return nil, fmt.Errorf("on %s the product of two finite matrices holds numbers that are not finite", eng.Name())
	}
	return productRow(relative), nil
}

// productRow reports the precision of a product. Up to 1e-5 it is float32; TF32 and bfloat16 give about 3e-4 and 2e-3,
// and bfloat16 was not requested.
func productRow(relative float64) *Row {
	row := &Row{What: fmt.Sprintf("a %d×%d float32 matrix product", productSize, productSize), Result: Pass,
		Values: map[string]float64{"relative_error": relative}}
	precision := "as float32"
	switch {
	case !(relative < 1e-3):
		row.Result, precision = Fail, "too far off for float32 or TF32"
	case relative > 1e-5:
		precision = "as TF32"
	}
	row.Detail = fmt.Sprintf("relative error %.0e against float64, %s", relative, precision)
	return row
}
