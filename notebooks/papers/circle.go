package papers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/theory"
)

// recovery names the grid of the artificial experiment.
const recovery = "recovery"

// The heads of a run of [Recovery]: the distribution of positives according to its scores.
const (
	AsTrained = "as trained" // p⁻·exp s, scaled to sum to 1
	// Corrected is the same after theory.FalsePositives.Without removes the share of false positives.
	Corrected = "corrected afterwards"
)

// The values of the heads.
const (
	Variation  Measure = "total variation" // from p⁺, 0 to 1
	Divergence Measure = "KL divergence"   // of p⁺ from the recovered distribution, in nats
)

// circleConcentration is the κ of all runs, and boundedScores the ratio of the largest to the smallest exp s at τ =
// 1/κ.
const circleConcentration = 4

var boundedScores = math.Exp(2 * circleConcentration)

// places is the number of angles from an anchor at which distributions are compared.
const places = 36

// ProbabilityAt names the value for the probability of a place, from 0 to [Places] − 1.
func ProbabilityAt(place int) Measure { return Measure(fmt.Sprintf("p at %+.0f°", AngleOf(place))) }

// Places returns the number of places.
func Places() int { return places }

// AngleOf returns the angle of a place from the anchor in degrees, starting at −180.
func AngleOf(place int) float64 { return 360*float64(place)/places - 180 }

// Circle is the configuration of a run of [Recovery].
type Circle struct {
	Concentration float64 // κ of the von Mises distribution of positives around their anchor
	Rate          float64 // ρ
	Objective     string
	Tau           float64
	Encoder       string
	Projection    int
	Update        string
	Batch, Steps  int
	Anchors       int // over which the recovered distributions are averaged
	Places        int
}

// circleVersion is the version of these runs; see experiment.Run.
const circleVersion = 1

// RecoveryRates are the ρ of [Recovery].
func RecoveryRates() []float64 { return []float64{0, 0.2, 0.4, 0.6} }

// OnCircle names the setting of [Recovery] with that rate of false positives.
func OnCircle(rate float64) string { return fmt.Sprintf("circle, ρ = %g", rate) }

// RecoveryMethods are the methods of [Recovery].
func RecoveryMethods() []string { return []string{NPair, LPosPairs, LPosRate} }

// Recovery is the artificial experiment of the slides: does L_Pos recover the original distribution? Points are uniform
// on a circle. A positive of an anchor is a draw from p⁺, a von Mises distribution around it, or with probability ρ
// from the uniform distribution, which is also p⁻. An encoder is trained on such pairs, and the distribution implied by
// exp s is compared with p⁺. With the points themselves as embeddings and τ = 1/κ the scores give exactly p⁺, so the
// correct answer is attainable.
func Recovery(size experiment.Size) (experiment.Grid, error) {
	grid := experiment.Grid{Name: recovery, Size: size}
	c := Circle{Concentration: circleConcentration, Tau: 1. / circleConcentration, Projection: 16, Batch: 128, Steps: 1000, Anchors: 72, Places: places}
	seeds, rates := uint64(3), RecoveryRates()
	switch size {
	case experiment.Smoke:
		seeds, rates, c.Steps = 2, rates[2:3], 10
	case experiment.Laptop, experiment.Paper: // a GPU gives no speedup here
	default:
		return grid, size.Unknown()
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		for _, rate := range rates {
			for _, r := range readings(rate, c.Batch) {
				if r.method == NPair || r.method == LPosPairs || r.method == LPosRate {
					grid.Runs = append(grid.Runs, c.run(r, rate, seed))
				}
			}
		}
	}
	return grid, nil
}

// run returns the run of one reading of a loss.
func (c Circle) run(r reading, rate float64, seed uint64) experiment.Run {
	t := train.Config{Objective: r.objective, Tau: c.Tau, Steps: c.Steps, Projection: c.Projection, Seed: seed,
		Encoder: encoder.MLP{Hidden: []int{64}, Dim: 64}}
	c.Rate, c.Objective, c.Encoder, c.Update = rate, r.objective.Name, encoder.Describe(t.Encoder), update(t)
	return experiment.Run{
		Setting: OnCircle(rate), Method: r.method, Seed: seed, Version: circleVersion, Config: c,
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			t.Observer = place.Observer
			m, err := train.PretrainFeatures(ctx, eng, circlePairs{c, seed}, t)
			if err != nil {
				return nil, err
			}
			points, err := c.judge(eng, m, r.positives, seed)
			return &experiment.Outcome{Record: m.Record, Points: points}, err
		},
	}
}

// circlePairs produces batches of points on the circle with their positives.
type circlePairs struct {
	Circle
	seed uint64
}

// Features returns 2, the coordinates.
func (p circlePairs) Features() int { return 2 }

// String describes the batches.
func (p circlePairs) String() string {
	return fmt.Sprintf("batches of %d points of a circle, positives of concentration %g, %g of them false, seed %d",
		p.Circle.Batch, p.Concentration, p.Rate, p.seed)
}

