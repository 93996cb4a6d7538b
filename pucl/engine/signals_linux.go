//go:build cgo && linux

package engine

/*
#include <pthread.h>
#include <signal.h>

// block blocks the signals that come from outside, not those by which a fault tells of itself, and says what was blocked before.
static void block(sigset_t *before) {
	sigset_t outside;
	sigfillset(&outside);
	sigdelset(&outside, SIGSEGV);
	sigdelset(&outside, SIGBUS);
	sigdelset(&outside, SIGFPE);
	sigdelset(&outside, SIGILL);
	sigdelset(&outside, SIGTRAP);
	sigdelset(&outside, SIGABRT);
	pthread_sigmask(SIG_BLOCK, &outside, before);
}

static void restore(const sigset_t *before) { pthread_sigmask(SIG_SETMASK, before, NULL); }
*/
import "C"

import "runtime"

// blockSignals makes threads block signals if they are started before the returned function is called: they inherit the
// signal mask of the thread that starts them. XLA's threads on the CPU may crash on a signal, with any handler and with
// or without oneDNN: under the profiler a process died within seconds, in free or in XLA. The code at fault was not
// found.
func blockSignals() (restore func()) {
	runtime.LockOSThread()
	var before C.sigset_t
	C.block(&before)
	return func() {
		C.restore(&before)
		runtime.UnlockOSThread()
	}
}
