package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/notebooks/papers"
	"github.com/puclab/puclab/pucl/reduce"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/viz"
)

// Figure is a figure with its text alternative.
type Figure struct {
	viz.Drawer
	Alt string
}

// Show displays the result of a call: a table, a [Figure], a page or a sentence. If err is not nil, it ends the cell
// with the error's sentence:
//
//	lab.Show(mine.Values())
func Show(value any, err error) {
	Check(err)
	switch v := value.(type) {
	case viz.Table:
		err = viz.ShowTable(v)
	case Figure:
		err = viz.Show(v.Drawer, v.Alt)
	case interface{ Markdown() string }:
		err = viz.ShowMarkdown(v.Markdown())
	default:
		_, err = fmt.Println(v)
	}
	Check(err)
}

// Values compares the loss with the baselines on four batches small enough to check by hand.
func (p Prototype) Values() (viz.Table, error) {
	w, err := p.open()
	if err != nil {
		return viz.Table{}, err
	}
	batches := []struct {
		name string
		z    [][]float64 // four examples; the first two are labeled
	}{
		{"labeled apart", [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}},
		{"labeled together", [][]float64{{1, 0}, {1, 0}, {-1, 0}, {0, -1}}},
		{"one more with them", [][]float64{{1, 0}, {1, 0}, {1, 0}, {0, -1}}},
		{"all at one point", [][]float64{{1, 0}, {1, 0}, {1, 0}, {1, 0}}},
	}
	table := viz.Table{Title: "The loss of four small batches (nats)", RowsHeader: "loss", Decimals: 4,
		Note: fmt.Sprintf("Four examples at (1, 0), (0, 1), (−1, 0) and (0, −1), or at those points that the column says; both views of an "+
			"example coincide, the first two examples are labeled, τ = %g.", prototypeTau)}
	for _, b := range batches {
		table.Columns = append(table.Columns, b.name)
	}
	for _, o := range append(references(), w.Objective) {
		var values []any
		for _, b := range batches {
			value, err := o.Value(w.eng, slices.Concat(b.z, b.z), []bool{true, true, false, false}, prototypeTau)
			if err != nil {
				return viz.Table{}, err
			}
			values = append(values, value)
		}
		table.Add(o.Name, values...)
	}
	return table, nil
}

// mostDrawn is the number of test images per class that Embedding draws at most.
const mostDrawn = 600

// Embedding draws the projections of test images, at most 600 per class, by the first training's encoder and projector,
// on their first two principal components.
func (p Prototype) Embedding() (Figure, error) {
	w, err := p.open()
	if err != nil {
		return Figure{}, err
	}
	grid, err := w.own()
	if err != nil {
		return Figure{}, err
	}
	model, err := train.LoadModel(filepath.Join(experiment.Kept(w.folder(), w.Size, grid.Runs[0]), "encoder.model"), nil)
	if errors.Is(err, fs.ErrNotExist) {
		return Figure{}, errUntrained
	} else if err != nil {
		return Figure{}, err
	}
	e, positive, err := w.config.Embed(w.eng, model)
	if err != nil {
		return Figure{}, err
	}
	var panels []*plot.Plot
	for _, space := range []struct {
		name string
		x    *mat.Dense
	}{{"encoder outputs h", rows.Unit(e.H)}, {"projections z", rows.Unit(e.Z)}} {
		points, explained, err := reduce.PCA(space.x, 2)
		if err != nil {
			return Figure{}, err
		}
		groups, err := viz.ByLabel(points, positive)
		if err != nil {
			return Figure{}, err
		}
		panel, err := viz.Scatter(viz.ScatterConfig{MaxPerGroup: mostDrawn, Figure: viz.Figure{
			Title:  w.Objective.Name + w.smoke() + ": " + space.name,
			XLabel: viz.ComponentLabel(1, explained[0]), YLabel: viz.ComponentLabel(2, explained[1])}}, groups...)
		if err != nil {
			return Figure{}, err
		}
		panels = append(panels, panel)
	}
	both, err := viz.Panels(0, 0, panels...)
	return Figure{both, fmt.Sprintf("Test images, at most %d of each class, in two dimensions by their true class, as the encoder trained with %s has "+
		"them and as its projector does. Seed 1; %s.", mostDrawn, w.Objective.Name, w.done())}, err
}

// prototypeHeads lists the displayed classifiers with their inputs.
var prototypeHeads = []struct{ head, told string }{
	{papers.PUPLOnZ, "PUPL on z, told nothing"}, {papers.NNPU, "nnPU, told π"}, {papers.Ceiling, "true labels"},
}

