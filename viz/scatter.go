package viz

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Group is one series of points in the plane. The name decides the look, see StyleFor.
type Group struct {
	Name string
	X, Y []float64
}

// ScatterConfig says how Scatter draws. The zero value works.
type ScatterConfig struct {
	Title, XLabel, YLabel string

	// MaxPerGroup is the largest number of points that are drawn of one group; 0 draws all. Of a larger group a
	// random subset is drawn, and the legend says so: "negative (500 of 8,000)".
	MaxPerGroup int
	// Seed decides which subset. The same seed draws the same points of groups of the same sizes.
	Seed uint64

	// EqualAspect gives both axes the same unit, see the function EqualAspect.
	EqualAspect bool
}

// Scatter draws groups of points, each with a colour and a marker of its own and a legend to the right (set
// Legend.Top of the plot to move it above). The more points, the smaller the marks. Small groups are drawn last, and with larger
// marks where they are much smaller than others, so that a few labeled points stay visible among many; of groups of
// one size the first lies on top. A group may be empty, but not all of them.
//
// It returns an error if there is no point, X and Y of a group differ in length, or a value is not finite.
func Scatter(cfg ScatterConfig, groups ...Group) (*plot.Plot, error) {
	if cfg.MaxPerGroup < 0 {
		return nil, fmt.Errorf("viz: scatter: MaxPerGroup is %d, want 0 or more: %w", cfg.MaxPerGroup, ErrRange)
	}
	total := 0
	names := make([]string, len(groups))
	for i, g := range groups {
		if err := checkXY("the group "+quote(g.Name), g.X, g.Y); err != nil {
			return nil, err
		}
		total += len(g.X)
		names[i] = g.Name
	}
	if total == 0 {
		return nil, fmt.Errorf("viz: scatter: %w: the groups hold no point", ErrNoData)
	}
	p := New(cfg.Title, cfg.XLabel, cfg.YLabel)
	var entries []Entry
	drawn := make([]*marks, len(groups))
	for i, s := range StyleFor(names...) {
		g := groups[i]
		m := &marks{xys: points(g.X, g.Y), thumb: 4}
		name := g.Name
		if cfg.MaxPerGroup > 0 && len(g.X) > cfg.MaxPerGroup {
			m.xys = pick(m.xys, subset(len(g.X), cfg.MaxPerGroup, cfg.Seed, uint64(i)))
			name = fmt.Sprintf("%s (%s of %s)", g.Name, number(float64(cfg.MaxPerGroup), 0), number(float64(len(g.X)), 0))
		}
		m.style = s.Glyph(0)
		drawn[i] = m
		entries = append(entries, Entry{Name: name, Thumbs: []plot.Thumbnailer{m}})
	}
	total = 0
	for _, m := range drawn {
		total += len(m.xys)
	}
	slices.Reverse(drawn)
	slices.SortStableFunc(drawn, func(a, b *marks) int { return len(b.xys) - len(a.xys) })
	for _, m := range drawn {
		m.style.Radius = markRadius(total)
		if 4*len(m.xys) <= len(drawn[0].xys) {
			m.style.Radius++
		}
		if len(m.xys) > 0 {
			p.Add(m)
		}
	}
	AddLegend(p, entries...)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		room := 0.03 * (a.Max - a.Min)
		a.Min, a.Max = a.Min-room, a.Max+room
	}
	if cfg.EqualAspect {
		EqualAspect(p)
	}
	return p, nil
}

// markRadius returns the radius in points of the marks of a figure with n points.
func markRadius(n int) vg.Length {
	switch {
	case n <= 100:
		return 4
	case n <= 400:
		return 3
	case n <= 1500:
		return 2.5
	case n <= 5000:
		return 1.8
	}
	return 1.3
}

// subset returns k of the numbers 0 … n−1 in ascending order, every subset being as likely.
func subset(n, k int, seed, stream uint64) []int {
	chosen := rand.New(rand.NewPCG(seed, stream)).Perm(n)[:k]
	slices.Sort(chosen)
	return chosen
}

// GroupBy turns rows of points into groups: row i, of which the first two columns are drawn, goes to the group
// names[label[i]]. There are len(names) groups, in the order of names; a group that no label names is empty.
//
// It returns an error if points has fewer than two columns, label not one entry per row, or an entry no name.
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

// ComponentLabel returns an axis label for the i-th principal component, counted from 1, with the share of the
// variance that it explains: "component 1 (43 % of variance)".
func ComponentLabel(i int, explained float64) string {
	return fmt.Sprintf("component %d (%.0f %% of variance)", i, 100*explained)
}
