package encoder

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// network returns a small encoder with its projector and a scalar that depends on all outputs unevenly.
func network(scope *model.Scope, images *Node) *Node {
	h := SmallCNN{Width: 2, Dim: 3}.Embed(scope.In("encoder"), images, true)
	z := Projector(scope.In("projector"), h, 2, true)
	weigh := func(x *Node) *Node { return ReduceAllSum(Mul(x, Sin(IotaFull(x.Graph(), x.Shape())))) }
	return Add(weigh(h), weigh(Square(z)))
}

func randomImages(n, size int) []float64 {
	rng := rand.New(rand.NewPCG(6, 6))
	flat := make([]float64, n*size*size)
	for i := range flat {
		flat[i] = rng.Float64()
	}
	return flat
}

// Every gradient that training relies on, through convolutions of stride 2, batch normalization in training, ReLU and dense
// layers, against central differences in float64: with respect to the images and to every weight.
func TestGradientsAgainstDifferences(t *testing.T) {
	const n, size = 3, 9
	eng := enginetest.Open(t)
	store := model.NewStore()
	SetSeed(store, 11)
	flat := randomImages(n, size)
	images := func() *tensors.Tensor { return tensors.FromFlatDataAndDimensions(flat, n, size, size, 1) }

	var names []string
	gradient := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, inputs []*Node) []*Node {
		x := inputs[0]
		loss := network(scope, x)
		wrt := []*Node{x}
		names = []string{"images"}
		for v := range store.IterVariables() {
			if v.Trainable && v.InUseByGraph(x.Graph()) {
				wrt, names = append(wrt, v.NodeValue(x.Graph())), append(names, v.Path())
			}
		}
		return Gradient(loss, wrt...)
	})
	value := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, inputs []*Node) *Node { return network(scope, inputs[0]) })
	loss := func() float64 {
		out, err := value.Call1(images())
		if err != nil {
			t.Fatal(err)
		}
		return tensors.ToScalar[float64](out)
	}
	grads, err := gradient.Call(images())
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 12 {
		t.Fatalf("only %v are trained", names)
	}
	rng := rand.New(rand.NewPCG(1, 9))
	const h = 1e-5
	for i, name := range names {
		want := tensors.MustCopyFlatData[float64](grads[i])
		for range 4 { // entries drawn at random
			k := rng.IntN(len(want))
			move := func(by float64) {
				if name == "images" {
					flat[k] += by
					return
				}
				v := store.GetVariable(name)
				moved := tensors.MustCopyFlatData[float64](v.MustValue())
				moved[k] += by
				if err := v.SetValue(tensors.FromFlatDataAndDimensions(moved, v.Shape().Dimensions...)); err != nil {
					t.Fatal(err)
				}
			}
			move(h)
			up := loss()
			move(-2 * h)
			down := loss()
			move(h)
			if diff := (up - down) / (2 * h); !(math.Abs(diff-want[k]) <= 1e-5*max(1, math.Abs(want[k]))) {
				t.Errorf("%s, entry %d: gradient %g, difference %g", name, k, want[k], diff)
			}
		}
	}
}

func TestBatchNormTrainsAndRemembers(t *testing.T) {
	eng := enginetest.Open(t)
	store := model.NewStore()
	x := [][]float32{{1, 10}, {2, 10}, {3, 40}, {6, 20}}
	train := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, inputs []*Node) *Node { return BatchNorm(scope, inputs[0], true) })
	out, err := train.Call1(x)
	if err != nil {
		t.Fatal(err)
	}
	y := out.Value().([][]float32)
	for c, want := range []struct{ mean, variance float64 }{{3, 3.5}, {20, 150}} { // variances with n in the denominator
		for i := range x {
			expect := (float64(x[i][c]) - want.mean) / math.Sqrt(want.variance+1e-5)
			if !(math.Abs(float64(y[i][c])-expect) <= 1e-5) {
				t.Errorf("channel %d, row %d: %g, want %g", c, i, y[i][c], expect)
			}
		}
	}
	// A tenth of the way from 0 and 1 to the batch's mean and its variance with n−1 in the denominator.
	use := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, inputs []*Node) *Node { return BatchNorm(scope, inputs[0], false) })
	out, err = use.Call1([][]float32{{1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	got := out.Value().([][]float32)[0]
	for c, want := range []float64{(1 - 0.3) / math.Sqrt(0.9+0.1*3.5*4/3+1e-5), (1 - 2) / math.Sqrt(0.9+0.1*150*4/3+1e-5)} {
		if !(math.Abs(float64(got[c])-want) <= 1e-5) {
			t.Errorf("in use, channel %d: %g, want %g", c, got[c], want)
		}
	}
}

func TestWeightsDependOnSeedAndPathAlone(t *testing.T) {
	eng := enginetest.Open(t)
	draw := func(seed uint64, first, second string) []float32 {
		store := model.NewStore()
		SetSeed(store, seed)
		exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, inputs []*Node) *Node {
			Dense(scope.In("%s", first), inputs[0], 2, false)
			return Dense(scope.In("%s", second), inputs[0], 2, false)
		})
		if _, err := exec.Call1([][]float32{{1, 2, 3}}); err != nil {
			t.Fatal(err)
		}
		return tensors.MustCopyFlatData[float32](store.GetVariable("/a/weights").MustValue())
	}
	base := draw(1, "a", "b")
	same := func(x []float32) bool { return x[0] == base[0] && x[5] == base[5] }
	if !same(draw(1, "b", "a")) {
		t.Error("the order of building changes the weights")
	}
	if same(draw(2, "a", "b")) {
		t.Error("the seed does not change the weights")
	}
}

func TestEvenKernelsAreRefused(t *testing.T) {
	exec := model.MustNewExec(enginetest.Open(t).Backend, model.NewStore(), func(scope *model.Scope, inputs []*Node) *Node {
		return Convolution(scope, inputs[0], 1, 2, 1)
	})
	refusal.Check(t, fault.Root(refusal.Err(exec.Call1([][][][]float32{{{{1}, {2}}, {{3}, {4}}}}))), "even … use an odd one")
}
