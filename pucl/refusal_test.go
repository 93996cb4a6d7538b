package pucl

import (
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/internal/enginetest"
)

func TestWrongInputsAreRefusedWithASentence(t *testing.T) {
	z := make([][]float64, 6)
	for i := range z {
		z[i] = []float64{1, float64(i)}
	}
	run := func(o Objective, labeled any, views int, tau float64) error {
		exec, err := NewExec(enginetest.Open(t).Backend, func(z, labeled *Node) *Node {
			return o.Loss(Views{Z: z, Labeled: labeled, Count: views}, tau)
		})
		if err != nil {
			return err
		}
		_, err = exec.Call(z, labeled)
		return err
	}
	three := []bool{true, false, true}
	for _, tt := range []struct {
		name  string
		err   error
		wants []string
	}{
		{"temperature", run(PUCL(), three, 2, 0), []string{"temperature", "positive"}},
		{"labels for rows", run(PUCL(), make([]bool, 6), 2, 0.5), []string{"(Float64)[6, 2]", "(Bool)[6]", "one view of all examples after the other"}},
		{"labels not bool", run(PUCL(), []int32{1, 0, 1}, 2, 0.5), []string{"(Int32)[3]", "Bool"}},
		{"one view", run(PUCL(), three, 1, 0.5), []string{"2 or more"}},
		{"no terms", run(Objective{Name: "empty"}, three, 2, 0.5), []string{"empty", "Attract and Repel"}},
	} {
		if tt.err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		for _, want := range tt.wants {
			if !strings.Contains(tt.err.Error(), want) {
				t.Errorf("%s: error %q lacks %q", tt.name, tt.err, want)
			}
		}
	}
	if err := run(PUCL(), three, 2, 0.5); err != nil {
		t.Errorf("a right batch is refused: %v", err)
	}
}
