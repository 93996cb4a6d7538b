package viz

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestTrainingCurvesErrors(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		name string
		log  TrainingLog
		want error
	}{
		{"no steps", TrainingLog{}, ErrNoData},
		{"no finite loss", TrainingLog{Losses: []float64{nan}}, ErrNotFinite},
		{"rates", TrainingLog{Losses: []float64{1, 2}, Rates: []float64{1}}, ErrLength},
		{"ranks", TrainingLog{Losses: []float64{1, 2}, Ranks: []float64{1}}, ErrLength},
		{"neighbors", TrainingLog{Losses: []float64{1, 2}, Neighbors: []Curve{{X: []float64{1}}}}, ErrLength},
	} {
		if _, err := TrainingCurves(TrainingConfig{}, tt.log); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// Only what there are numbers for is drawn: a run without readings, or of a program that kept no history, has fewer panels.
func TestTrainingCurvesPanels(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		name string
		log  TrainingLog
		want []string // labels of the y axes of the panels
	}{
		{"losses alone", TrainingLog{Losses: []float64{3, 2, nan}, Rates: []float64{nan, nan, nan}}, nil},
		{"one step", TrainingLog{Losses: []float64{3}, GradientNorms: []float64{1}}, []string{"length of the gradient"}},
		{"norms, which are of different size", TrainingLog{Losses: []float64{3, 2}, GradientNorms: []float64{1, 2}, ProjectionNorms: []float64{50, 60}},
			[]string{"length of the gradient", "longest projection"}},
		{"one reading", TrainingLog{Losses: []float64{3, 2}, Rates: []float64{1, 2}, ReadingSteps: []float64{2},
			Alignment: []float64{nan}, Uniformity: []float64{-1}, Ranks: []float64{2}},
			[]string{"learning rate", "alignment, uniformity", "effective rank"}},
	} {
		panels, err := tt.log.panels("", 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range panels {
			got = append(got, p.Y.Label.Text)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: panels %q, want %q", tt.name, got, tt.want)
		}
		figure, err := TrainingCurves(TrainingConfig{}, tt.log)
		if err != nil {
			t.Fatal(err)
		}
		w, h := sizeOf(figure, 0, 0)
		if _, err := encodePNG(figure, w, h); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestColumnErrors(t *testing.T) {
	if _, err := Column(0); !errors.Is(err, ErrNoData) {
		t.Errorf("no figure gave %v", err)
	}
	if _, err := Column(0, (*Composite)(nil)); !errors.Is(err, ErrNoData) {
		t.Errorf("a figure that is nil gave %v", err)
	}
	if _, err := Column(-1, New(Figure{})); !errors.Is(err, ErrRange) {
		t.Errorf("a negative width gave %v", err)
	}
	if err := Show((*Composite)(nil), "alt"); !errors.Is(err, ErrNoData) {
		t.Errorf("no column gave %v", err)
	}
	c, err := Column(0, New(Figure{Title: "first"}), New(Figure{Title: "second"}))
	if err != nil {
		t.Fatal(err)
	}
	if w, h := c.Size(); w != defaultWidth || h != 2*defaultHeight+rowGap || titleOf(c) != "first" {
		t.Errorf("a column of two is %g by %g, titled %q", w, h, titleOf(c))
	}
	// Drawn too small, the plots have no room for their data.
	if _, err := encodePNG(c, 1*Inch, 1*Inch); !errors.Is(err, ErrRange) {
		t.Errorf("a tiny column gave %v", err)
	}
}
