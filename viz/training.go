package viz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// TrainingLog is what a training run told of itself. Slices with an entry for each step are as long as Losses or empty;
// entries that are not finite are left out. Slices with an entry for each reading are as long as ReadingSteps or empty.
type TrainingLog struct {
	Name   string    // of the loss, which decides the look; see StyleFor
	Losses []float64 // of every step, in nats
	Chance float64   // the loss of an encoder that maps everything to one point; 0 where it is not known
	Rates  []float64 // learning rate of every step

	GradientNorms   []float64 // length of the gradient of every step
	ProjectionNorms []float64 // largest length of a projection of every step

	ReadingSteps []float64 // steps done at each reading
	Alignment    []float64 // of two views of the same examples, 0 at best
	Uniformity   []float64 // of the projections, the lower the more they spread
	Ranks        []float64 // effective rank of the projections
	FullRank     int       // the most that Ranks can be; 0 where it is not known
	Neighbours   []Curve   // what nearest neighbours make of the examples, as shares, over ReadingSteps
}

// TrainingConfig says how TrainingCurves draws. The zero value works.
type TrainingConfig struct {
	Title  string
	Smooth int       // number of values in the running mean of the loss and the norms; 0 means a fiftieth of the steps
	Width  vg.Length // in points; 0 means 6.5 inches
}

// TrainingCurves draws how training went: the loss with the chance level as a dotted line, and below it, in pairs, the panels
// for which the log has numbers: learning rate, length of the gradient, longest projection, alignment and uniformity,
// effective rank, nearest neighbours.
//
// It returns an error if there is no loss, or if slices that belong together differ in length.
func TrainingCurves(cfg TrainingConfig, log TrainingLog) (*FigureColumn, error) {
	if err := log.check(); err != nil {
		return nil, err
	}
	smooth := cfg.Smooth
	if smooth == 0 {
		smooth = len(log.Losses) / 50
	}
	loss := log.ofSteps(orElse(log.Name, "loss"), log.Losses)
	if len(loss.X) == 0 {
		return nil, fmt.Errorf("viz: training curves: no loss is a finite number: %w", ErrNotFinite)
	}
	var references []Reference
	if log.Chance != 0 {
		references = []Reference{{Name: "chance level " + number(log.Chance, 2), Y: log.Chance}}
	}
	top, err := LearningCurves(CurvesConfig{Title: cfg.Title, Smooth: smooth, References: references}, loss)
	if err != nil {
		return nil, err
	}
	panels, err := log.panels(smooth)
	if err != nil {
		return nil, err
	}
	width := cfg.Width
	if width == 0 {
		width = defaultWidth
	}
	figures := []Figure{top}
	for pair := range slices.Chunk(panels, 2) {
		if len(pair) == 1 {
			pair[0].Legend.Top = true
		}
		row, err := Panels(width, 2.6*vg.Inch, pair...)
		if err != nil {
			return nil, err
		}
		figures = append(figures, row)
	}
	return Column(width, figures...)
}

// panels are the plots for which there are numbers, in order.
func (l TrainingLog) panels(smooth int) ([]*plot.Plot, error) {
	var plots []*plot.Plot
	for _, panel := range []struct {
		label  string
		smooth int
		curves []Curve
		full   int
	}{
		{"learning rate", 0, []Curve{l.ofSteps("learning rate", l.Rates)}, 0},
		{"length of the gradient", smooth, []Curve{l.ofSteps("gradient", l.GradientNorms)}, 0},
		{"longest projection", smooth, []Curve{l.ofSteps("longest projection", l.ProjectionNorms)}, 0},
		{"of two views", 0, []Curve{l.ofReadings("alignment", l.Alignment), l.ofReadings("uniformity", l.Uniformity)}, 0},
		{"effective rank", 0, []Curve{l.ofReadings("projections", l.Ranks)}, l.FullRank},
		{"nearest neighbours (%)", 0, l.neighbours(), 0},
	} {
		curves := slices.DeleteFunc(panel.curves, func(c Curve) bool { return len(c.X) == 0 })
		if len(curves) == 0 {
			continue
		}
		var references []Reference
		if panel.full > 0 {
			references = []Reference{{Name: fmt.Sprintf("all %d dimensions", panel.full), Y: float64(panel.full)}}
		}
		p, err := LearningCurves(CurvesConfig{YLabel: panel.label, Smooth: panel.smooth, References: references}, curves...)
		if err != nil {
			return nil, err
		}
		p.X.Min, p.X.Max = min(p.X.Min, 1), max(p.X.Max, float64(len(l.Losses))) // all panels show the whole run
		plots = append(plots, p)
	}
	return plots, nil
}

// ofSteps is the curve of the finite values of every step.
func (l TrainingLog) ofSteps(name string, values []float64) Curve {
	c := Curve{Name: name}
	for i, v := range values {
		c.append(float64(i+1), v)
	}
	return c
}

// ofReadings is the curve of the finite values of every reading.
func (l TrainingLog) ofReadings(name string, values []float64) Curve {
	c := Curve{Name: name}
	for i, v := range values {
		c.append(l.ReadingSteps[i], v)
	}
	return c
}

// append adds a point whose y is a finite number.
func (k *Curve) append(x, y float64) {
	if !math.IsNaN(y) && !math.IsInf(y, 0) {
		k.X, k.Y = append(k.X, x), append(k.Y, y)
	}
}

// neighbours are the curves of Neighbours in percent.
func (l TrainingLog) neighbours() []Curve {
	var curves []Curve
	for _, n := range l.Neighbours {
		c := Curve{Name: n.Name}
		for i, v := range n.Y {
			c.append(n.X[i], 100*v)
		}
		curves = append(curves, c)
	}
	return curves
}

// check tells whether slices that belong together have one length.
func (l TrainingLog) check() error {
	if len(l.Losses) == 0 {
		return fmt.Errorf("viz: training curves: %w: the run has no step yet", ErrNoData)
	}
	for _, s := range []struct {
		name         string
		length, want int
	}{
		{"Rates", len(l.Rates), len(l.Losses)}, {"GradientNorms", len(l.GradientNorms), len(l.Losses)},
		{"ProjectionNorms", len(l.ProjectionNorms), len(l.Losses)}, {"Alignment", len(l.Alignment), len(l.ReadingSteps)},
		{"Uniformity", len(l.Uniformity), len(l.ReadingSteps)}, {"Ranks", len(l.Ranks), len(l.ReadingSteps)},
	} {
		if s.length != 0 && s.length != s.want {
			return fmt.Errorf("viz: training curves: %s has %d entries, want %d or none: %w", s.name, s.length, s.want, ErrLength)
		}
	}
	for _, c := range l.Neighbours {
		if len(c.X) != len(c.Y) {
			return fmt.Errorf("viz: training curves: the curve %q has %d x values and %d y values: %w", c.Name, len(c.X), len(c.Y), ErrLength)
		}
	}
	return nil
}
