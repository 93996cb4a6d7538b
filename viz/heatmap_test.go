package viz

import (
	"bytes"
	"errors"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/vg/recorder"
)

func TestHeatmapErrors(t *testing.T) {
	square := [][]float64{{1, 0}, {0, -1}}
	for _, tt := range []struct {
		name   string
		cfg    HeatmapConfig
		values [][]float64
		want   error
	}{
		{"no rows", HeatmapConfig{}, nil, ErrNoData},
		{"not square", HeatmapConfig{}, [][]float64{{1, 2}}, ErrLength},
		{"ragged", HeatmapConfig{}, [][]float64{{1, 2}, {1}}, ErrLength},
		{"NaN", HeatmapConfig{}, [][]float64{{math.NaN()}}, ErrNotFinite},
		{"a limit below a value", HeatmapConfig{Limit: 0.5}, square, ErrRange},
		{"a limit below 0", HeatmapConfig{Limit: -2}, square, ErrRange},
		{"no limit", HeatmapConfig{Limit: math.NaN()}, square, ErrRange},
		{"groups of one row", HeatmapConfig{Groups: []Span{{"a", 1}}}, square, ErrLength},
		{"an empty group", HeatmapConfig{Groups: []Span{{"a", 2}, {"b", 0}}}, square, ErrRange},
	} {
		if _, err := Heatmap(tt.cfg, tt.values); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestHeatmapColors looks in the picture for each value at its place, row 0 on top.
func TestHeatmapColors(t *testing.T) {
	values := [][]float64{{1, -1}, {0, 0.5}}
	p, err := Heatmap(HeatmapConfig{}, values)
	if err != nil {
		t.Fatal(err)
	}
	paper := &sheetOfPaper{w: 300, h: 250}
	if err := drawOn(p, paper); err != nil {
		t.Fatal(err)
	}
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
				if got := picture.Image.At((2*j+1)*size.X/4, (2*i+1)*size.Y/4); got != want[i][j] {
					t.Errorf("value %d, %d is %v, want %v", i, j, got, want[i][j])
				}
			}
		}
		first, err := encodePNG(p, 300, 250)
		again, againErr := encodePNG(p, 300, 250)
		if errors.Join(err, againErr) != nil || !bytes.Equal(first, again) {
			t.Error("drawn again it is another picture")
		}
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
	p, err := Heatmap(HeatmapConfig{Groups: []Span{{"top", 1}, {"rest", 3}}, Unit: "nats"}, values)
	if err != nil {
		t.Fatal(err)
	}
	ticks := p.Y.Tick.Marker.Ticks(0, 4)
	if len(ticks) != 2 || ticks[0].Value != 3.5 || ticks[1].Value != 1.5 || ticks[1].Label != "rest" {
		t.Errorf("ticks %v", ticks)
	}
	paper, _ := drawnOn(t, p)
	words := paper.words()
	for _, word := range []string{"nats", "−2", "2", "top", "rest"} {
		r, ok := words[word]
		if !ok || r.Min.X < 0 || r.Max.X > 400 || r.Min.Y < 0 || r.Max.Y > 300 {
			t.Errorf("%q lies at %v (%v)", word, r, ok)
		}
	}
	if _, err := Heatmap(HeatmapConfig{}, [][]float64{{0}}); err != nil {
		t.Errorf("nothing but a zero: %v", err)
	}
}
