package viz

import (
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestTrainingCurvesErrors(t *testing.T) {
	nan := math.NaN()
	refuses(t, []wrong{
		{"no steps", second(TrainingCurves(TrainingConfig{}, TrainingLog{})), ErrNoData, ""},
		{"no finite loss", second(TrainingCurves(TrainingConfig{}, TrainingLog{Losses: []float64{nan}})),
			ErrNotFinite, ""},
		{"rates", second(TrainingCurves(TrainingConfig{}, TrainingLog{Losses: []float64{1, 2}, Rates: []float64{1}})),
			ErrLength, ""},
		{"ranks", second(TrainingCurves(TrainingConfig{}, TrainingLog{Losses: []float64{1, 2}, Ranks: []float64{1}})),
			ErrLength, ""},
		{"neighbors", second(TrainingCurves(TrainingConfig{},
			TrainingLog{Losses: []float64{1, 2}, Neighbors: []Curve{{X: []float64{1}}}})),
			ErrLength, ""},
	})
}

// Only what there are numbers for is drawn: a run without readings, or of a program that kept no history, has fewer panels.
func TestTrainingCurvesPanels(t *testing.T) {
	expect.Slow(t)
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
		panels := expect.Must(tt.log.panels("", 0))(t)
		var got []string
		for _, p := range panels {
			got = append(got, p.Y.Label.Text)
		}
		expect.That(t, slices.Equal(got, tt.want), "%s: panels %q, want %q", tt.name, got, tt.want)
		figure := expect.Must(TrainingCurves(TrainingConfig{}, tt.log))(t)
		w, h := sizeOf(figure, 0, 0)
		expect.Must(encodePNG(figure, w, h))(t)
	}
}

func TestColumn(t *testing.T) {
	c := expect.Must(Column(0, New(Figure{Title: "first"}), New(Figure{Title: "second"})))(t)
	refuses(t, []wrong{
		{"no figure", second(Column(0)), ErrNoData, ""},
		{"a figure that is nil", second(Column(0, (*Composite)(nil))), ErrNoData, ""},
		{"a negative width", second(Column(-1, New(Figure{}))), ErrRange, ""},
		{"no column", Show((*Composite)(nil), "alt"), ErrNoData, ""},
		{"drawn too small for data", second(encodePNG(c, 1*Inch, 1*Inch)), ErrRange, ""},
		{"no panels", second(Panels(0, 0)), ErrNoData, ""},
		{"a nil panel", second(Panels(0, 0, nil)), ErrNoData, ""},
		{"panels of a negative width", second(Panels(-1, 0, New(Figure{}))), ErrRange, ""},
		{"no drawing", Show((*Drawing)(nil), "a figure that was not made"), ErrNoData, ""},
		{"no animation", Show((*Animation)(nil), "alt"), ErrNoData, ""},
	})
	if w, h := c.Size(); w != defaultWidth || h != 2*defaultHeight+rowGap || titleOf(c) != "first" {
		t.Errorf("a column of two is %g by %g, titled %q", w, h, titleOf(c))
	}
}
