package viz

import (
	"bytes"
	"errors"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
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

// TestHeatmapColors checks the picture for each value at its position, row 0 on top.
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

func TestImageTableErrors(t *testing.T) {
	four := []uint8{0, 1, 2, 3}
	good := ImageRow{Name: "good", Height: 2, Width: 2, Channels: 1, Left: four}
	refuses(t, []wrong{
		{"no rows", second(ImageTable{Rows: nil}.Figure()), ErrNoData, ""},
		{"notes alone", second(ImageTable{Rows: []ImageRow{{Name: "a", Note: "none"}}}.Figure()), ErrNoData, ""},
		{"neither images nor note", second(ImageTable{Rows: []ImageRow{good, {Name: "a"}}}.Figure()), ErrNoData, ""},
		{"no size", second(ImageTable{Rows: []ImageRow{{Name: "a", Channels: 1, Left: four}}}.Figure()), ErrRange, ""},
		{"two channels",
			second(ImageTable{Rows: []ImageRow{{Name: "a", Height: 1, Width: 1, Channels: 2, Left: four}}}.Figure()),
			ErrRange, ""},
		{"part of an image",
			second(ImageTable{Rows: []ImageRow{{Name: "a", Height: 1, Width: 3, Channels: 1, Right: four}}}.Figure()),
			ErrLength, ""},
	})
}

// TestImageTableWords checks that headings stand over their sides, and that notes and long names stay on the paper.
func TestImageTableWords(t *testing.T) {
	long := strings.Repeat("many words ", 30)
	f := expect.Must(ImageTable{Title: "A title", Left: "left", Right: "right", Rows: []ImageRow{
		{Name: "images", Height: 3, Width: 3, Channels: 1, Left: make([]uint8, 9*5), Right: make([]uint8, 9*6)},
		{Name: "unbreakable" + strings.Repeat("x", 80), Note: long},
	}}.Figure())(t)
	if w, _ := f.Size(); w > defaultWidth+24 || w < defaultWidth-48 {
		t.Errorf("the figure is %g points wide, the notebook %g", w.Points(), defaultWidth.Points())
	}
	w, h := f.Size()
	paper := drawnAt(t, f, w, h)
	var origin vg.Point
	boxes := 0
	var cell vg.Length
	for _, a := range paper.Actions {
		switch a := a.(type) {
		case *recorder.Translate:
			origin = a.Point
		case *recorder.DrawImage:
			boxes++
			at := a.Rectangle
			cell = at.Size().X
			expect.That(t, at.Min.Add(origin).X >= 0 && at.Min.Add(origin).Y >= 0 && at.Max.Add(origin).X <= w &&
				at.Max.Add(origin).Y <= h, "a picture lies at %v", at)
		}
	}
	expect.That(t, boxes == 11, "%d pictures, want 11", boxes)
	found := paper.words()
	for word, r := range found {
		r.Min, r.Max = r.Min.Add(origin), r.Max.Add(origin)
		expect.That(t, r.Min.X >= 0 && r.Min.Y >= 0 && r.Max.X <= w+0.01 && r.Max.Y <= h+0.01,
			"%q at %v leaves the paper of %g by %g points", word, r, w.Points(), h.Points())
	}
	left, right := found["left"], found["right"]
	expect.That(t, left.Min.Y == right.Min.Y && right.Min.X-left.Min.X >= 5*cell,
		"the headings lie at %v and %v", left, right)
	_, ok := found["A title"]
	expect.That(t, ok, "the title is not drawn")
}

// TestPictureSize checks that a small picture has a whole number of dots per pixel and a larger one fills the room.
func TestPictureSize(t *testing.T) {
	for _, tt := range []struct {
		height, width int
		room          vg.Length
		want          vg.Point // in dots
	}{
		{28, 28, 21.1, vg.Point{X: 56, Y: 56}}, // 2.01 dots a pixel
		{32, 32, 21.1, vg.Point{X: 64, Y: 64}}, // 1.76
		{32, 32, 15, vg.Point{X: 32, Y: 32}},   // 1.25
		{8, 16, 42, vg.Point{X: 112, Y: 56}},   // 7
		{448, 224, 21, vg.Point{X: 28, Y: 56}}, // 0.125: limited by the room
	} {
		got := pictureSize(tt.height, tt.width, tt.room)
		got.X, got.Y = got.X/dot, got.Y/dot
		expect.That(t, math.Abs(float64(got.X-tt.want.X)) <= 1e-9 && math.Abs(float64(got.Y-tt.want.Y)) <= 1e-9,
			"%d by %d pixels in %g points: %v dots, want %v", tt.height, tt.width, tt.room.Points(), got, tt.want)
	}
}
