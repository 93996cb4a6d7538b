package viz

import (
	"bytes"
	"errors"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/vg/recorder"

	"github.com/puclab/puclab/internal/expect"
)

func TestHeatmapErrors(t *testing.T) {
	square := [][]float64{{1, 0}, {0, -1}}
	refuses(t, []wrong{
		{"no rows", second(Heatmap(HeatmapConfig{}, nil)), ErrNoData, ""},
		{"not square", second(Heatmap(HeatmapConfig{}, [][]float64{{1, 2}})), ErrLength, ""},
		{"ragged", second(Heatmap(HeatmapConfig{}, [][]float64{{1, 2}, {1}})), ErrLength, ""},
		{"NaN", second(Heatmap(HeatmapConfig{}, [][]float64{{math.NaN()}})), ErrNotFinite, ""},
		{"a limit below a value", second(Heatmap(HeatmapConfig{Limit: 0.5}, square)), ErrRange, ""},
		{"a limit below 0", second(Heatmap(HeatmapConfig{Limit: -2}, square)), ErrRange, ""},
		{"no limit", second(Heatmap(HeatmapConfig{Limit: math.NaN()}, square)), ErrRange, ""},
		{"groups of one row", second(Heatmap(HeatmapConfig{Groups: []Span{{"a", 1}}}, square)), ErrLength, ""},
		{"an empty group", second(Heatmap(HeatmapConfig{Groups: []Span{{"a", 2}, {"b", 0}}}, square)), ErrRange, ""},
	})
}

// TestHeatmapColors looks in the picture for each value at its place, row 0 on top.
func TestHeatmapColors(t *testing.T) {
	values := [][]float64{{1, -1}, {0, 0.5}}
	p := expect.Must(Heatmap(HeatmapConfig{}, values))(t)
	paper := drawnAt(t, p, 300, 250)
	before := append([][]float64{}, []float64{1, -1}, []float64{0, 0.5})
	values[0][0] = 0 // the plot has its own copy
	for _, a := range paper.Actions {
		picture, ok := a.(*recorder.DrawImage)
		if !ok {
			continue
		}
		size := picture.Image.Bounds().Size()
		want := [][]color.Color{{Vermillion, Blue}, {white, color.RGBA{0xEA, 0xAF, 0x80, 0xFF}}}
		for i := range before {
			for j := range before {
				got := picture.Image.At((2*j+1)*size.X/4, (2*i+1)*size.Y/4)
				expect.That(t, got == want[i][j], "value %d, %d is %v, want %v", i, j, got, want[i][j])
			}
		}
		first, err := encodePNG(p, 300, 250)
		again, againErr := encodePNG(p, 300, 250)
		expect.That(t, errors.Join(err, againErr) == nil && bytes.Equal(first, again),
			"drawn again it is another picture")
		return
	}
	t.Error("there is no picture")
}

// TestHeatmapNames checks that names of groups stand at the middle of their rows, counted from the top, and the scale's ends.
func TestHeatmapNames(t *testing.T) {
	values := make([][]float64, 4)
	for i := range values {
		values[i] = []float64{2, 0, 0, -1}
	}
	p := expect.Must(Heatmap(HeatmapConfig{Groups: []Span{{"top", 1}, {"rest", 3}}, Unit: "nats"}, values))(t)
	ticks := p.Y.Tick.Marker.Ticks(0, 4)
	expect.That(t, len(ticks) == 2 && ticks[0].Value == 3.5 && ticks[1].Value == 1.5 && ticks[1].Label == "rest",
		"ticks %v", ticks)
	paper, _ := drawnOn(t, p)
	paper.holds(t, "nats", "−2", "2", "top", "rest")
	expect.Must(Heatmap(HeatmapConfig{}, [][]float64{{0}}))(t)
}
