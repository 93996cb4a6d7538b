package papers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/viz"
)

// onSphere are the classes that [WatchSphere] shows.
var onSphere = []int{1, 5, 8, 9} // trouser, sandal, bag, ankle boot

// WatchSphere trains a small CNN by ssCL on the built-in images of Fashion-MNIST, with projections on a circle (length
// two) or a sphere (length three). It records held-out images of four classes. A frame has the points of a circle at
// their coordinates, and points of a sphere by longitude (degrees) and height. This map preserves areas, so that a
// uniform cover appears uniform. The path has alignment and uniformity of all ten classes.
func WatchSphere(ctx context.Context, eng *engine.Engine, dimensions, steps int, tau float64) (frames []viz.EmbeddingFrame, path viz.Path, err error) {
	s, err := unlabeled(experiment.Smoke, UnlabeledTasks(experiment.Smoke)[0])
	if dimensions != 2 && dimensions != 3 {
		err = fmt.Errorf("papers: projections of %d numbers; 2 are drawn as a circle and 3 as a sphere", dimensions)
	}
	if err != nil {
		return nil, path, err
	}
	c := s.Pretrain
	c.Objective, c.Encoder, c.Steps, c.Tau, c.Projection, c.Seed = pucl.SSCL(), encoder.SmallCNN{Width: 8, Mean: 0.286, Std: 0.353}, steps, tau, dimensions, 1
	data, batches, err := s.prepare(eng, c, func(o *opened) (*datasets.Split, error) { return o.train.Split, nil })
	if err != nil {
		return nil, path, err
	}
	defer func() { err = errors.Join(err, data.close()) }()
	path.Name = fmt.Sprintf("ssCL, d = %d", dimensions)
	const readings = 20
	c.AfterStep = func(done int, m *train.Model) error {
		if done != 1 && done*readings/steps == (done-1)*readings/steps {
			return nil
		}
		own, err := m.EmbedImages(eng, data.held.images)
		views, viewsErr := m.EmbedImages(eng, data.views)
		if err := errors.Join(err, viewsErr); err != nil {
			return err
		}
		spread, err := evaluate.Diagnose(own.Z, views.Z)
		path.Steps, path.Alignment, path.Uniformity = append(path.Steps, float64(done)), append(path.Alignment, spread.Alignment), append(path.Uniformity, spread.Uniformity)
		frames = append(frames, viz.EmbeddingFrame{Step: done, Groups: sphereGroups(rows.Unit(own.Z), data.aside, data.test.classes)})
		return err
	}
	_, err = train.Pretrain(ctx, eng, batches, c)
	return frames, path, err
}

// sphereGroups returns a group of points for each shown class, as drawn by [WatchSphere].
func sphereGroups(z *mat.Dense, classes []int, names []string) (groups []viz.Group) {
	for _, shown := range onSphere {
		g := viz.Group{Name: names[shown]}
		for i, class := range classes {
			if class != shown {
				continue
			}
			row := z.RawRowView(i)
			x, y := row[0], row[1]
			if len(row) == 3 {
				x, y = math.Atan2(row[1], row[0])*180/math.Pi, row[2]
			}
			g.X, g.Y = append(g.X, x), append(g.Y, y)
		}
		groups = append(groups, g)
	}
	return groups
}

// NegativeForces returns, over the cosine of a negative with its anchor, its share of the total repulsion of negatives
// by an objective, times their number, so that 1 is an equal share. The own view has a cosine of 0.9, and 39 negatives
// have cosines from −0.95 to 0.95.
func NegativeForces(eng *engine.Engine, o pucl.Objective, tau float64) (viz.Curve, error) {
	const negatives = 39
	cosine := func(k int) float64 { return float64(5*k-95) / 100 }
	at := func(cosine float64) []float64 { return []float64{cosine, math.Sqrt(1 - cosine*cosine)} }
	first, second := [][]float64{{1, 0}}, [][]float64{at(0.9)}
	for k := range negatives {
		row := at(cosine(k))
		first, second = append(first, row), append(second, row)
	}
	_, gradient, err := o.PairGradients(eng, append(first, second...), make([]bool, negatives+1), tau)
	if err != nil {
		return viz.Curve{}, err
	}
	total := 0.0
	for j := 1; j <= negatives; j++ {
		total += gradient[0][j]
	}
	curve := viz.Curve{Name: o.Name}
	for j := 1; j <= negatives; j++ {
		curve.Add(cosine(j-1), negatives*gradient[0][j]/total)
	}
	return curve, nil
}

