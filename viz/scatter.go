package viz

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// ScatterConfig configures Scatter. The zero value works.
type ScatterConfig struct {
	Figure

	// MaxPerGroup is the largest number of drawn points of one group; 0 draws all. Of a larger group a random subset is
	// drawn, and the legend states it: "negative (500 of 8,000)".
	MaxPerGroup int
	// Seed determines the subset. The same seed draws the same points of groups of the same sizes.
	Seed uint64

	// EqualAspect gives both axes the same unit, see the function EqualAspect.
	EqualAspect bool

	// Gaussians are drawn over the points as ellipses, each with a line in the legend. A Gaussian with the name of a
	// group has its style.
	Gaussians []Gaussian
}

// Scatter draws groups of points, each with its own color and marker and a legend to the right (set Legend.Top of the
// plot to move it above). The marks are smaller for more points. Small groups are drawn last, and with larger marks if
// they are much smaller than others, so that a few labeled points stay visible among many. Of groups of one size the
// first lies on top. A group may be empty, but not all of them.
//
// If the range of one axis is more than 100 times that of the inner 98% of each group, points beyond the latter,
// widened by its length on both sides, are not drawn, and the legend states their number: "negative (2 of 8,000
// outside)".
//
// It returns an error if there is no point, X and Y of a group differ in length, a value is not finite, or a Gaussian has no
// covariance.
func Scatter(cfg ScatterConfig, groups ...Group) (*plot.Plot, error) {
	p, entries, err := scatter(cfg, groups)
	if err == nil {
		AddLegend(p, entries...)
	}
	return p, err
}

// scatter draws groups of points over the plotters behind, and returns the entries of a legend.
func scatter(cfg ScatterConfig, groups []Group, behind ...plot.Plotter) (p *plot.Plot, entries []Entry, err error) {
	if cfg.MaxPerGroup < 0 {
		return nil, nil, fmt.Errorf("viz: scatter: MaxPerGroup is %d, want 0 or more: %w", cfg.MaxPerGroup, ErrRange)
	}
	if err := checkGroups("scatter", groups); err != nil {
		return nil, nil, err
	}
	total := 0
	drawn := make([]*marks, len(groups))
	styles := stylesOf(groups, func(g Group) string { return g.Name })
	seen := nearby(groups)
	for i, s := range styles {
		g := seen[i]
		m := newMarks(points(g.X, g.Y), s.Glyph(0), 4)
		name := beyond(g.Name, len(groups[i].X)-len(g.X), len(groups[i].X))
		if n := len(g.X); cfg.MaxPerGroup > 0 && n > cfg.MaxPerGroup {
			m.XYs = pick(m.XYs, subset(n, cfg.MaxPerGroup, cfg.Seed, uint64(i)))
			name = fmt.Sprintf("%s (%s of %s)", name, number(float64(cfg.MaxPerGroup), 0), number(float64(n), 0))
		}
		total += len(m.XYs)
		drawn[i] = m
		entries = append(entries, newEntry(name, m))
	}
	p = New(cfg.Figure)
	p.Add(behind...)
	slices.Reverse(drawn)
	slices.SortStableFunc(drawn, func(a, b *marks) int { return len(b.XYs) - len(a.XYs) })
	for _, m := range drawn {
		m.Radius = markRadius(total)
		if 4*len(m.XYs) <= len(drawn[0].XYs) {
			m.Radius++
		}
		p.Add(m)
	}
	over, err := cfg.ellipses(groups, styles)
	if err != nil {
		return nil, nil, err
	}
	for i, e := range over {
		p.Add(e)
		entries = append(entries, newEntry(cmp.Or(cfg.Gaussians[i].Name, "Gaussian")+", 1 and 2 σ", e))
	}
	widen(&p.X, 0.03*(p.X.Max-p.X.Min))
	widen(&p.Y, 0.03*(p.Y.Max-p.Y.Min))
	if cfg.EqualAspect {
		EqualAspect(p)
	}
	return p, entries, nil
}

