package viz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Gaussian is a normal distribution of the plane, which [Scatter] and [Boundaries] draw as two ellipses about its mean:
// the points one and two standard deviations away in every direction. The inner one holds 39 % of the distribution, the
// outer one 86 %. The name determines the style, see StyleFor.
type Gaussian struct {
	Name       string
	Mean       [2]float64
	Covariance [2][2]float64 // symmetric; with rank 1 or 0 the ellipses are lines or a point
}

// ellipseCorners is the number of corners of the polygon that approximates an ellipse.
const ellipseCorners = 120

// factor returns the lower triangular L with L·Lᵀ equal to the covariance, or an error if the covariance is invalid.
// Values that are negative only by rounding count as 0.
func (g Gaussian) factor() (l [2][2]float64, err error) {
	what := fmt.Sprintf("the Gaussian %q", g.Name)
	s := g.Covariance
	if err := checkFinite(what, g.Mean[0], g.Mean[1], s[0][0], s[0][1], s[1][0], s[1][1]); err != nil {
		return l, err
	}
	const slack = 1e-9
	if size := s[0][0] + s[1][1]; math.Abs(s[0][1]-s[1][0]) > slack*math.Abs(size) {
		return l, fmt.Errorf("viz: %s: the covariances %g and %g differ: %w: give a symmetric matrix", what, s[0][1], s[1][0], ErrRange)
	}
	rest := s[0][0]*s[1][1] - s[0][1]*s[1][0] // the determinant
	if s[0][0] < 0 || s[1][1] < 0 || rest < -slack*s[0][0]*s[1][1] {
		return l, fmt.Errorf("viz: %s: %v is no covariance: %w: variances are 0 or more, and a covariance is at most their geometric mean",
			what, s, ErrRange)
	}
	if s[0][0] == 0 {
		l[1][1] = math.Sqrt(s[1][1])
		return l, nil
	}
	l[0][0] = math.Sqrt(s[0][0])
	l[1][0] = s[1][0] / l[0][0]
	l[1][1] = math.Sqrt(max(0, rest) / s[0][0])
	return l, nil
}

// ellipses is a plotter of the ellipses of a Gaussian.
type ellipses struct {
	lines [2]plotter.XYs // of one standard deviation, and of two
	style draw.LineStyle
}

// newEllipses returns the ellipses of g, or an error if g has none.
func newEllipses(g Gaussian, style Style) (*ellipses, error) {
	l, err := g.factor()
	if err != nil {
		return nil, err
	}
	e := &ellipses{style: style.Line(1.6)}
	for k := range e.lines {
		line := make(plotter.XYs, ellipseCorners+1)
		for i := range line {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / ellipseCorners)
			sin, cos = float64(k+1)*sin, float64(k+1)*cos
			line[i] = plotter.XY{X: g.Mean[0] + l[0][0]*cos, Y: g.Mean[1] + l[1][0]*cos + l[1][1]*sin}
		}
		e.lines[k] = line
	}
	return e, nil
}

// ellipses returns the ellipses of cfg.Gaussians over groups with the given styles.
func (cfg ScatterConfig) ellipses(groups []Group, styles []Style) ([]*ellipses, error) {
	names := make([]string, 0, len(groups)+len(cfg.Gaussians))
	for _, g := range groups {
		names = append(names, g.Name)
	}
	for _, g := range cfg.Gaussians {
		names = append(names, g.Name)
	}
	own := StyleFor(names...)[len(groups):]
	all := make([]*ellipses, len(cfg.Gaussians))
	for i, g := range cfg.Gaussians {
		if same := slices.Index(names[:len(groups)], g.Name); same >= 0 {
			own[i] = styles[same]
		}
		e, err := newEllipses(g, own[i])
		if err != nil {
			return nil, err
		}
		all[i] = e
	}
	return all, nil
}

// Plot draws each ellipse over a white line, so that it stays visible among points of its own color.
func (e *ellipses) Plot(c draw.Canvas, p *plot.Plot) {
	on := onCanvas(c, p)
	for k, line := range e.lines {
		at := make([]vg.Point, len(line))
		for i, q := range line {
			at[i] = on(q)
		}
		style := e.style
		style.Width -= vg.Length(k) * 0.5
		c.StrokeLines(draw.LineStyle{Color: white, Width: style.Width + 1.8}, c.ClipLinesXY(at)...)
		c.StrokeLines(style, c.ClipLinesXY(at)...)
	}
}

// DataRange returns the range of the outer ellipse.
func (e *ellipses) DataRange() (xmin, xmax, ymin, ymax float64) { return plotter.XYRange(e.lines[1]) }

// Thumbnail draws two ellipses, one in the other.
func (e *ellipses) Thumbnail(c *draw.Canvas) {
	middle, half := c.Center(), (c.Max.X-c.Min.X)/2
	for _, k := range []vg.Length{0, 1} {
		across := half * (k + 1) / 2
		var path vg.Path
		for i := range ellipseCorners / 4 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / (ellipseCorners / 4))
			q := vg.Point{X: middle.X + across*vg.Length(cos), Y: middle.Y + min(across, 3*(k+1))*vg.Length(sin)}
			if i == 0 {
				path.Move(q)
			} else {
				path.Line(q)
			}
		}
		path.Close()
		stroke(*c, draw.LineStyle{Color: e.style.Color, Width: e.style.Width - 0.5*k}, path)
	}
}
