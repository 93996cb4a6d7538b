package viz

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/puclab/puclab/internal/expect"
)

func TestConfusionErrors(t *testing.T) {
	columns := []string{Positive, Negative}
	for _, tt := range []struct {
		name string
		c    Confusion
		want error
		mend string
	}{
		{"nothing", Confusion{}, ErrNoData, "want 2 and 1 or more"},
		{"one column", Confusion{Columns: columns[:1], Rows: []ConfusionRow{{Counts: []int{1}}}}, ErrNoData, "1 columns"},
		{"one count", Confusion{Columns: columns, Rows: []ConfusionRow{{Name: "a", Counts: []int{1}}}}, ErrLength,
			`the row "a" has 1 counts`},
		{"below 0", Confusion{Columns: columns, Rows: []ConfusionRow{{Name: "a", Counts: []int{1, -2}}}}, ErrRange,
			"counts -2 predicted negative"},
		{"class", Confusion{Columns: columns, Rows: []ConfusionRow{{Name: "a", Class: "cat", Counts: []int{1, 2}}}}, ErrRange,
			`"" for unknown`},
		{"zeros", Confusion{Columns: columns, Rows: []ConfusionRow{{Name: "a", Counts: []int{0, 0}}}}, ErrNoData, "all counts are 0"},
	} {
		refuses(t, []wrong{
			{tt.name, second(tt.c.Figure()), tt.want, tt.mend},
			{tt.name + ", table", second(tt.c.Table()), tt.want, tt.mend},
			{tt.name + ", alt", second(tt.c.Alt()), tt.want, tt.mend},
		})
	}
}

// TestConfusionSaysWhatItCounts checks counts and shares in the picture, in words and in the table, and who is called degenerate.
func TestConfusionSaysWhatItCounts(t *testing.T) {
	c := Confusion{Title: "Test set", Columns: []string{Positive, Negative}, Rows: []ConfusionRow{
		{LabeledPositive, Positive, []int{30, 10}}, {Unlabeled, "", []int{1200, 2400}}, {"rare", Negative, []int{0, 0}},
	}}
	alt := expect.Must(c.Alt())(t)
	const want = "Test set. Of 40 labeled positive, predicted are 30 (75.0%) positive, 10 (25.0%) negative. " +
		"Of 3,600 unlabeled, predicted are 1,200 (33.3%) positive, 2,400 (66.7%) negative. " +
		"Of 0 rare, predicted are 0 (n/a) positive, 0 (n/a) negative."
	expect.That(t, alt == want, "in words:\n%s\nwant\n%s", alt, want)
	table := expect.Must(c.Table())(t)
	text := expect.Must(table.Text())(t)
	expect.That(t, len(table.Rows) == 4 && strings.Contains(text, "33.3") && strings.Contains(text, "1,230"),
		"\n%s", text)
	d := expect.Must(c.Figure())(t)
	c.Rows[0].Counts[0] = 99 // the drawing has its own copy
	paper := confusionOnPaper(t, d)
	paper.holds(t, "30", "75.0%", "1,200", "66.7%", "n/a", "of 3,600", "1,230", "33.8%", "Framed: right.", "predicted")
	expect.Equal(t, framesOn(paper), 2, "cells are framed")
	c = Confusion{Columns: []string{Positive, Negative}, Rows: []ConfusionRow{
		{LabeledPositive, Positive, []int{0, 3}}, {Negative, Negative, []int{0, 5}}}}
	if alt, err := c.Alt(); err != nil || !strings.HasSuffix(alt, "Degenerate: every prediction is negative.") {
		t.Errorf("%q, %v", alt, err)
	}
	c.Rows[1].Counts[0] = 1
	if alt, err := c.Alt(); err != nil || strings.Contains(alt, "Degenerate") {
		t.Errorf("%q, %v", alt, err)
	}
}

func confusionOnPaper(t *testing.T, d *Drawing) *sheetOfPaper {
	t.Helper()
	w, h := d.Size()
	// Drawn with the origin at the upper left corner; recorded places are relative to it.
	paper := drawnAt(t, d, w, h)
	shift := vg.Point{X: margin, Y: h - margin}
	for _, a := range paper.Actions {
		if s, ok := a.(*recorder.FillString); ok {
			s.Point = s.Point.Add(shift)
		}
	}
	return paper
}

// framesOn counts closed paths that are drawn with a wide line.
func framesOn(paper *sheetOfPaper) (n int) {
	width := vg.Length(0)
	for _, a := range paper.Actions {
		switch a := a.(type) {
		case *recorder.SetLineWidth:
			width = a.Width
		case *recorder.Stroke:
			if math.Abs(float64(width-1.6)) < 1e-9 && a.Path[len(a.Path)-1].Type == vg.CloseComp {
				n++
			}
		}
	}
	return n
}
