//go:build !js

package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/puclab/puclab/notebooks/theorylab/answers"
)

// still is the picture of the first case for browsers without WebAssembly, computed during the build.
type still struct {
	Name   string
	Points []stillPoint
	Arrows []stillArrow
	Rows   []stillRow
}

// stillPoint is the position of a drawn point, on a circle of radius 100; y points down, as in SVG.
type stillPoint struct {
	Positive bool
	X, Y     float64
}

// stillArrow is a step of descent from a point.
type stillArrow struct {
	Ideal, Tip     bool
	X1, Y1, X2, Y2 float64
}

// stillRow is a row of the table: of the loss, of the ideal loss, and the difference.
type stillRow struct{ Quantity, Loss, Ideal, Difference string }

// newStill computes the first case of the page.
func newStill(lab *answers.Lab) (*still, error) {
	first := answers.Presets()[0]
	ask := func(what string) (answers.Answer, error) {
		a := lab.Answer(answers.Request{Ask: what, Circle: first.Circle})
		if a.Error != "" {
			return a, errors.New(a.Error)
		}
		return a, nil
	}
	numbers, err := ask("numbers")
	if err != nil {
		return nil, err
	}
	gradients, err := ask("gradients")
	if err != nil {
		return nil, err
	}
	n, g := numbers.Numbers, gradients.Gradients
	s := &still{Name: n.Loss.Name, Rows: []stillRow{
		{"mean attraction", show(n.Loss.Attraction), show(n.Ideal.Attraction), show(n.Loss.AttractionBias)},
		{"mean log partition", show(n.Loss.LogPartition), show(n.Ideal.LogPartition), show(n.Loss.PartitionBias)},
		{"mean loss", show(n.Loss.Loss), show(n.Ideal.Loss), show(n.Loss.Bias)},
		{"variance of the loss", show(n.Loss.Variance), "–", "–"},
		{"bias as printed", "–", "–", show(*n.Formulas.Theorem1)},
	}}
	longest := 0.0
	for _, row := range slices.Concat(g.Loss, g.Ideal) {
		longest = max(longest, math.Hypot(row[0], row[1]))
	}
	for i, angle := range slices.Concat(first.Circle.Positive, first.Circle.Negative) {
		sin, cos := math.Sincos(angle * math.Pi / 180)
		s.Points = append(s.Points, stillPoint{i < len(first.Circle.Positive), 100 * cos, -100 * sin})
		for k, row := range [][]float64{g.Loss[i], g.Ideal[i]} {
			x, y := (86+28*float64(k))*cos, (86+28*float64(k))*sin
			dx, dy := -55/longest*row[0], -55/longest*row[1]
			s.Arrows = append(s.Arrows, stillArrow{k == 1, math.Hypot(dx, dy) > 5, x, -y, x + dx, -(y + dy)})
		}
	}
	return s, nil
}

// show formats a number as the page does.
func show(x float64) string { return strings.Replace(fmt.Sprintf("%.4f", x), "-", "−", 1) }
