// Package ahead prefetches: it prepares the next steps while its caller works on the current one.
package ahead

// Reader returns the prefetched results of a function, one step after the other. Only one goroutine at a time may use
// it.
type Reader[T any] struct {
	ready chan result[T]
	stop  chan struct{} // closed by Close
}

type result[T any] struct {
	value    T
	err      error
	panicked any
}

// Start begins to prepare the steps from first to end−1 in a separate goroutine, in order and one at a time. At most
// most steps (1 or more) are prepared before they are requested. Preparation stops after an error. The caller must
// close the Reader.
func Start[T any](first, end, most int, prepare func(step int) (T, error)) *Reader[T] {
	r := &Reader[T]{ready: make(chan result[T], most-1), stop: make(chan struct{})} // the goroutine holds one more until it can send it
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

// try calls prepare and catches a panic, so that Next can panic in the caller's goroutine.
func try[T any](prepare func(step int) (T, error), step int) (made result[T]) {
	defer func() { made.panicked = recover() }()
	made.value, made.err = prepare(step)
	return made
}

// Next returns the result of the next step, waiting until it is ready, and panics if preparing it panicked. It must not
// be called after the last step, or after an error.
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

// Close ends the goroutine and waits until it has ended. Unused results are dropped.
func (r *Reader[T]) Close() {
	close(r.stop)
	for range r.ready {
	}
}
