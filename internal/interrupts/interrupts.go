// Package interrupts tells programs that somebody wants them to end.
package interrupts

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context returns a context that is done once the program is interrupted (Ctrl-C, the stop button of a notebook) or politely
// asked to end. A second interrupt ends the program at once.
func Context() context.Context {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, release) // from then on a signal does what it always does
	return ctx
}
