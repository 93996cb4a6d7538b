package papers

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// DrawOpenWorld shows the methods of a setting by one protocol, in percent, mean ± 95% interval over seeds. Below them
// are the published numbers of a pool and budget, including those without added images. A pool of "" omits the
// published numbers.
func DrawOpenWorld(cells *experiment.Cells, setting, protocol, pool string, budget int) viz.Table {
	out := viz.Table{Title: fmt.Sprintf("%s: %s", setting, protocol), RowsHeader: "images added by", Columns: measureNames()}
	for _, method := range OpenWorldMethods() {
		if len(cells.Runs(setting, method)) == 0 {
			continue
		}
		var line []viz.Cell
		for _, m := range Measures() {
			line = append(line, Percent(cells.Value(setting, method, protocol, string(m))))
		}
		out.Add(method, line)
	}
	out.Note = fmt.Sprintf("Accuracy (%%) by the class's images in the seed set, after the last epoch, mean ± 95%% interval over seeds; one seed has none. "+
		"Std: deviation of the three groups. The whole grid: %s.", cells)
	if pool == "" {
		return out
	}
	published := DrawPublishedWorld(protocol, pool, budget)
	for i, name := range published.Rows {
		out.Rows, out.Cells = append(out.Rows, name+", published"), append(out.Cells, published.Cells[i])
	}
	out.Note += " " + published.Note
	return out
}

// OpenWorldImages shows images of the pools of sizes smoke and laptop: in-distribution images on the left, outliers on
// the right. Missing data are marked.
func OpenWorldImages() (*viz.Drawing, error) {
	table := viz.ImageTable{Left: "in distribution", Right: "outliers"}
	for _, size := range []experiment.Size{experiment.Smoke, experiment.Laptop} {
		list, err := openWorlds(size)
		if err != nil {
			return nil, err
		}
		d := list[0].Data
		row := viz.ImageRow{Name: fmt.Sprintf("%s: %s", size, d.From)}
		data, err := d.open(1)
		if errors.Is(err, fs.ErrNotExist) {
			row.Note = "not on this machine"
			table.Rows = append(table.Rows, row)
			continue
		} else if err != nil {
			return nil, err
		}
		row.Height, row.Width, row.Channels = data.pool.Shape()
		sides := map[bool][]int{}
		for image, class := range data.pool.labels {
			if outlier := class == len(data.tail.Counts); len(sides[outlier]) < 8 {
				sides[outlier] = append(sides[outlier], image)
			}
		}
		var leftErr, rightErr error
		row.Left, leftErr = read(data.pool.Source, sides[false])
		row.Right, rightErr = read(data.pool.Source, sides[true])
		if err := errors.Join(leftErr, rightErr, data.closed()); err != nil {
			return nil, err
		}
		table.Rows = append(table.Rows, row)
	}
	return table.Figure()
}

// DrawPublishedWorld shows the published numbers of a pool and budget.
func DrawPublishedWorld(protocol, pool string, budget int) viz.Table {
	out := viz.Table{Title: fmt.Sprintf("%s, %d images: %s, published", pool, budget, protocol), RowsHeader: "images added by", Columns: measureNames(),
		Note: fmt.Sprintf("Published: %d images of %s for ImageNet-100-LT, ResNet-50; what ± means is not told. %s.", budget, pool, sourceMAK)}
	for _, p := range PublishedWorlds() {
		if p.Protocol != protocol || p.Budget > 0 && (p.Pool != pool || p.Budget != budget) {
			continue
		}
		var line []viz.Cell
		for i := range p.Mean {
			line = append(line, viz.Cell{Mean: p.Mean[i], Spread: p.Spread[i]})
		}
		out.Add(p.Method, line)
	}
	return out
}

func measureNames() (names []string) {
	for _, m := range Measures() {
		names = append(names, string(m))
	}
	return names
}

