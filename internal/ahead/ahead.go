// Package ahead prepares what comes next while its caller works on what it has.
package ahead

// Reader hands out what a function prepares for one step after the other. It is for one goroutine at a time.
type Reader[T any] struct {
	ready chan result[T]
	stop  chan struct{} // closed by Close
}

type result[T any] struct {
	value    T
	err      error
	panicked any
}

// Start begins to prepare the steps from first to end−1 in a goroutine of its own: in order, one at a time, and at most so many
// (1 or more) before they are asked for. Nothing is prepared after an error. The Reader must be closed.
func Start[T any](first, end, most int, prepare func(step int) (T, error)) *Reader[T] {
	r := &Reader[T]{ready: make(chan result[T], most-1), stop: make(chan struct{})} // one more waits to be sent
	go func() {
		defer close(r.ready)
		for step := first; step < end; step++ {
			made := try(prepare, step)
			select {
			case r.ready <- made:
			case <-r.stop:
				return
			}
			if made.err != nil || made.panicked != nil {
				return
			}
		}
	}()
	return r
}

// try calls prepare and catches a panic, for the goroutine that asks for the step.
func try[T any](prepare func(step int) (T, error), step int) (made result[T]) {
	defer func() { made.panicked = recover() }()
	made.value, made.err = prepare(step)
	return made
}

// Next returns what was prepared for the next step, waiting for it where it is not ready, and panics where preparing it did.
// It must not be called after the last step, or after an error.
func (r *Reader[T]) Next() (T, error) {
	made, ok := <-r.ready
	if !ok {
		panic("ahead: Next was called after the last step")
	}
	if made.panicked != nil {
		panic(made.panicked)
	}
	return made.value, made.err
}

// Close ends the goroutine and waits until it has ended. What was prepared and not asked for is dropped.
func (r *Reader[T]) Close() {
	close(r.stop)
	for range r.ready {
	}
}
