package evaluate

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"testing"
)

// Results are saved between the cells of a notebook; NaN, which equals nothing, is compared as it prints.
func TestResultsAreSavedByGob(t *testing.T) {
	binary := must[Binary](t)(ScoreBinary([]float64{2, -1, 1}, []bool{true, true, true}, 0))
	for _, tt := range []struct{ result, loaded any }{
		{&binary, new(Binary)},
		{&binary.Confusion, new(Confusion)},
		{&PUReading{PU: must[PU](t)(ScorePU([]float64{2, -1, 1}, []bool{true, false, false}, 0, ScoreConfig{})), Bank: "b"}, new(PUReading)},
		{&ClassesReading{Classes: must[Classes](t)(ScoreClasses([]int{0, 1}, []int{0, 0}, 3)), Bank: "b"}, new(ClassesReading)},
		{&Summary{Mean: 0.5, Seeds: 3}, new(Summary)},
		{&Selection{Last: Epoch{Epoch: 2, Test: 0.5}}, new(Selection)},
		{&Collapse{Rows: 3}, new(Collapse)},
	} {
		var file bytes.Buffer
		if err := gob.NewEncoder(&file).Encode(tt.result); err != nil {
			t.Fatalf("%T: %v", tt.result, err)
		}
		if err := gob.NewDecoder(&file).Decode(tt.loaded); err != nil {
			t.Fatalf("%T: %v", tt.result, err)
		}
		if got, want := fmt.Sprintf("%#v", tt.loaded), fmt.Sprintf("%#v", tt.result); got != want {
			t.Errorf("saved %s\nloaded %s", want, got)
		}
	}
}
