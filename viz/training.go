package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// TrainingLog is the record of a training run. Slices with an entry for each step are as long as Losses or empty;
// entries that are not finite are left out. Slices with an entry for each reading (an evaluation during training) are
// as long as ReadingSteps or empty.
type TrainingLog struct {
	Name   string    // of the loss, which determines the style; see StyleFor
	Losses []float64 // of every step, in nats
	Chance float64   // the loss of an encoder that maps everything to one point; 0 if unknown
	Rates  []float64 // learning rate of every step

	GradientNorms   []float64 // length of the gradient of every step
	ProjectionNorms []float64 // largest length of a projection of every step

	ReadingSteps []float64 // steps done at each reading
	Alignment    []float64 // of two views of the same examples, 0 at best
	Uniformity   []float64 // of the projections, lower for more uniform ones
	Ranks        []float64 // effective rank of the projections
	FullRank     int       // the largest possible rank; 0 if unknown
	Neighbors    []Curve   // results of nearest-neighbor classification, as fractions, over ReadingSteps
}

// TrainingConfig configures TrainingCurves. The zero value works; labels and size are those of LearningCurves. Width
// and Height are those of the whole column.
type TrainingConfig struct {
	Figure
	Smooth int // number of values in the running mean of the loss and the norms; 0 means a fiftieth of the steps
}

// TrainingCurves draws the course of training: the loss with the chance level as a dotted line, and below it, in pairs,
// a panel for each of these series in the log: learning rate, length of the gradient, longest projection, alignment and
// uniformity, effective rank, nearest neighbors.
//
// It returns an error if there is no loss, or if slices that belong together differ in length.
func TrainingCurves(cfg TrainingConfig, log TrainingLog) (*Composite, error) {
	if err := log.check(); err != nil {
		return nil, err
	}
	smooth := cmp.Or(cfg.Smooth, len(log.Losses)/50)
	loss := log.perStep(cmp.Or(log.Name, "loss"), log.Losses)
	if len(loss.X) == 0 {
		return nil, fmt.Errorf("viz: training curves: no loss is a finite number: %w", ErrNotFinite)
	}
	top := CurvesConfig{Figure: Figure{Title: cfg.Title, XLabel: cfg.XLabel, YLabel: cfg.YLabel}, Smooth: smooth}
	if log.Chance != 0 {
		top.References = []Reference{{Name: "chance level " + number(log.Chance, 2), Y: log.Chance}}
	}
	p, lossErr := LearningCurves(top, loss)
	panels, panelsErr := log.panels(cfg.XLabel, smooth)
	if err := cmp.Or(lossErr, panelsErr); err != nil {
		return nil, err
	}
	figures := []Drawer{p}
	for pair := range slices.Chunk(panels, 2) {

		row, err := Panels(cfg.Width, 2.6*vg.Inch, pair...)
		if err != nil {
			return nil, err
		}
		figures = append(figures, row)
	}
	column, err := Column(cfg.Width, figures...)
	if err == nil {
		column.height = cmp.Or(cfg.Height, column.height)
	}
	return column, err
}

// panels returns the plots for which there are numbers, in order.
func (l TrainingLog) panels(xLabel string, smooth int) ([]*plot.Plot, error) {
	neighbors := make([]Curve, len(l.Neighbors))
	for i, n := range l.Neighbors {
		neighbors[i] = finite(n.Name, n.X, n.Y)
		floats.Scale(100, neighbors[i].Y)
	}
	var plots []*plot.Plot
	for _, panel := range []struct {
		label  string
		smooth int
		curves []Curve
		full   int
	}{
		{"learning rate", 0, []Curve{l.perStep("learning rate", l.Rates)}, 0},
		{"length of the gradient", smooth, []Curve{l.perStep("gradient", l.GradientNorms)}, 0},
		{"longest projection", smooth, []Curve{l.perStep("longest projection", l.ProjectionNorms)}, 0},
		{"alignment, uniformity", 0, []Curve{finite("alignment", l.ReadingSteps, l.Alignment),
			finite("uniformity", l.ReadingSteps, l.Uniformity)}, 0},
		{"effective rank", 0, []Curve{finite("projections", l.ReadingSteps, l.Ranks)}, l.FullRank},
		{"nearest neighbors (%)", 0, neighbors, 0},
	} {
		curves := slices.DeleteFunc(panel.curves, func(c Curve) bool { return len(c.X) == 0 })
		if len(curves) == 0 {
			continue
		}
		cfg := CurvesConfig{Figure: Figure{XLabel: xLabel, YLabel: panel.label}, Smooth: panel.smooth}
		if panel.full > 0 {
			cfg.References = []Reference{{Name: fmt.Sprintf("all %d dimensions", panel.full), Y: float64(panel.full)}}
		}
		p, err := LearningCurves(cfg, curves...)
		if err != nil {
			return nil, err
		}
		p.X.Min, p.X.Max = min(p.X.Min, 1), max(p.X.Max, float64(len(l.Losses))) // all panels show the whole run
		plots = append(plots, p)
	}
	return plots, nil
}

// perStep returns the curve of the finite values of every step.
func (l TrainingLog) perStep(name string, values []float64) Curve {
	return finite(name, Steps("", values).X, values)
}

// finite returns the curve of those y that are finite numbers.
func finite(name string, x, y []float64) Curve {
	c := Curve{Name: name}
	for i, v := range y {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			c.Add(x[i], v)
		}
	}
	return c
}

// check returns an error if there is no step, or slices that belong together differ in length.
func (l TrainingLog) check() error {
	if len(l.Losses) == 0 {
		return fmt.Errorf("viz: training curves: %w: the run has no step yet", ErrNoData)
	}
	for _, s := range []struct {
		name         string
		values, like []float64
	}{
		{"Rates", l.Rates, l.Losses}, {"GradientNorms", l.GradientNorms, l.Losses}, {"ProjectionNorms", l.ProjectionNorms, l.Losses},
		{"Alignment", l.Alignment, l.ReadingSteps}, {"Uniformity", l.Uniformity, l.ReadingSteps}, {"Ranks", l.Ranks, l.ReadingSteps},
	} {
		if n := len(s.values); n != 0 && n != len(s.like) {
			return fmt.Errorf("viz: training curves: %s has %d entries, want %d or none: %w", s.name, n, len(s.like), ErrLength)
		}
	}
	for _, c := range l.Neighbors {
		if len(c.X) != len(c.Y) {
			return fmt.Errorf("viz: training curves: the curve %q has %d x values and %d y values: %w", c.Name, len(c.X), len(c.Y), ErrLength)
		}
	}
	return nil
}
