//go:build cgo && linux

package engine

/*
#include <stdlib.h>
#include <malloc.h>

// Runs before there is a second thread: threads that have asked for memory earlier keep their own ways.
__attribute__((constructor)) static void keep_memory(void) {
#ifdef __GLIBC__
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	mallopt(M_TOP_PAD, 64 << 20);
	mallopt(M_ARENA_MAX, 1);
#endif
}
*/
import "C"

// The C library is told to keep what XLA frees, as soon as a program starts that can use XLA. XLA's CPU plugin asks for the working
// memory of every step anew; by default large pieces go back to the system after each, and clearing new ones takes a good part of a
// training step. No more is kept than was in use at once.
