package viz

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Group is one series of points in the plane, for Scatter and UnitCircle. The name decides the look, see StyleFor.
type Group struct {
	Name string
	X, Y []float64
}

func (g Group) name() string { return g.Name }

// checkGroups returns an error if a group cannot be drawn or none holds a point. what is the kind of figure.
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

// ByLabel turns rows of points into the groups Positive and Negative, in this order, by one true or pseudo-label for
// each row. The errors are those of GroupBy.
func ByLabel(rows mat.Matrix, positive []bool) ([]Group, error) {
	label := make([]int, len(positive))
	for i, p := range positive {
		if !p {
			label[i] = 1
		}
	}
	return GroupBy(rows, label, Positive, Negative)
}

// Planar makes a group of points of the plane given one by one, as populations and batches hold them. It returns an error if
// one of them has not two coordinates.
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
