// Package traintest holds helpers for tests of training. It does not import train, so that train's own tests can use
// it.
package traintest

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/optim"
)

// Side is the height and width of the images of [Stripes], which are gray. ImageBytes is their size.
const (
	Side       = 12
	ImageBytes = Side * Side
)

// Stripe draws an image of stripes with noise.
func Stripe(rng *rand.Rand, horizontal bool) []uint8 {
	pixels := make([]uint8, ImageBytes)
	phase := rng.IntN(4)
	for y := range Side {
		for x := range Side {
			at := x
			if horizontal {
				at = y
			}
			value := 40 + rng.IntN(30)
			if (at+phase)/2%2 == 0 {
				value += 150
			}
			pixels[y*Side+x] = uint8(value)
		}
	}
	return pixels
}

// Stripes are batches of images of two classes, horizontal and vertical stripes. The first Labeled examples of each are
// labeled positives (horizontal).
type Stripes struct{ Size, Labeled int }

// NewStripes returns batches of so many images, the first of which are labeled.
func NewStripes(size, labeled int) Stripes { return Stripes{Size: size, Labeled: labeled} }

// ImageShape returns 12×12×1.
func (s Stripes) ImageShape() (height, width, channels int) { return Side, Side, 1 }

// String returns "stripes".
func (s Stripes) String() string { return "stripes" }

// Batch draws the images of a step.
func (s Stripes) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	rng := rand.New(rand.NewPCG(3, uint64(step)))
	labeled = make([]bool, s.Size)
	for i := range s.Size {
		labeled[i] = i < s.Labeled
		pixels = append(pixels, Stripe(rng, labeled[i] || i%2 == 0)...)
	}
	return pixels, labeled, nil
}

// Witness counts the calls of an observer. P is train.Progress.
type Witness[P any] struct {
	Starts, Steps, Ends int
	Last                P
	Err                 error
}

// Start counts a start.
func (w *Witness[P]) Start(P) { w.Starts++ }

// Step counts a step.
func (w *Witness[P]) Step(P) { w.Steps++ }

// End counts an end and keeps its arguments.
func (w *Witness[P]) End(p P, err error) { w.Ends++; w.Last, w.Err = p, err }

// Observer is train.Observer, where P is train.Progress.
type Observer[P any] interface {
	Start(P)
	Step(P)
	End(P, error)
}

// Observers call several observers in turn.
type Observers[P any] []Observer[P]

// Start calls the Start of all.
func (all Observers[P]) Start(p P) {
	for _, o := range all {
		o.Start(p)
	}
}

// Step calls the Step of all.
func (all Observers[P]) Step(p P) {
	for _, o := range all {
		o.Step(p)
	}
}

// End calls the End of all.
func (all Observers[P]) End(p P, err error) {
	for _, o := range all {
		o.End(p, err)
	}
}

// Moved returns the paths of variables that differ between two stores in any bit. It reports stores of other sizes or
// without variables.
func Moved(t testing.TB, a, b *model.Store) (paths []string) {
	t.Helper()
	old, now := values(t, a), values(t, b)
	expect.That(t, len(old) != 0 && len(old) == len(now), "%d variables, and now %d", len(old), len(now))
	for path := range old {
		if !reflect.DeepEqual(old[path], now[path]) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Same reports the variables that differ between two stores in any bit.
func Same(t testing.TB, what string, got, want *model.Store) {
	t.Helper()
	paths := Moved(t, want, got)
	expect.That(t, paths == nil, "%s: %v differ", what, paths)
}

// values returns all variables by their paths.
func values(t testing.TB, store *model.Store) map[string]any {
	t.Helper()
	all := map[string]any{}
	for v := range store.IterVariables() {
		all[v.Path()] = expect.Must(v.Value())(t).Value()
	}
	return all
}

// Leap is a constant learning rate except for one step.
type Leap struct {
	optim.Constant
	Step int
	At   float64 // the rate of that step
}

// Rate returns the rate of a step.
func (l Leap) Rate(peak float64, step, _ int) float64 {
	if step == l.Step {
		return l.At
	}
	return peak
}

// Cliff is a learning rate that is a hundred times the peak in the second half, which ruins the last epochs.
type Cliff struct{ optim.Constant }

// Rate returns the rate of a step.
func (Cliff) Rate(peak float64, step, steps int) float64 {
	if step < steps/2 {
		return peak
	}
	return 100 * peak
}
