package viz_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/viz"
)

// Three ways to put two shapes in two colors on the corners of a square.
func ExampleSquareGrid() {
	blueTriangle := &viz.Object{Shape: viz.UpTriangle, Color: viz.Blue}
	redTriangle := &viz.Object{Shape: viz.UpTriangle, Color: viz.Vermillion, Hollow: true}
	blueCircle := &viz.Object{Shape: viz.Circle, Color: viz.Blue}
	redCircle := &viz.Object{Shape: viz.Circle, Color: viz.Vermillion, Hollow: true}
	grid, err := viz.SquareGrid(0, []viz.SquareKey{{*blueTriangle, "blue triangle"}, {*redCircle, "red circle"}},
		viz.UnitSquare{Corners: [4]*viz.Object{blueTriangle, redTriangle, redCircle, blueCircle}, Shaded: true, Framed: true, Caption: "shapes and colors together"},
		viz.UnitSquare{Corners: [4]*viz.Object{blueTriangle, redTriangle, blueCircle, redCircle}, Shaded: true, Caption: "shapes together"},
		viz.UnitSquare{Corners: [4]*viz.Object{blueTriangle, blueCircle, redTriangle, nil}, Caption: "a corner free"})
	check(err)
	grid.Title = "Objects on corners"
	check(viz.Save(grid, "testdata/squares.png", 0, 0))
}

// TestSquaresSize checks that grids of every width fit a notebook, 6.5 inches, and grow by a row if necessary.
func TestSquaresSize(t *testing.T) {
	size := func(columns, n int) (w, h float64) {
		g := expect.Must(viz.SquareGrid(columns, nil, make([]viz.UnitSquare, n)...))(t)
		width, height := g.Size()
		return width.Points(), height.Points()
	}
	for columns := range 9 {
		w, _ := size(columns, 24)
		expect.That(t, w <= 6.5*72, "%d columns are %g points wide", columns, w)
	}
	_, one := size(6, 6)
	if _, two := size(6, 7); !(two > 1.9*(one-10) && two < 2.2*one) {
		t.Errorf("seven squares in rows of six are %g points high, six are %g", two, one)
	}
}

// TestSquaresRows checks that a grid of several rows shows every square once.
func TestSquaresRows(t *testing.T) {
	captions := []string{"first", "second", "third", "fourth", "fifth"}
	var squares []viz.UnitSquare
	for _, c := range captions {
		squares = append(squares, viz.UnitSquare{Caption: c})
	}
	g := expect.Must(viz.SquareGrid(2, nil, squares...))(t)
	text := svg(t, g)
	for _, c := range captions {
		expect.Equal(t, strings.Count(text, ">"+c+"<"), 1, "the %s square is shown: times", c)
	}
}

func TestSquareErrors(t *testing.T) {
	expect.Is(t, expect.Err(viz.SquareGrid(0, nil)), viz.ErrNoData, "no square")
	for _, columns := range []int{-1, 9} {
		if _, err := viz.SquareGrid(columns, nil, viz.UnitSquare{}); !errors.Is(err, viz.ErrRange) {
			t.Error(fmt.Sprint(columns, " columns: ", err))
		}
	}
}
