package evaluate

import (
	"testing"

	"github.com/puclab/puclab/internal/refusal"

	"gonum.org/v1/gonum/mat"
)

// Wherever scores, predictions or embeddings come with labels or classes, another number of these is refused, with both numbers
// and the mend.
func TestLabelsOfAnotherNumber(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	three, classes := []bool{true, false, true}, []int{0, 1, 2}
	four, fourClasses := []bool{true, false, true, false}, []int{0, 1, 2, 0}
	second := func(_ any, err error) error { return err }
	supervised, err := SupervisedBinary(x, four)
	if err != nil {
		t.Fatal(err)
	}
	of3, err := Supervised(x, fourClasses, 3)
	if err != nil {
		t.Fatal(err)
	}
	labeled, err := LabeledPositives(x, four)
	if err != nil {
		t.Fatal(err)
	}
	knn := KNN{K: 1}
	const labels, truth = " 4 … and 3 labels; … give one", " 4 … and 3 true classes; … give one"
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"Count", second(Count(four, three)), truth},
		{"ScoreClasses", second(ScoreClasses(fourClasses, classes, 3)), truth},
		{"ScoreBinary", second(ScoreBinary(make([]float64, 4), three, 0)), labels},
		{"ScorePU", second(ScorePU(make([]float64, 4), three, 0, ScoreConfig{})), labels},
		{"AUC", second(AUC(make([]float64, 4), three)), labels},
		{"TopK", second(TopK(mat.NewDense(4, 3, nil), classes, 1)), truth},
		{"LabeledPositives", second(LabeledPositives(x, three)), labels},
		{"Supervised", second(Supervised(x, classes, 3)), truth},
		{"SupervisedBinary", second(SupervisedBinary(x, three)), truth},
		{"KNN.ReadPU", second(knn.ReadPU(labeled, x, three, ScoreConfig{Prior: 0.5})), labels},
		{"KNN.ReadBinary", second(knn.ReadBinary(supervised, x, three, 0.5)), truth},
		{"KNN.ReadClasses", second(knn.ReadClasses(of3, x, classes)), truth},
	} {
		t.Run(tt.name, func(t *testing.T) { refusal.Check(t, tt.err, tt.want) })
	}
}
