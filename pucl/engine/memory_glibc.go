//go:build cgo && linux

package engine

/*
#include <malloc.h>

static void keep_memory(void) {
#ifdef __GLIBC__
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	mallopt(M_TOP_PAD, 64 << 20);
	mallopt(M_ARENA_MAX, 1);
#endif
}
*/
import "C"

import "sync"

// keepMemory has the C library keep what is freed, from now on. XLA's threads are not there yet when it is called for the first
// time, so they come to share one arena.
var keepMemory = sync.OnceFunc(func() { C.keep_memory() })
