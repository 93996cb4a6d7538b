package ahead

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// Steps come in order, none is prepared twice, and no more than two wait.
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
		if ahead := int(prepared.Load()) - len(got); ahead > 2 {
			t.Fatalf("%d steps were prepared before they were asked for", ahead)
		}
		value, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		got, want = append(got, value), append(want, step*step)
	}
	if !slices.Equal(got, want) || prepared.Load() != 17 {
		t.Errorf("got %v from %d calls, want %v", got, prepared.Load(), want)
	}
}

// An error and a panic reach whoever asks for their step, after all steps before it.
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
		if value, err := r.Next(); value != step || err != nil {
			t.Fatalf("step %d: %d, %v", step, value, err)
		}
	}
	if _, err := r.Next(); err != broken {
		t.Errorf("step 2: %v", err)
	}
	p := Start(0, 1, 2, func(int) (int, error) { panic("no such row") })
	defer p.Close()
	defer func() {
		if r := recover(); r != "no such row" {
			t.Errorf("recovered %v", r)
		}
	}()
	p.Next()
	t.Error("a panic was swallowed")
}

// Close ends the goroutine whatever it waits for.
func TestCloseEndsTheGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for asked := range 3 {
		r := Start(0, 100, 2, func(step int) (int, error) { return step, nil })
		for range asked {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
		}
		r.Close()
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}