// nearby returns the groups without the points outside of [innerLimits].
func nearby(groups []Group) []Group {
	var x, y [][]float64
	for _, g := range groups {
		x, y = append(x, g.X), append(y, g.Y)
	}
	left, right := innerLimits(x...)
	bottom, top := innerLimits(y...)
	out := make([]Group, len(groups))
	for i, g := range groups {
		out[i].Name = g.Name
		for k := range g.X {
			if g.X[k] >= left && g.X[k] <= right && g.Y[k] >= bottom && g.Y[k] <= top {
				out[i].X, out[i].Y = append(out[i].X, g.X[k]), append(out[i].Y, g.Y[k])
			}
		}
	}
	return out
}

// markRadius returns the radius in points of the marks of a figure with n points.
func markRadius(n int) vg.Length {
	most, radius := []int{100, 400, 1500, 5000}, []vg.Length{4, 3, 2.5, 1.8, 1.3} // the last one for more than the most
	return radius[sort.SearchInts(most, n)]
}

// subset returns k of the numbers 0 … n−1 in ascending order; every subset has the same probability.
func subset(n, k int, seed, stream uint64) []int {
	chosen := rand.New(rand.NewPCG(seed, stream)).Perm(n)[:k]
	slices.Sort(chosen)
	return chosen
}

// ComponentLabel returns an axis label for the i-th principal component, counted from 1, with its fraction of the
// variance: "component 1 (43 % of variance)".
func ComponentLabel(i int, explained float64) string {
	return fmt.Sprintf("component %d (%.0f %% of variance)", i, 100*explained)
}

// Group is one series of points in the plane, for Scatter and UnitCircle. The name determines the style, see StyleFor.
type Group struct {
	Name string
	X, Y []float64
}

// checkGroups returns an error if a group cannot be drawn or none has a point. what is the kind of figure.
func checkGroups(what string, groups []Group) error {
	total := 0
	for _, g := range groups {
		if err := checkXY(fmt.Sprintf("the group %q", g.Name), g.X, g.Y); err != nil {
			return err
		}
		total += len(g.X)
	}
	if total == 0 {
		return fmt.Errorf("viz: %s: %w: the groups hold no point", what, ErrNoData)
	}
	return nil
}

// GroupBy returns rows of points as groups: row i, of which the first two columns are drawn, belongs to the group
// names[label[i]]. There are len(names) groups, in the order of names; a group that no label refers to is empty.
//
// It returns an error if points has fewer than two columns, len(label) is not the number of rows, or a label has no
// name.
func GroupBy(rows mat.Matrix, label []int, names ...string) ([]Group, error) {
	n, d := rows.Dims()
	if d < 2 {
		return nil, fmt.Errorf("viz: group by: the rows have %d column, want 2 or more: %w", d, ErrRange)
	}
	if len(label) != n {
		return nil, fmt.Errorf("viz: group by: %d rows and %d labels: %w", n, len(label), ErrLength)
	}
	groups := make([]Group, len(names))
	for i, name := range names {
		groups[i].Name = name
	}
	for i, l := range label {
		if l < 0 || l >= len(names) {
			return nil, fmt.Errorf("viz: group by: label %d of row %d has no name, there are %d names: %w", l, i, len(names), ErrRange)
		}
		groups[l].X = append(groups[l].X, rows.At(i, 0))
		groups[l].Y = append(groups[l].Y, rows.At(i, 1))
	}
	return groups, nil
}

// ByLabel returns rows of points as the groups Positive and Negative, in this order, by one true or pseudo-label per
// row. The errors are those of GroupBy.
func ByLabel(rows mat.Matrix, positive []bool) ([]Group, error) {
	label := make([]int, len(positive))
	for i, p := range positive {
		if !p {
			label[i] = 1
		}
	}
	return GroupBy(rows, label, Positive, Negative)
}

// Planar returns a group of points of the plane given one by one, as in populations and batches. It returns an error if
// one of them does not have two coordinates.
func Planar(name string, points [][]float64) (Group, error) {
	x, y, err := planar(points)
	if err != nil {
		return Group{}, fmt.Errorf("viz: the group %q: %w", name, err)
	}
	return Group{Name: name, X: x, Y: y}, nil
}

// planar returns the coordinates of points of the plane.
func planar(points [][]float64) (x, y []float64, err error) {
	for i, z := range points {
		if len(z) != 2 {
			return nil, nil, fmt.Errorf("entry %d has %d coordinates, want 2: %w", i, len(z), ErrLength)
		}
		x, y = append(x, z[0]), append(y, z[1])
	}
	return x, y, nil
}
