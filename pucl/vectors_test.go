package pucl

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// vectorFiles lists the conformance files whose names begin with word.
func vectorFiles(t *testing.T, word string) []string {
	t.Helper()
	return vectortest.Files(t, filepath.Join("testdata", "vectors"), word)
}

var (
	readJSON     = vectortest.ReadJSON
	near         = vectortest.Near
	nearGradient = vectortest.NearGradient
)

type lossVector struct {
	Temperature float64
	Params      struct {
		Lambda  float64
		TauPlus float64 `json:"tau_plus"`
		Pi      float64
		Margin  float64
	}
	Labeled []int
	Class   []int32
	Z       [][]float64
	ZAug    [][]float64 `json:"z_aug"`
	Losses  map[string]struct {
		Value    float64
		GradZ    [][]float64 `json:"grad_z"`
		GradZAug [][]float64 `json:"grad_z_aug"`
	}
}

// objectives makes every objective that a file may name, under the names of the files.
func (v lossVector) objectives() map[string]Objective {
	made := map[string]Objective{}
	for _, o := range []Objective{
		SSCL(), SCLPU(), PUCL(), SCL(), MCL(v.Params.Lambda), DCL(DCLConfig{TauPlus: v.Params.TauPlus}), PUNCE(v.Params.Pi),
		AlignmentLoss(), UniformityLoss(), NPair(), DebiasedPos(DebiasedPosConfig{TauPlus: v.Params.TauPlus}), TrueNegatives(0), IdealCL(0),
		Pairwise(v.Params.Margin),
	} {
		made[o.Name] = o
	}
	return made
}

// TestVectors compares values and gradients with batches computed elsewhere in float64, for all entries of a file.
// Files in testdata/torch are PyTorch's, by testdata/make_torch.py.
func TestVectors(t *testing.T) {
	for _, path := range append(vectorFiles(t, "losses"), vectortest.Files(t, filepath.Join("testdata", "torch"), "losses")...) {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			var v lossVector
			readJSON(t, path, &v)
			expect.Require(t, len(v.Losses) != 0, "no loss in the file")
			names, objectives := slices.Sorted(maps.Keys(v.Losses)), v.objectives()
			for _, name := range names {
				_, ok := objectives[name]
				expect.Require(t, ok, "no objective is called %q", name)
			}
			for _, p := range vectortest.Precisions {
				exec := MustNewExec(enginetest.Open(t).Backend, func(in []*Node) []*Node {
					z := ConvertDType(StackViews(in[0], in[1]), p.DType)
					var out []*Node
					for _, name := range names {
						loss := objectives[name].Loss(Views{Z: z, Labeled: in[2], Class: in[3]}, v.Temperature)
						out = append(out, loss, Gradient(loss, z)[0])
					}
					for i := range out {
						out[i] = ConvertDType(out[i], dtypes.Float64)
					}
					return out
				})
				out := expect.Must(exec.Call(v.Z, v.ZAug, isOne(v.Labeled), v.Class))(t)
				for _, name := range names {
					want := v.Losses[name]
					what := fmt.Sprintf("%s in %s", name, p.DType)
					near(t, what, out[0].Value().(float64), want.Value, p.Value)
					nearGradient(t, what, out[1].Value().([][]float64), slices.Concat(want.GradZ, want.GradZAug), p.Grad, p.Least)
					out = out[2:]
				}
			}
		})
	}
}

func isOne(numbers []int) []bool {
	ones := make([]bool, len(numbers))
	for i, x := range numbers {
		ones[i] = x == 1
	}
	return ones
}

// With the τ⁺ of a rate, L_Pos is the N-pair loss of positives with that share drawn from the negatives, for each
// anchor.
func TestTauPlusForRate(t *testing.T) {
	eng := enginetest.Open(t)
	for seed := range uint64(3) {
		s := draw(int(seed), 2, 0.5)
		for _, rate := range []float64{0, 0.2, 0.7} {
			want := s.average(func(i int) float64 {
				own, views := s.mass(i, s.own)
				negative, n := s.mass(i, s.foreign)
				pMinus := negative / n
				return math.Log1p(n * pMinus / ((1-rate)*own/views + rate*pMinus))
			})
			o := DebiasedPos(DebiasedPosConfig{TauPlus: TauPlusForRate(rate, len(s.labeled), 2)})
			got := expect.Must(o.Value(eng, s.z, s.labeled, s.tau))(t)
			near(t, "loss", got, want, 1e-12)
		}
	}
	near(t, "three views", TauPlusForRate(0.5, 10, 3), 2/(29*0.5), 1e-15)
	panics := func(f func()) (err error) {
		defer func() { err, _ = recover().(error) }()
		f()
		return nil
	}
	for _, tt := range []struct {
		rate            float64
		examples, views int
		says            string
	}{
		{1, 8, 2, "a share of 1 false positives … below 1"},
		{-0.1, 8, 2, "a share of -0.1 … from 0"},
		{0.5, 1, 2, "batches of 1 examples with 2 views … 2 or more"},
		{0.9, 2, 2, "τ⁺ = 3.33 … above 1; make batches larger"},
	} {
		refusal.Check(t, panics(func() { TauPlusForRate(tt.rate, tt.examples, tt.views) }), tt.says)
	}
}

// The share on the floor is counted by hand: four right angles, where the own view of two of the anchors is opposite.
func TestFloored(t *testing.T) {
	eng := enginetest.Open(t)
	z := [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0, 1}} // the views of the first example are opposite, the views of the second equal
	// e^(−1/τ) − ½ is below 0 for the views of the first example; e^(1/τ) − ½ is not, for the views of the second.
	pairs, err := (DebiasedPosConfig{TauPlus: 0.5, Mixture: ObservedPositives}).Floored().Value(eng, z, []bool{false, false}, 0.5)
	expect.NoError(t, err)
	near(t, "of pairs", pairs, 0.5, 0)
	got := expect.Must((DebiasedPosConfig{TauPlus: 0.5}).Floored().Value(eng, z, []bool{false, false}, 0.5))(t)
	near(t, "with all rows", got, 0, 0)
}
