// Package interrupts notifies programs of requests to end.
package interrupts

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context returns a context that is canceled when the program is interrupted (Ctrl-C, the stop button of a notebook),
// receives a request to terminate, or its terminal is closed, unless it was started to outlive that (nohup). A second
// interrupt ends the program at once.
func Context() context.Context {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, release := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, release) // afterwards a signal has its default effect
	return ctx
}