// AllTemperatures are the τ of ssCL in [Geometry], in order.
func AllTemperatures() []float64 {
	all := append([]float64{usualTau}, Temperatures()...)
	slices.Sort(all)
	return all
}

// CurvesOverTau returns the accuracy (%) of ssCL over τ, by a linear probe and by nearest neighbors, with 95% intervals
// over seeds.
func CurvesOverTau(cells *experiment.Cells, task string) (curves []viz.Curve) {
	for _, head := range []string{Ceiling, Neighbors} {
		curves = append(curves, curveOf(cells, headName(head), AllTemperatures(), func(tau float64) experiment.Series {
			return Row{SSCLAt(tau), head}.in(task)
		}))
	}
	return curves
}

// SpreadsOverTau returns the series of ssCL over τ and of the pairwise loss, for [PathsOverSteps].
func SpreadsOverTau(task string) (list []experiment.Series) {
	for _, tau := range AllTemperatures() {
		list = append(list, Row{Method: SSCLAt(tau)}.in(task))
	}
	for _, margin := range Margins() {
		list = append(list, Row{Method: PairwiseAt(margin)}.in(task))
	}
	return list
}

// DrawSpreads shows accuracy beside alignment, uniformity and effective rank at the end of a run, a row for each
// series.
func DrawSpreads(cells *experiment.Cells, title string, list ...experiment.Series) viz.Table {
	out := viz.Table{Title: title, RowsHeader: "method", Columns: []string{"linear probe (%)", "kNN (%)", Alignment, Uniformity, Rank}, Decimals: 2,
		Note: fmt.Sprintf("Accuracy on test images, and the spread of projections of held-out images, at the end of a run: mean ± 95%% interval over seeds. "+
			"The whole grid: %s.", cells)}
	for _, s := range list {
		line := []viz.Cell{Percent(cells.At(s.Setting, s.Method, Ceiling, experiment.Last).Accuracy),
			Percent(cells.At(s.Setting, s.Method, Neighbors, experiment.Last).Accuracy)}
		for _, value := range []string{Alignment, Uniformity, Rank} {
			line = append(line, timesOf(cells.Value(s.Setting, s.Method, "", value), 1))
		}
		out.Add(seriesName(s, list), line)
	}
	return out
}

// SpreadsOverViews returns the series of ssCL over the number of views of each image.
func SpreadsOverViews(task string) []experiment.Series {
	return []experiment.Series{Row{Method: "ssCL"}.in(task), Row{Method: "ssCL"}.in(ViewsOf(task, 4)), Row{Method: "ssCL"}.in(ViewsOf(task, 8))}
}

// SpreadsOverDimensions returns the series of ssCL over the length of a projection: 2, 3 and 128.
func SpreadsOverDimensions(task string) []experiment.Series {
	return []experiment.Series{Row{Method: "ssCL"}.in(OnSphere(task, 2)), Row{Method: "ssCL"}.in(OnSphere(task, 3)), Row{Method: "ssCL"}.in(task)}
}

// CurvesOverPrior returns the accuracy (%) of puNCE over its given π, from PUCL at 0, for heads, with 95% intervals
// over seeds.
func CurvesOverPrior(cells *experiment.Cells, task string, heads ...string) (curves []viz.Curve) {
	for _, head := range heads {
		curves = append(curves, curveOf(cells, head, append([]float64{0}, GuessedPriors()...), func(prior float64) experiment.Series {
			method := PUNCEAt(prior)
			if prior == 0 {
				method = "PUCL"
			}
			return Row{method, head}.in(task)
		}))
	}
	return curves
}
