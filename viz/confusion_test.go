package viz

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
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
		_, err := tt.c.Figure()
		_, tableErr := tt.c.Table()
		_, altErr := tt.c.Alt()
		for _, err := range []error{err, tableErr, altErr} {
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.mend) {
				t.Errorf("%s: %v, want %v with %q", tt.name, err, tt.want, tt.mend)
			}
		}
	}
}

// TestConfusionSaysWhatItCounts checks counts and shares in the picture, in words and in the table, and who is called degenerate.
func TestConfusionSaysWhatItCounts(t *testing.T) {
	c := Confusion{Title: "Test set", Columns: []string{Positive, Negative}, Rows: []ConfusionRow{
		{LabeledPositive, Positive, []int{30, 10}}, {Unlabeled, "", []int{1200, 2400}}, {"rare", Negative, []int{0, 0}},
	}}
	alt, err := c.Alt()
	if err != nil {
		t.Fatal(err)
	}
	const want = "Test set. Of 40 labeled positive, predicted are 30 (75.0%) positive, 10 (25.0%) negative. " +
		"Of 3,600 unlabeled, predicted are 1,200 (33.3%) positive, 2,400 (66.7%) negative. " +
		"Of 0 rare, predicted are 0 (n/a) positive, 0 (n/a) negative."
	if alt != want {
		t.Errorf("in words:\n%s\nwant\n%s", alt, want)
	}
	table, err := c.Table()
	if err != nil {
		t.Fatal(err)
	}
	text, err := table.Text()
	if err != nil || len(table.Rows) != 4 || !strings.Contains(text, "33.3") || !strings.Contains(text, "1,230") {
		t.Errorf("%v\n%s", err, text)
	}
	d, err := c.Figure()
	if err != nil {
		t.Fatal(err)
	}
	c.Rows[0].Counts[0] = 99 // the drawing has its own copy
	paper := confusionOnPaper(t, d)
	words := paper.words()
	for _, word := range []string{"30", "75.0%", "1,200", "66.7%", "n/a", "of 3,600", "1,230", "33.8%", "Framed: right.", "predicted"} {
		r, ok := words[word]
		if !ok || r.Min.X < 0 || r.Max.X > paper.w || r.Min.Y < 0 || r.Max.Y > paper.h {
			t.Errorf("%q lies at %v (%v) on %v by %v", word, r, ok, paper.w, paper.h)
		}
	}
	if frames := framesOn(paper); frames != 2 {
		t.Errorf("%d cells are framed, want 2: rows of a known class", frames)
	}
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
	paper := &sheetOfPaper{w: w, h: h}
	c := paper
	// Drawn with the origin at the upper left corner; recorded places are relative to it.
	if err := drawOn(d, c); err != nil {
		t.Fatal(err)
	}
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
