package theory

import (
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory/internal/theorytest"
)

// Positives at +1 and −1 with probability ¾ and ¼, negatives at −1, π = 0.4 and e^(1/τ) = 2.
func TestAnchorsByHand(t *testing.T) {
	p := Population{Positive: []Atom{{[]float64{1}, 0.75}, {[]float64{-1}, 0.25}}, Negative: []Atom{{[]float64{-1}, 1}}}
	anchors := expect.Must(Anchors(p, 0.4, 1/math.Ln2))(t)
	expect.Require(t, len(anchors) == 3, "%d anchors, want 3", len(anchors))
	for i, want := range []struct {
		positive               bool
		p, tauPlus             float64
		own, other, all, meanS float64
	}{
		{true, 0.3, 0.4, 0.75*2 + 0.25*0.5, 0.5, 0.4*1.625 + 0.6*0.5, 0.5 * math.Ln2},
		{true, 0.1, 0.4, 0.75*0.5 + 0.25*2, 2, 0.4*0.875 + 0.6*2, -0.5 * math.Ln2},
		{false, 0.6, 0.6, 2, 0.75*0.5 + 0.25*2, 0.6*2 + 0.4*0.875, math.Ln2},
	} {
		a := anchors[i]
		expect.That(t, a.Positive == want.positive, "anchor %d is of the wrong class", i)
		near(t, "probability", a.P, want.p, 1e-15)
		near(t, "τ⁺", a.TauPlus, want.tauPlus, 1e-15)
		near(t, "own", MeanExp(a.Own), want.own, 1e-14)
		near(t, "other", MeanExp(a.Other), want.other, 1e-14)
		near(t, "all", MeanExp(a.All()), want.all, 1e-14)
		near(t, "mean s", Mean(a.Own, func(s float64) float64 { return s }), want.meanS, 1e-14)
	}
	one, err := Anchors(p, 1, 1)
	expect.That(t, err == nil && len(one) == 2, "with π = 1: %d anchors, %v; want the 2 positive ones", len(one), err)
	wantError(t, "prior", expect.Err(Anchors(p, -0.1, 1)), "π = -0.1")
	wantError(t, "temperature", expect.Err(Anchors(p, 0.5, 0)), "τ = 0")
}

func TestExpectMeanExpAgainstAllSequences(t *testing.T) {
	of := []Encounter{{0.3, 0.2}, {-1, 0.5}, {0.3, 0.1}, {0.8, 0.2}} // one value twice
	p := make([]float64, len(of))
	for i, e := range of {
		p[i] = e.P
	}
	for _, n := range []int{1, 2, 4} {
		want := 0.0
		sequences(p, n, func(drawn []int, probability float64) {
			sum := 0.0
			for _, k := range drawn {
				sum += math.Exp(of[k].S)
			}
			want += probability * math.Sqrt(sum/float64(n))
		})
		got := expect.Must(ExpectMeanExp(of, n, math.Sqrt))(t)
		near(t, "expectation", got, want, 1e-14)
	}
	wantError(t, "no draws", expect.Err(ExpectMeanExp(of, 0, math.Sqrt)), "0 draws")
	merged := mergeEqual(of)
	expect.That(t, len(merged) == 3 && math.Abs(merged[0].P-0.3) <= 1e-15, "merged into %v", merged)
}

// Both gradients, for both meanings of z·z', against central differences of loops over the rows.
func TestAnchorGradientsAgainstFiniteDifferences(t *testing.T) {
	const tau, h = 0.7, 1e-5
	z := [][]float64{{1, 0.2}, {-0.4, 1}, {0.3, -2}, {0.8, 0.9}, {-1, 0.1}, {1.5, 0.7}}
	labeled, class := []bool{true, true, false}, []int32{1, 1, 0}
	products := map[Similarity]func(a, b []float64) float64{
		Cosine:       cosine,
		InnerProduct: func(a, b []float64) float64 { return a[0]*b[0] + a[1]*b[1] },
	}
	for _, o := range []pucl.Objective{pucl.PUCL(), pucl.SCL()} {
		for similarity, product := range products {
			score := func(i int) float64 { // ℓ_i
				similarities := make([]float64, len(z))
				for j := range z {
					similarities[j] = product(z[i], z[j]) / tau
				}
				return theorytest.Rules[o.Name].AnchorLoss(i, similarities, func(row int) bool { return labeled[row%3] },
					func(row int) bool { return class[row%3] == 1 })
			}
			got := expect.Must(AnchorGradients(openEngine(t), o, GivenBatch{z, labeled, class}, similarity, tau))(t)
			for i := range z {
				for k, x := range z[i] {
					slope := func(f func() float64) float64 {
						defer func() { z[i][k] = x }()
						z[i][k] = x + h
						up := f()
						z[i][k] = x - h
						return (up - f()) / (2 * h)
					}
					near(t, o.Name+", alone, "+similarity.String(), got.Alone[i][k], slope(func() float64 { return score(i) }), 1e-8)
					near(t, o.Name+", whole, "+similarity.String(), got.Whole[i][k], slope(func() float64 {
						sum := 0.0
						for row := range z {
							sum += score(row)
						}
						return sum
					}), 1e-8)
				}
			}
		}
	}
}

func TestAnchorGradientsRefuse(t *testing.T) {
	good := GivenBatch{Z: [][]float64{{1, 0}, {0, 1}}, Labeled: []bool{true}}
	eng := openEngine(t)
	wantError(t, "no engine", expect.Err(AnchorGradients(nil, pucl.PUCL(), good, Cosine, 1)), "engine.Open")
	_, err := AnchorGradients(eng, pucl.PUCL(), GivenBatch{Z: good.Z}, Cosine, 1)
	wantError(t, "no labels", err, "2 rows with 0 labels")
	_, err = AnchorGradients(eng, pucl.PUCL(), GivenBatch{Z: [][]float64{{1, 0}, {0, 0}}, Labeled: good.Labeled}, Cosine, 1)
	wantError(t, "origin", err, "row 1", "origin")
	_, err = AnchorGradients(eng, pucl.UniformityLoss(), good, Cosine, 1)
	wantError(t, "no per-anchor loss", err, "no per-anchor loss")
	wantError(t, "similarity", expect.Err(AnchorGradients(eng, pucl.PUCL(), good, Similarity(7), 1)), "Similarity(7)")
	wantError(t, "temperature", expect.Err(AnchorGradients(eng, pucl.PUCL(), good, Cosine, -1)), "τ = -1")
	wantError(t, "no classes", expect.Err(AnchorGradients(eng, pucl.SCL(), good, Cosine, 1)), "SameClass")
}

func TestPositiveShare(t *testing.T) {
	near(t, "2 of 2, 3 of 6", Design{Labeled: 2, Unlabeled: 6, Prior: 0.5}.PositiveShare(), 5.0/8, 1e-15)
	near(t, "nothing unlabeled", Design{Labeled: 2, Scheme: SingleDataset, Prior: 1, LabelRate: 1}.PositiveShare(), 1, 0)
	// Of 10 examples of a single data set with π = 0.5 and c = 0.4, two are labeled on average; of the other eight,
	// three are positive.
	near(t, "single data set", Design{Labeled: 2, Unlabeled: 8, Prior: 0.5, Scheme: SingleDataset, LabelRate: 0.4}.PositiveShare(), 0.5, 1e-15)
}
