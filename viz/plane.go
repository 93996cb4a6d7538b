package viz

import (
	"cmp"
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Path is the path of one method's embeddings in the plane of alignment and uniformity during training, with one entry
// per reading (an evaluation during training). The fields are those of a [TrainingLog]. The name determines the style,
// see StyleFor.
type Path struct {
	Name       string
	Steps      []float64 // done at each reading; must not decrease
	Alignment  []float64 // mean squared distance of the views of an example, 0 at best
	Uniformity []float64 // log of the mean Gaussian potential of two examples, lower for more uniform ones
}

// AlignmentUniformity draws training runs as paths in the plane of alignment and uniformity, each with its own color,
// line style and marker. A path has a hollow mark at the start, one mark for each reading, and a large one at the end,
// whose step is in the legend. Lower values of both are better, so the best corner is the lower left one, which is
// named.
//
// It returns an error if there is no path, one has no reading or slices of different lengths, a value is not finite, or
// the steps decrease.
//
// Source: T. Wang, P. Isola, Understanding Contrastive Representation Learning through Alignment and Uniformity on the
// Hypersphere (2020), arXiv 2005.10242.
func AlignmentUniformity(cfg Figure, paths ...Path) (*plot.Plot, error) {
	if err := checkPaths(paths); err != nil {
		return nil, err
	}
	cfg.XLabel, cfg.YLabel = cmp.Or(cfg.XLabel, "alignment loss"), cmp.Or(cfg.YLabel, "uniformity loss")
	p := New(cfg)
	var entries []Entry
	var ends []plot.Plotter // over all lines
	begin := draw.GlyphStyle{Color: AxisGray, Radius: 3.5, Shape: hollow{}}
	for i, style := range stylesOf(paths, func(k Path) string { return k.Name }) {
		k := paths[i]
		at := points(k.Alignment, k.Uniformity)
		last := len(at) - 1
		line := &plotter.Line{XYs: at, LineStyle: style.Line(1.6)}
		p.Add(line, newMarks(at[min(1, last):], style.Glyph(2.6), 0))
		begin.Color = style.Color
		end := newMarks(at[last:], style.Glyph(5.5), 4)
		ends = append(ends, newMarks(at[:min(1, last)], begin, 0), end)
		entries = append(entries, newEntry(fmt.Sprintf("%s, %s steps", k.Name, number(k.Steps[last], -1)), line, end))
	}
	p.Add(ends...)
	begin.Color = AxisGray
	entries = append(entries, newEntry("first reading", newMarks(nil, begin, 0)))
	entries = append(entries, newEntry("last reading", newMarks(nil, draw.GlyphStyle{Color: AxisGray, Radius: 5, Shape: Circle}, 0)))
	widen(&p.X, 0.08*(p.X.Max-p.X.Min))
	widen(&p.Y, 0.08*(p.Y.Max-p.Y.Min))
	p.X.Min, p.Y.Min = p.X.Min-0.1*(p.X.Max-p.X.Min), p.Y.Min-0.1*(p.Y.Max-p.Y.Min) // room for the corner's name
	p.Add(corner{"better"})
	AddLegend(p, entries...)
	return p, nil
}

// PathsTable returns the numbers of AlignmentUniformity as a table: the start and the end of each path. The errors are
// those of AlignmentUniformity.
func PathsTable(title string, paths ...Path) (Table, error) {
	t := Table{Title: title, RowsHeader: "method", Columns: []string{"reading", "step", "alignment", "uniformity"}, Decimals: 3}
	if err := checkPaths(paths); err != nil {
		return t, err
	}
	for _, k := range paths {
		last := len(k.Steps) - 1
		t.Add(k.Name, "first", number(k.Steps[0], -1), k.Alignment[0], k.Uniformity[0])
		if last > 0 {
			t.Add(k.Name, "last", number(k.Steps[last], -1), k.Alignment[last], k.Uniformity[last])
		}
	}
	return t, nil
}

func checkPaths(paths []Path) error {
	if len(paths) == 0 {
		return fmt.Errorf("viz: alignment and uniformity: %w: pass at least one path", ErrNoData)
	}
	for _, k := range paths {
		what := fmt.Sprintf("the path %q", k.Name)
		if len(k.Steps) != len(k.Alignment) {
			return fmt.Errorf("viz: %s has %d steps and %d readings: %w", what, len(k.Steps), len(k.Alignment), ErrLength)
		}
		if len(k.Steps) == 0 {
			return fmt.Errorf("viz: %s has no reading: %w: have the run monitored while it trains", what, ErrNoData)
		}
		if err := cmp.Or(checkXY(what, k.Alignment, k.Uniformity), checkFinite("the steps of "+what, k.Steps...)); err != nil {
			return err
		}
		for i := 1; i < len(k.Steps); i++ {
			if k.Steps[i] < k.Steps[i-1] {
				return fmt.Errorf("viz: %s goes from step %g to %g at reading %d: %w", what, k.Steps[i-1], k.Steps[i], i, ErrOrder)
			}
		}
	}
	return nil
}

// hollow is a circle mark with a white interior.
type hollow struct{}

// DrawGlyph draws the circle at pt.
func (hollow) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	circle := Circle.outline(pt, sty.Radius)
	fill(*c, white, circle)
	stroke(*c, draw.LineStyle{Color: sty.Color, Width: 1.5}, circle)
}

// corner is a plotter that names the lower left corner of the data, with an arrow into it.
type corner struct{ text string }

func (k corner) Plot(c draw.Canvas, _ *plot.Plot) {
	const from, to = vg.Length(26), vg.Length(7)
	arrow := &segments{heads: true, style: draw.LineStyle{Color: AxisGray, Width: 1.4}}
	arrow.draw(&c, c.Min.Add(vg.Point{X: from, Y: from}), c.Min.Add(vg.Point{X: to, Y: to}))
	writeSmall(c, c.Min.Add(vg.Point{X: from + 3, Y: from - 0.33*smallSize + 2}), 0, k.text)
}
