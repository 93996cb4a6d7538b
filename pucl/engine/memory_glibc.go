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

// keepMemory makes the C library keep freed memory from now on. At its first call XLA's threads do not exist yet, so
// they will share one arena.
var keepMemory = sync.OnceFunc(func() { C.keep_memory() })
