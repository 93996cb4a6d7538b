package evaluate

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// Wherever scores, predictions or embeddings come with labels or classes, another number of these is refused, with both numbers
// and the mend.
func TestLabelsOfAnotherNumber(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	three, classes := []bool{true, false, true}, []int{0, 1, 2}
	four, fourClasses := []bool{true, false, true, false}, []int{0, 1, 2, 0}
	supervised := expect.Must(SupervisedBinary(x, four))(t)
	of3 := expect.Must(Supervised(x, fourClasses, 3))(t)
	labeled := expect.Must(LabeledPositives(x, four))(t)
	knn := KNN{K: 1}
	const labels, truth = " 4 … and 3 labels; … give one", " 4 … and 3 true classes; … give one"
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"Count", expect.Err(Count(four, three)), truth},
		{"ScoreClasses", expect.Err(ScoreClasses(fourClasses, classes, 3)), truth},
		{"ScoreBinary", expect.Err(ScoreBinary(make([]float64, 4), three, 0)), labels},
		{"ScorePU", expect.Err(ScorePU(make([]float64, 4), three, 0, ScoreConfig{})), labels},
		{"AUC", expect.Err(AUC(make([]float64, 4), three)), labels},
		{"TopK", expect.Err(TopK(mat.NewDense(4, 3, nil), classes, 1)), truth},
		{"LabeledPositives", expect.Err(LabeledPositives(x, three)), labels},
		{"Supervised", expect.Err(Supervised(x, classes, 3)), truth},
		{"SupervisedBinary", expect.Err(SupervisedBinary(x, three)), truth},
		{"KNN.ReadPU", expect.Err(knn.ReadPU(labeled, x, three, ScoreConfig{Prior: 0.5})), labels},
		{"KNN.ReadBinary", expect.Err(knn.ReadBinary(supervised, x, three, 0.5)), truth},
		{"KNN.ReadClasses", expect.Err(knn.ReadClasses(of3, x, classes)), truth},
	} {
		t.Run(tt.name, func(t *testing.T) { refusal.Check(t, tt.err, tt.want) })
	}
}

// Results are saved between the cells of a notebook; NaN, which equals nothing, is compared as it prints.
func TestResultsAreSavedByGob(t *testing.T) {
	binary := expect.Must(ScoreBinary([]float64{2, -1, 1}, []bool{true, true, true}, 0))(t)
	for _, tt := range []struct{ result, loaded any }{
		{&binary, new(Binary)},
		{&binary.Confusion, new(Confusion)},
		{&PUReading{PU: expect.Must(ScorePU([]float64{2, -1, 1}, []bool{true, false, false}, 0, ScoreConfig{}))(t), Bank: "b"}, new(PUReading)},
		{&ClassesReading{Classes: expect.Must(ScoreClasses([]int{0, 1}, []int{0, 0}, 3))(t), Bank: "b"}, new(ClassesReading)},
		{&Summary{Mean: 0.5, Seeds: 3}, new(Summary)},
		{&Selection{Last: Epoch{Epoch: 2, Test: 0.5}}, new(Selection)},
		{&Collapse{Rows: 3}, new(Collapse)},
	} {
		var file bytes.Buffer
		expect.NoError(t, gob.NewEncoder(&file).Encode(tt.result))
		expect.NoError(t, gob.NewDecoder(&file).Decode(tt.loaded))
		expect.Equal(t, fmt.Sprintf("%#v", tt.loaded), fmt.Sprintf("%#v", tt.result))
	}
}