// Batch returns points and their positives. None is labeled.
func (p circlePairs) Batch(step int) (views []float32, labeled []bool) {
	rng := rand.New(rand.NewPCG(p.seed, uint64(step)))
	var first, second []float32
	for range p.Circle.Batch {
		anchor := 2 * math.Pi * rng.Float64()
		first, second = appendPoint(first, anchor), appendPoint(second, p.positiveOf(anchor, rng))
	}
	return append(first, second...), make([]bool, p.Circle.Batch)
}

// positiveOf draws an observed positive of an anchor.
func (c Circle) positiveOf(anchor float64, rng *rand.Rand) float64 {
	if rng.Float64() < c.Rate {
		return 2 * math.Pi * rng.Float64()
	}
	for { // rejection
		turn := 2 * math.Pi * rng.Float64()
		if rng.Float64() < math.Exp(c.Concentration*(math.Cos(turn)-1)) {
			return anchor + turn
		}
	}
}

// appendPoint appends the point at an angle, scaled so that coordinates have variance 1.
func appendPoint(x []float32, angle float64) []float32 {
	return append(x, float32(math.Sqrt2*math.Cos(angle)), float32(math.Sqrt2*math.Sin(angle)))
}

// World returns p⁺ and p⁻ over the places relative to an anchor.
func (c Circle) World() theory.FalsePositives {
	w := theory.FalsePositives{Rate: c.Rate}
	for k := range places {
		w.Positive = append(w.Positive, math.Exp(c.Concentration*math.Cos(AngleOf(k)*math.Pi/180)))
		w.Negative = append(w.Negative, 1./places)
	}
	floats.Scale(1/floats.Sum(w.Positive), w.Positive)
	return w
}

// judge evaluates the scores of a model.
func (c Circle) judge(eng *engine.Engine, m *train.Model, positives *pucl.DebiasedPosConfig, seed uint64) ([]experiment.Point, error) {
	recovered, err := c.recovered(eng, m)
	if err != nil {
		return nil, err
	}
	w := c.World()
	var points []experiment.Point
	for _, head := range []string{AsTrained, Corrected} {
		q := recovered
		if head == Corrected {
			q = w.Without(recovered)
		}
		point := experiment.Point{Head: head, Step: c.Steps, Values: map[string]float64{}}
		if point.Values[string(Variation)], err = theory.TotalVariation(w.Positive, q); err != nil {
			return nil, err
		}
		if divergence := klDivergence(w.Positive, q); !math.IsInf(divergence, 0) {
			point.Values[string(Divergence)] = divergence
		}
		for k := range q {
			point.Values[string(ProbabilityAt(k))] = q[k]
		}
		points = append(points, point)
	}
	if positives == nil {
		return points, nil
	}
	share, err := c.onFloor(eng, m, *positives, seed)
	return append(points, experiment.Point{Step: c.Steps, Values: map[string]float64{OnFloor: share}}), err
}

// recovered returns p⁻·exp s over the places, averaged over evenly spaced anchors, each rotated to angle 0, and
// normalized to 1.
func (c Circle) recovered(eng *engine.Engine, m *train.Model) ([]float64, error) {
	n := c.Anchors
	if n%places != 0 {
		return nil, fmt.Errorf("papers: %d anchors on %d places; their number must be a multiple", n, places)
	}
	var x []float64
	for i := range n {
		angle := 2 * math.Pi * float64(i) / float64(n)
		x = append(x, math.Sqrt2*math.Cos(angle), math.Sqrt2*math.Sin(angle))
	}
	e, err := m.EmbedFeatures(eng, mat.NewDense(n, 2, x))
	if err != nil {
		return nil, err
	}
	z := rows.Unit(e.Z)
	q := make([]float64, places)
	for i := range n {
		each := make([]float64, places)
		for k := range places {
			j := (i + (k+places/2)*(n/places)) % n
			each[k] = math.Exp((mat.Dot(z.RowView(i), z.RowView(j)) - 1) / c.Tau)
		}
		floats.AddScaled(q, 1/(float64(n)*floats.Sum(each)), each)
	}
	return q, nil
}

// klDivergence returns Σ p log p/q.
func klDivergence(p, q []float64) (sum float64) {
	for k := range p {
		if p[k] > 0 {
			sum += p[k] * math.Log(p[k]/q[k])
		}
	}
	return sum
}

// onFloor returns the share of anchors on the floor of L_Pos in a fresh batch.
func (c Circle) onFloor(eng *engine.Engine, m *train.Model, positives pucl.DebiasedPosConfig, seed uint64) (float64, error) {
	views, labeled := circlePairs{c, seed}.Batch(-1 - c.Steps)
	x := mat.NewDense(2*len(labeled), 2, nil)
	for i, v := range views {
		x.Set(i/2, i%2, float64(v))
	}
	e, err := m.EmbedFeatures(eng, x)
	if err != nil {
		return 0, err
	}
	z := make([][]float64, 2*len(labeled))
	for i := range z {
		z[i] = e.Z.RawRowView(i)
	}
	return positives.Floored().Value(eng, z, labeled, c.Tau)
}