// DrawPools compares the pools of a long-tailed set by one protocol: All and Few for random selection and for MAK, with
// nothing added as the baseline.
func DrawPools(cells *experiment.Cells, set, protocol string) viz.Table {
	out := viz.Table{Title: fmt.Sprintf("%s-LT: which images help? %s", set, protocol), RowsHeader: "images added",
		Columns: []string{"Many", "Few", "All", "All, beside nothing added"},
		Note:    "Accuracy (%), mean ± 95% interval over seeds. The last column is the difference, run by run with the same seed."}
	none := experiment.Series{Setting: PoolOf(set, MixedPool), Method: NothingAdded, Head: protocol}
	add := func(name string, s experiment.Series) {
		var line []viz.Cell
		for _, m := range []Measure{ManyAccuracy, FewAccuracy, AllAccuracy} {
			line = append(line, Percent(cells.Value(s.Setting, s.Method, s.Head, string(m))))
		}
		beside := viz.Cell{Text: "–"}
		if s != none {
			beside = Percent(cells.ValueDifference(s, none, string(AllAccuracy)))
		}
		out.Add(name, append(line, beside))
	}
	add("none", none)
	for _, method := range []string{"random", "MAK"} {
		for _, pool := range []string{OutsidePool, MixedPool, InsidePool} {
			add(fmt.Sprintf("%s, %s", pool, method), experiment.Series{Setting: PoolOf(set, pool), Method: method, Head: protocol})
		}
	}
	return out
}

// ChosenOf returns the selections of each method in a setting, a bar for each done method, and the same in words. A bar
// has the mean shares (%) of images from classes with many, medium and few images in the seed set, and of outliers.
func ChosenOf(cells *experiment.Cells, setting string) (parts []string, bars []viz.StackedBar, words string) {
	parts = []string{datasets.Many.String(), datasets.Medium.String(), datasets.Few.String(), ofOutliers}
	var told []string
	for _, method := range OpenWorldMethods() {
		bar := viz.StackedBar{Name: method}
		var each []string
		for _, part := range parts {
			share := cells.Value(setting, method, Choosing, ShareOf(part))
			if share.Seeds == 0 {
				continue
			}
			bar.Parts = append(bar.Parts, math.Round(1000*share.Mean)/10)
			each = append(each, fmt.Sprintf("%.0f%% %s", 100*share.Mean, part))
		}
		if len(bar.Parts) == len(parts) {
			bars = append(bars, bar)
			told = append(told, method+": "+strings.Join(each, ", "))
		}
	}
	return parts, bars, strings.Join(told, ". ")
}

// ScoresBySize returns the mean score of the pool's images over the number of images of their class in the seed set,
// with the 95% interval over several seeds. It also returns the mean score of the outliers. nameOf is [ECLEOf] or
// [DistanceOf]; method is one that uses this score.
func ScoresBySize(cells *experiment.Cells, setting, method, name string, nameOf func(rank string) string) (curve viz.Curve, outliers []viz.Reference, err error) {
	runs := cells.Runs(setting, method)
	if len(runs) == 0 {
		return curve, nil, fmt.Errorf("papers: the grid has no runs of %s in %s", method, setting)
	}
	config := runs[0].Run.Config.(OpenWorldConfig)
	counts := datasets.ImageNet100LTCounts()
	if config.Most > 0 {
		if counts, err = datasets.ExponentialCounts(10, config.Most, config.Imbalance); err != nil {
			return curve, nil, err
		}
	}
	curve.Name, curve.Within = name, [2]float64{0, math.Inf(1)} // losses and distances are nonnegative
	for rank, count := range slices.Backward(counts) {
		v := cells.Value(setting, method, Choosing, nameOf(fmt.Sprint(rank+1)))
		addMean(&curve, float64(count), v)
	}
	if v := cells.Value(setting, method, Choosing, nameOf(ofOutliers)); v.Seeds > 0 {
		outliers = append(outliers, viz.Reference{Name: "outliers", Y: v.Mean})
	}
	return curve, outliers, nil
}

// addMean adds a mean to a curve, with its interval for several seeds.
func addMean(curve *viz.Curve, x float64, v evaluate.Summary) {
	if v.Seeds == 1 {
		curve.Add(x, v.Mean)
		return
	}
	addSummary(curve, x, v, 1)
}
