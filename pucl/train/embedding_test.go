package train

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestTakeRowsUnit(t *testing.T) {
	x := dense([][]float64{{3, 4}, {0, 0}, {0, -2}})
	taken, err := Take(x, []int{2, 0, 2})
	if err != nil || !mat.Equal(taken, dense([][]float64{{0, -2}, {3, 4}, {0, -2}})) {
		t.Errorf("taken %v, %v", taken, err)
	}
	selected, others, err := Rows(x, []bool{true, false, true})
	if err != nil || !mat.Equal(selected, dense([][]float64{{3, 4}, {0, -2}})) || !mat.Equal(others, dense([][]float64{{0, 0}})) {
		t.Errorf("selected %v, others %v, %v", selected, others, err)
	}
	if _, none, err := Rows(x, []bool{true, true, true}); err != nil || !none.IsEmpty() {
		t.Errorf("nothing left, but got %v, %v", none, err)
	}
	if unit := UnitRows(x); !mat.EqualApprox(unit, dense([][]float64{{0.6, 0.8}, {0, 0}, {0, -1}}), 1e-15) || x.At(0, 0) != 3 {
		t.Errorf("unit rows %v of %v", unit, x)
	}
	for _, index := range [][]int{nil, {3}, {-1}} {
		if _, err := Take(x, index); err == nil {
			t.Errorf("rows %v were taken of 3", index)
		}
	}
	if _, _, err := Rows(x, []bool{true}); err == nil || !strings.Contains(err.Error(), "3 rows and 1 marks") {
		t.Errorf("one mark for three rows gave %v", err)
	}
}
