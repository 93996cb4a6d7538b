// Package interrupts tells programs that somebody wants them to end.
package interrupts

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context returns a context that is done once the program is interrupted (Ctrl-C, the stop button of a notebook), politely
// asked to end, or its terminal is closed, unless it was started to outlive that (nohup). A second interrupt ends the program at
// once.
func Context() context.Context {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, release := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, release) // from then on a signal does what it always does
	return ctx
}