// results returns the available results of the objective and of the baselines; the grid's methods are in row order.
func (w *prototypeWork) results() (cells *experiment.Cells, methods []string, err error) {
	own, err := w.own()
	if err != nil {
		return nil, nil, err
	}
	given, err := w.given()
	if err != nil {
		return nil, nil, err
	}
	store, err := w.store()
	if err != nil {
		return nil, nil, err
	}
	cells = &experiment.Cells{}
	for _, s := range given {
		if s.State != experiment.Done {
			if s, err = store.Look(w.Size, s.Run); err != nil {
				return nil, nil, err
			}
		}
		cells.Standings = append(cells.Standings, s)
	}
	mine, err := store.LookAll(own)
	if err != nil {
		return nil, nil, err
	}
	cells.Standings = append(cells.Standings, mine...)
	for _, s := range cells.Standings {
		if s.State != experiment.Done {
			return nil, nil, errUntrained
		}
		if !slices.Contains(methods, s.Run.Method) {
			methods = append(methods, s.Run.Method)
		}
	}
	return cells, methods, nil
}

// Accuracies compares accuracies on test images with ssCL and PUCL, with 95% Student-t intervals over the seeds, and
// stores them as the headline. The last column is the paired difference to PUCL by seed, which has more power than two
// separate intervals.
func (p Prototype) Accuracies() (viz.Table, error) {
	w, err := p.open()
	if err != nil {
		return viz.Table{}, err
	}
	cells, methods, err := w.results()
	if err != nil {
		return viz.Table{}, err
	}
	setting := cells.Standings[0].Run.Setting
	table := viz.Table{Title: setting + w.smoke() + ": accuracy on test images (%)", RowsHeader: "encoder trained with",
		Note: fmt.Sprintf("%s; trainings %s. Linear probes on h. Difference: of PUPL on z, points above PUCL, seed by seed.",
			overSeeds(len(cells.Runs(setting, methods[0]))), w.done())}
	for _, h := range prototypeHeads {
		table.Columns = append(table.Columns, h.told)
	}
	table.Columns = append(table.Columns, "difference")
	for _, method := range methods {
		var line []viz.Cell
		for _, h := range prototypeHeads {
			line = append(line, papers.Percent(cells.At(setting, method, h.head, experiment.Last).Accuracy))
		}
		difference := viz.Cell{Text: "–"}
		if method != methods[len(references())-1] {
			own, given := experiment.Series{Setting: setting, Method: method, Head: papers.PUPLOnZ}, experiment.Series{Setting: setting,
				Method: methods[len(references())-1], Head: papers.PUPLOnZ}
			difference = papers.Percent(cells.Difference(own, given, experiment.Last))
		}
		table.Add(w.label(method), append(line, difference))
	}
	return table, w.bench.SaveHeadline(table)
}

// overSeeds describes the content of a cell.
func overSeeds(n int) string {
	if n == 1 {
		return "One seed, so without an interval"
	}
	return fmt.Sprintf("Mean ± 95%% interval over %d seeds, Student's t", n)
}

// Figure draws the accuracy of PUPL on z, the mean over the seeds with its 95% interval.
func (p Prototype) Figure() (Figure, error) {
	w, err := p.open()
	if err != nil {
		return Figure{}, err
	}
	cells, methods, err := w.results()
	if err != nil {
		return Figure{}, err
	}
	setting := cells.Standings[0].Run.Setting
	f := viz.New(viz.Figure{Title: "PUPL on z, told nothing, " + setting + w.smoke(), XLabel: "accuracy on test images (%)", Height: 2.2 * vg.Inch})
	var names plot.ConstantTicks
	var words, labels []string
	for _, method := range methods {
		labels = append(labels, w.label(method))
	}
	styles := viz.StyleFor(labels...)
	for i, method := range methods {
		y := float64(len(methods) - 1 - i)
		names = append(names, plot.Tick{Value: y, Label: labels[i]})
		s := cells.At(setting, method, papers.PUPLOnZ, experiment.Last).Accuracy
		if s.Seeds == 0 {
			continue
		}
		words = append(words, labels[i]+" "+s.Percent())
		if s.Seeds > 1 { // one seed has no interval
			low, high := s.Interval()
			interval, err := plotter.NewLine(plotter.XYs{{X: 100 * low, Y: y}, {X: 100 * high, Y: y}})
			if err != nil {
				return Figure{}, err
			}
			interval.LineStyle = styles[i].Line(1.8)
			interval.LineStyle.Dashes = nil
			f.Add(interval)
		}
		dot, err := plotter.NewScatter(plotter.XYs{{X: 100 * s.Mean, Y: y}})
		if err != nil {
			return Figure{}, err
		}
		dot.GlyphStyle = styles[i].Glyph(5)
		f.Add(dot)
	}
	room := 0.03 * (f.X.Max - f.X.Min)
	f.X.Min, f.X.Max = f.X.Min-room, f.X.Max+room
	f.Y.Tick.Marker = names
	f.Y.Min, f.Y.Max = -0.5, float64(len(methods))-0.5
	return Figure{f, "Accuracy of PUPL on z with 95% intervals over the seeds, trainings " + w.done() + ": " + strings.Join(words, "; ") + "."}, nil
}
