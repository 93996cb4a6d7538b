package ahead

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

// Steps arrive in order, none is prepared twice, and at most two wait.
func TestStepsComeInOrder(t *testing.T) {
	var prepared atomic.Int32
	r := Start(3, 20, 2, func(step int) (int, error) {
		prepared.Add(1)
		return step * step, nil
	})
	defer r.Close()
	var got, want []int
	for step := 3; step < 20; step++ {
		time.Sleep(time.Millisecond)
		ahead := int(prepared.Load()) - len(got)
		expect.Require(t, ahead <= 2, "%d steps were prepared before they were asked for", ahead)
		value := expect.Must(r.Next())(t)
		got, want = append(got, value), append(want, step*step)
	}
	expect.That(t, slices.Equal(got, want) && prepared.Load() == 17,
		"got %v from %d calls, want %v", got, prepared.Load(), want)
}

// Next returns an error or panics at the failing step, after all steps before it.
func TestErrorsComeWithTheirStep(t *testing.T) {
	broken := errors.New("broken")
	r := Start(0, 10, 2, func(step int) (int, error) {
		if step == 2 {
			return 0, broken
		}
		return step, nil
	})
	defer r.Close()
	for step := range 2 {
		value, err := r.Next()
		expect.Require(t, value == step && err == nil, "step %d: %d, %v", step, value, err)
	}
	_, err := r.Next()
	expect.That(t, err == broken, "step 2: %v", err)
	p := Start(0, 1, 2, func(int) (int, error) { panic("no such row") })
	defer p.Close()
	defer func() {
		r := recover()
		expect.That(t, r == "no such row", "recovered %v", r)
	}()
	p.Next()
	t.Error("a panic was swallowed")
}

// Close ends the goroutine in each state of waiting.
func TestCloseEndsTheGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for asked := range 3 {
		r := Start(0, 100, 2, func(step int) (int, error) { return step, nil })
		for range asked {
			expect.Must(r.Next())(t)
		}
		r.Close()
	}
	after := runtime.NumGoroutine()
	expect.That(t, after <= before, "%d goroutines before, %d after", before, after)
}
