package spans

import "testing"

func TestEachRowOnce(t *testing.T) {
	for _, n := range []int{0, 1, Rows, Rows + 1, 3*Rows - 1} {
		seen, last := make([]int, n), Count(n)-1
		Each(n, func(span, first, end int) {
			if first != span*Rows || (end != first+Rows && span != last) {
				t.Errorf("%d rows: span %d holds rows %d to %d", n, span, first, end)
			}
			for i := first; i < end; i++ {
				seen[i]++
			}
		})
		for i, times := range seen {
			if times != 1 {
				t.Errorf("%d rows: row %d came %d times", n, i, times)
			}
		}
	}
}
