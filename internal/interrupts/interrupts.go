// Package interrupts notifies programs of requests to end.
package interrupts

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context returns a context that is canceled when the program is interrupted (Ctrl-C, the stop button of a notebook) or
// receives a request to terminate. The context is also canceled when the terminal is closed, unless the program was
// started to outlive it (nohup). A second interrupt ends the program at once.
func Context() context.Context {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, release := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, release) // afterwards a signal has its default effect
	return ctx
}
