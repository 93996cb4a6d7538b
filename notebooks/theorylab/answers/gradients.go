package answers

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/claims"
)

// Gradients are the answer to "gradients": derivatives of mean losses with respect to the points, the positive ones
// first. Norms are over all points together.
type Gradients struct {
	Loss      [][]float64 `json:"loss"`
	Ideal     [][]float64 `json:"ideal"`
	Norm      float64     `json:"norm"`
	NormIdeal float64     `json:"norm_ideal"`
	Bias      float64     `json:"bias"` // |E∇L − ∇L*|

	Theorem4 *Theorem4 `json:"theorem4,omitempty"` // for theorem 4
}

// Theorem4 compares a loss with ssCL. For PUCL, E∇L − E∇ssCL = −κ∇μ_P, so its bias is smaller if and only if 2⟨B, ∇μ_P⟩
// > κ|∇μ_P|², where κ > 0; B is the bias of ssCL's gradient.
type Theorem4 struct {
	Norm     float64 `json:"norm"`     // |E∇ssCL|
	Bias     float64 `json:"bias"`     // |B|
	Apart    float64 `json:"apart"`    // |E∇L − E∇ssCL|
	Kappa    float64 `json:"kappa"`    // κ
	Expected float64 `json:"expected"` // κ|∇μ_P|, the value of Apart for PUCL
	Along    float64 `json:"along"`    // 2⟨B, ∇μ_P⟩
	Needed   float64 `json:"needed"`   // κ|∇μ_P|²

	// Variation of a batch's gradient: the variance summed over all coordinates of the points, and the smallest
	// eigenvalue of Cov(∇ssCL) − Cov(∇L), negative if the gradient of the loss varies more than ssCL's in some
	// direction.
	Variance         float64 `json:"variance"`
	VarianceBaseline float64 `json:"variance_baseline"`
	LeastGain        float64 `json:"least_gain"`
}

func (l *Lab) gradients(c Circle) (*Gradients, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	d := c.design()
	loss, err := l.gradient(c, c.Loss, d)
	if err != nil {
		return nil, err
	}
	ideal, err := theory.IdealGradient(c.population(), d.Prior, d.Negatives(), c.Tau)
	if err != nil {
		return nil, err
	}
	g := &Gradients{
		Loss: rowsOf(loss), Ideal: rowsOf(ideal),
		Norm: loss.Norm(), NormIdeal: ideal.Norm(), Bias: loss.Minus(ideal).Norm(),
	}
	if c.Theorem == 4 {
		g.Theorem4, err = l.theorem4(c, loss, ideal)
	}
	return g, err
}

func (l *Lab) theorem4(c Circle, loss, ideal theory.PointGradient) (*Theorem4, error) {
	than, err := l.gradient(c, baseline, c.design())
	if err != nil {
		return nil, err
	}
	// The two independent views of one labeled example are two draws of the positive class: their loss is −μ_P.
	slope, err := l.gradient(c, similarity, theory.Design{Labeled: 1})
	if err != nil {
		return nil, err
	}
	bias, kappa := than.Minus(ideal), claims.Theorem4Factor(c.design())
	along := 0.0
	for i, row := range rowsOf(slope) {
		for k, x := range row {
			along -= 2 * rowsOf(bias)[i][k] * x
		}
	}
	varies, err := l.covariance(c, c.Loss)
	if err != nil {
		return nil, err
	}
	thanVaries, err := l.covariance(c, baseline)
	if err != nil {
		return nil, err
	}
	var gain mat.SymDense
	gain.ScaleSym(-1, varies)
	gain.AddSym(&gain, thanVaries)
	return &Theorem4{
		Variance: mat.Trace(varies), VarianceBaseline: mat.Trace(thanVaries), LeastGain: theory.LeastEigenvalue(&gain),
		Norm: than.Norm(), Bias: bias.Norm(), Apart: loss.Minus(than).Norm(),
		Kappa: kappa, Expected: kappa * slope.Norm(), Along: along, Needed: kappa * math.Pow(slope.Norm(), 2),
	}, nil
}

// similarity is the similarity of an example's views, taken as a loss.
var similarity = Loss{
	Name: "own", Labeled: "OwnViews", Unlabeled: "OwnViews", With: "Nothing", Mix: 1, Weight: 1, Repel: "Nothing",
}

// gradient returns the gradient of a mean loss on the case's points.
func (l *Lab) gradient(c Circle, loss Loss, d theory.Design) (theory.PointGradient, error) {
	m, err := l.meter(loss, c.Prior, c.Tau)
	if err != nil {
		return theory.PointGradient{}, err
	}
	return m.Gradient(c.population(), d)
}

// covariance returns the covariance of the gradient of a batch's loss.
func (l *Lab) covariance(c Circle, loss Loss) (*mat.SymDense, error) {
	m, err := l.meter(loss, c.Prior, c.Tau)
	if err != nil {
		return nil, err
	}
	return m.GradientCovariance(c.population(), c.design())
}

// rowsOf returns the rows of a gradient, positive points first.
func rowsOf(g theory.PointGradient) [][]float64 { return slices.Concat(g.Positive, g.Negative) }
