//go:build cgo && linux

package engine

/*
#include <stdlib.h>
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

// keepMemory lets the C library keep what XLA frees. XLA's CPU plugin asks for the working memory of every step anew; by
// default large pieces go back to the system after each, and clearing new ones takes a quarter of a training step. No more is
// kept than was in use at once.
func keepMemory() { C.keep_memory() }
