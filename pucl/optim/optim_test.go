package optim

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// frozen holds the output of testdata/make_fixtures.py.
type frozen struct {
	Shapes    map[string][]int
	Start     map[string][]float64
	Gradients []map[string][]float64
	Rates     []float64 // as shares of the peak
	Cases     map[string]struct {
		Peak  float64
		After []map[string][]float64
	}
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	data := expect.Must(os.ReadFile("testdata/" + name))(t)
	expect.NoError(t, json.Unmarshal(data, into))
}

// run holds the variables of the frozen cases and a compiled step that follows given gradients.
type run struct {
	frozen
	names []string
	store *model.Store
	exec  *model.Exec
	dtype dtypes.DType
}

// tensor returns a tensor of the frozen values, in the run's precision.
func (r *run) tensor(name string, values []float64) *tensors.Tensor {
	if r.dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(values, r.Shapes[name]...)
	}
	narrow := make([]float32, len(values))
	for i, v := range values {
		narrow[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(narrow, r.Shapes[name]...)
}

// newRun creates the variables in store unless it has them.
func newRun(t *testing.T, eng *engine.Engine, o Optimizer, dtype dtypes.DType, store *model.Store) *run {
	t.Helper()
	r := &run{store: store, dtype: dtype}
	read(t, "cases.json", &r.frozen)
	for name := range r.Shapes {
		r.names = append(r.names, name)
	}
	slices.Sort(r.names)
	for _, name := range r.names {
		if store.GetVariable("/net/"+name) == nil {
			expect.Must(store.CreateVariable("/net/"+name, r.tensor(name, r.Start[name])))(t)
		}
	}
	var err error
	r.exec, err = model.NewExec(eng.Backend, store, func(scope *model.Scope, inputs []*Node) *Node {
		g := inputs[0].Graph()
		loss := ScalarZero(g, dtype) // Σ ⟨gradient, variable⟩, whose gradient is the given one
		for i, name := range r.names {
			loss = Add(loss, ReduceAllSum(Mul(store.GetVariable("/net/"+name).NodeValue(g), inputs[i])))
		}
		optimizer.LearningRateVar(scope, dtype, o.PeakRate()).SetNodeValue(inputs[len(r.names)])
		o.UpdateGraph(scope, g, loss)
		return loss
	})
	expect.NoError(t, err)
	t.Cleanup(r.exec.Finalize)
	return r
}

// step takes one step with the frozen gradients, at the given rate.
func (r *run) step(t *testing.T, i int, rate float64) {
	t.Helper()
	var inputs []any
	for _, name := range r.names {
		inputs = append(inputs, r.tensor(name, r.Gradients[i][name]))
	}
	if r.dtype == dtypes.Float64 {
		inputs = append(inputs, rate)
	} else {
		inputs = append(inputs, float32(rate))
	}
	expect.Must(r.exec.Call(inputs...))(t)
}

// values returns a variable's values.
func (r *run) values(t *testing.T, path string) []float64 {
	t.Helper()
	value := expect.Must(r.store.GetVariable(path).Value())(t)
	if r.dtype == dtypes.Float64 {
		return tensors.MustCopyFlatData[float64](value)
	}
	var wide []float64
	for _, v := range tensors.MustCopyFlatData[float32](value) {
		wide = append(wide, float64(v))
	}
	return wide
}

var cases = map[string]Optimizer{
	"lars":                        LARS{},
	"lars nesterov, strong decay": LARS{LearningRate: 2.4, Momentum: 0.8, WeightDecay: 0.1, Trust: 0.02, Epsilon: 1e-3, Nesterov: true},
	"lars without momentum":       LARS{Momentum: -1, WeightDecay: 1e-2},
	"lars, nothing excluded":      LARS{Nesterov: true, Exclude: Nothing},
	"lars, all excluded":          LARS{LearningRate: 0.5, Exclude: func(*model.Variable) bool { return true }},
	"sgd":                         SGD{},
	"sgd nesterov, strong decay":  SGD{LearningRate: 0.2, Momentum: 0.7, WeightDecay: 0.1, Nesterov: true},
	"sgd plain":                   SGD{LearningRate: 0.5, Momentum: -1, WeightDecay: -1},
	"adamw":                       AdamW{},
	"adamw, other numbers":        AdamW{LearningRate: 0.1, Beta1: 0.5, Beta2: 0.99, Epsilon: 1e-3, WeightDecay: 0.2},
	"adam":                        AdamW{LearningRate: 0.01, WeightDecay: -1},
}

// Every optimizer must agree with PyTorch's and lightly's after each of several steps.
func TestAgainstPyTorchAndLightly(t *testing.T) {
	all := enginetest.All(t)
	for _, precision := range []struct {
		dtype     dtypes.DType
		tolerance float64
		eng       *engine.Engine
	}{{dtypes.Float64, 1e-12, enginetest.Open(t)}, {dtypes.Float32, 2e-6, all[len(all)-1]}} {
		for name, o := range cases {
			if precision.dtype == dtypes.Float32 && !slices.Contains([]string{"lars", "sgd", "adamw"}, name) {
				continue // the formulas are the same, and XLA compiles them for a while
			}
			t.Run(name+" "+precision.dtype.String(), func(t *testing.T) {
				r := newRun(t, precision.eng, o, precision.dtype, model.NewStore())
				c, ok := r.Cases[name]
				expect.Require(t, ok && c.Peak == o.PeakRate() && len(c.After) == 6,
					"the fixtures have no %q of 6 steps with peak %g", name, o.PeakRate())
				for i, want := range c.After {
					r.step(t, i, r.Rates[i]*c.Peak)
					for _, variable := range r.names {
						got := r.values(t, "/net/"+variable)
						for k := range got {
							expect.Require(t, math.Abs(got[k]-want[variable][k]) <= precision.tolerance,
								"step %d: %s[%d] = %.15g, want %.15g", i, variable, k, got[k], want[variable][k])
						}
					}
				}
			})
		}
	}
}

// Three steps, a copy of all variables through bytes into a new store, and three more steps must be bit-identical to
// six steps.
func TestResumeBitForBit(t *testing.T) {
	for _, name := range []string{"lars, nothing excluded", "sgd nesterov, strong decay", "adamw"} {
		t.Run(name, func(t *testing.T) {
			o := cases[name]
			whole := newRun(t, enginetest.Open(t), o, dtypes.Float32, model.NewStore())
			first := newRun(t, enginetest.Open(t), o, dtypes.Float32, model.NewStore())
			for i := range 6 {
				whole.step(t, i, 0.1)
				if i < 3 {
					first.step(t, i, 0.1)
				}
			}
			second := model.NewStore()
			for v := range first.store.IterVariables() {
				var buffer bytes.Buffer
				expect.NoError(t, v.MustValue().GobSerialize(gob.NewEncoder(&buffer)))
				value := expect.Must(tensors.GobDeserialize(gob.NewDecoder(&buffer)))(t)
				loaded := expect.Must(second.CreateVariable(v.Path(), value))(t)
				loaded.SetTrainable(v.Trainable)
			}
			rest := newRun(t, enginetest.Open(t), o, dtypes.Float32, second)
			for i := 3; i < 6; i++ {
				rest.step(t, i, 0.1)
			}
			for _, variable := range whole.names {
				expect.Equal(t, rest.values(t, "/net/"+variable), whole.values(t, "/net/"+variable), variable)
			}
			expect.That(t, rest.store.NumVariables() == whole.store.NumVariables(),
				"%d variables after the break, %d without", rest.store.NumVariables(), whole.store.NumVariables())
			expect.Equal(t, optimizer.GetGlobalStep(rest.store), 6, "the global step")
		})
	}
}

// The state is stored under /optim, is not trainable, and Clear deletes it and nothing else.
func TestClear(t *testing.T) {
	for _, o := range []Optimizer{LARS{}, SGD{}, AdamW{}} {
		r := newRun(t, enginetest.Open(t), o, dtypes.Float32, model.NewStore())
		r.step(t, 0, 0.1)
		state := 0
		for v := range r.store.IterVariables() {
			expect.That(t, v.Trainable == strings.HasPrefix(v.Path(), "/net/"),
				"%s: %s: trainable is %v", o, v.Path(), v.Trainable)
			if strings.HasPrefix(v.Path(), "/optim/") {
				state++
			}
		}
		expect.That(t, state >= len(r.names), "%s keeps %d variables for %d", o, state, len(r.names))
		before := r.store.NumVariables()
		expect.NoError(t, o.Clear(r.store.RootScope()))
		expect.Equal(t, r.store.NumVariables(), before-state, "variables of %s", o)
	}
}

// The rate is the peak if it is not set, and a variable of half precision has a state of float32.
func TestRateAndPrecision(t *testing.T) {
	store := model.NewStore()
	o := SGD{LearningRate: 0.25}
	out := expect.Must(model.CallOnceN(enginetest.Open(t).Backend, store, func(scope *model.Scope, x *Node) []*Node {
		v := scope.In("net").VariableWithValue("w", []float32{1, 2})
		half := scope.At("net").VariableWithShape("half", shapes.Make(dtypes.BFloat16, 2))
		loss := Add(ReduceAllSum(Mul(v.NodeValue(x.Graph()), x)),
			ReduceAllSum(ConvertDType(half.NodeValue(x.Graph()), dtypes.Float32)))
		o.UpdateGraph(scope, x.Graph(), loss)
		return []*Node{v.NodeValue(x.Graph())}
	}, []float32{4, -4}))(t)
	expect.Equal(t, out[0].Value().([]float32), []float32{0, 3})
	if state := store.GetVariable("/optim/sgd/net/half_velocity"); state == nil || state.DType() != dtypes.Float32 {
		t.Errorf("the velocity of a bfloat16 variable is %v, want float32", state)
	}
	if v := store.GetVariable("/net/half"); v.DType() != dtypes.BFloat16 {
		t.Errorf("the bfloat16 variable became %s", v.DType())
	}
}

// A trainable integer variable, as the state of a random generator can be after loading, is unchanged.
func TestWholeNumbersAreLeftAlone(t *testing.T) {
	for _, o := range []Optimizer{LARS{}, SGD{}, AdamW{}} {
		store := model.NewStore()
		_, err := model.CallOnceN(enginetest.Open(t).Backend, store, func(scope *model.Scope, x *Node) []*Node {
			state := scope.VariableWithValue("rngState", []uint64{1 << 63, 12345678901234567})
			w := scope.VariableWithValue("w", []float32{1, 2})
			noise := ReduceAllSum(ConvertDType(state.NodeValue(x.Graph()), dtypes.Float32))
			loss := Add(ReduceAllSum(Mul(w.NodeValue(x.Graph()), x)), MulScalar(noise, 1e-30))
			o.UpdateGraph(scope, x.Graph(), loss)
			return []*Node{loss}
		}, []float32{4, -4})
		expect.Require(t, err == nil, "%s: %v", o, err)
		got := tensors.MustCopyFlatData[uint64](store.GetVariable("/rngState").MustValue())
		expect.That(t, slices.Equal(got, []uint64{1 << 63, 12345678901234567}), "%s moved whole numbers to %v", o, got)
		if w := tensors.MustCopyFlatData[float32](store.GetVariable("/w").MustValue()); w[0] == 1 {
			t.Errorf("%s moved nothing", o)
		}
	}
}

func TestErrors(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		o    Optimizer
		want string
	}{
		{LARS{LearningRate: -1}, "learning rate -1 … it must be a positive number"}, {LARS{Momentum: 1}, "momentum 1 … it must be less than 1 (0.9 is usual)"}, {LARS{Trust: -1},
			"trust coefficient -1 and epsilon 0 … both must be positive, or 0 for the defaults"},
		{LARS{WeightDecay: nan}, "weight decay NaN … it must be a small number such as 1e-4"}, {LARS{Nesterov: true, Momentum: -1}, "Nesterov) by its momentum, but has none … set Momentum, or Nesterov to false"}, {LARS{Epsilon: nan},
			"epsilon NaN … both must be positive, or 0 for the defaults"},
		{SGD{LearningRate: nan}, "learning rate NaN … it must be a positive number"},
		{SGD{Nesterov: true, Momentum: -1}, "Nesterov) by its momentum, but has none … set Momentum, or Nesterov to false"}, {SGD{Momentum: nan},
			"momentum NaN … it must be less than 1 (0.9 is usual)"},
		{AdamW{Beta1: 1}, "Beta1 1 and Beta2 0 … both must be at least 0 and less"}, {AdamW{Beta1: -1},
			"Beta1 -1 and Beta2 0; … both must be at least 0 and less than 1"},
		{AdamW{Beta2: -0.5}, "Beta2 -0.5 … both must be at least 0 and less"}, {AdamW{Epsilon: -1},
			"epsilon -1 … it must be positive, or 0 for the default 1e-8"},
		{AdamW{LearningRate: math.Inf(1)}, "+Inf … it must be a positive number"},
	} {
		refusal.Check(t, tt.o.Check(), tt.want)
		// The graph returns the same message.
		_, err := model.CallOnceN(enginetest.Open(t).Backend, model.NewStore(), func(scope *model.Scope, x *Node) []*Node {
			loss := ReduceAllSum(Mul(scope.VariableWithValue("w", []float32{1}).NodeValue(x.Graph()), x))
			tt.o.UpdateGraph(scope, x.Graph(), loss)
			return []*Node{loss}
		}, []float32{1})
		refusal.Check(t, fault.Root(err), tt.want)
	}
	for _, o := range []Optimizer{LARS{}, SGD{}, AdamW{}} {
		expect.NoError(t, o.Check())
	}
	for want, loss := range map[string]func(scope *model.Scope, x *Node) *Node{
		"the loss has shape (Float32)[1] … scalar":                                               func(_ *model.Scope, x *Node) *Node { return x },
		`no trainable variable under scope "/" … create the variables before the optimizer runs`: func(_ *model.Scope, x *Node) *Node { return ReduceAllSum(x) },
	} {
		_, err := model.CallOnceN(enginetest.Open(t).Backend, model.NewStore(), func(scope *model.Scope, x *Node) []*Node {
			SGD{}.UpdateGraph(scope, x.Graph(), loss(scope, x))
			return []*Node{x}
		}, []float32{1})
		refusal.Check(t, fault.Root(err), want)
	}
}

// In a network of this project, Vectors names the biases and the batch normalization, and nothing else.
func TestVectorsInANetwork(t *testing.T) {
	store := model.NewStore()
	excluded, kept := map[string]bool{}, map[string]bool{}
	expect.Must(model.CallOnceN(enginetest.Open(t).Backend, store, func(scope *model.Scope, images *Node) []*Node {
		h := encoder.SmallCNN{Width: 2, Dim: 4}.Embed(scope.In("encoder"), images, true)
		z := encoder.Projector(scope.In("projector"), h, 3, true)
		for _, v := range trained(scope, images.Graph()) {
			if Vectors(v) {
				excluded[v.Name()] = true
			} else {
				kept[v.Name()] = true
			}
		}
		return []*Node{z}
	}, tensors.FromFlatDataAndDimensions(make([]float32, 2*8*8), 2, 8, 8, 1)))(t)
	expect.Equal(t, slices.Sorted(maps.Keys(excluded)), []string{"bias", "scale", "shift"}, "excluded")
	expect.Equal(t, slices.Sorted(maps.Keys(kept)), []string{"kernel", "weights"}, "not excluded")
}
