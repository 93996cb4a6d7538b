package lab

import (
	"cmp"
	"fmt"
	"io"
	"iter"

	"github.com/puclab/puclab/viz"
)

// Watch iterates over items like [slices.All], for a slow loop: one line under the cell shows the number of items done
// and the time left, and stays as "3 losses in 12 s". Unit names an item in the singular, such as "loss"; "" means
// "step". A loop that is left early prints how many items were done; without items nothing is printed.
//
//	for _, name := range lab.Watch("loss", names) {
func Watch[T any](unit string, items []T) iter.Seq2[int, T] { return watch(nil, unit, items) }

// watch is Watch on w; nil means the notebook, or standard error outside a notebook.
func watch[T any](w io.Writer, unit string, items []T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		if len(items) == 0 {
			return
		}
		shown := viz.NewProgress(w, "", len(items))
		shown.Unit = unit
		for i, item := range items {
			shown.Update(i)
			if !yield(i, item) {
				shown.Done(fmt.Sprintf("left at %s %d", cmp.Or(unit, "step"), i+1))
				return
			}
		}
		shown.Update(len(items))
		shown.Done("")
	}
}
