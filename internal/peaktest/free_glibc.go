//go:build cgo && linux

package peaktest

/*
#include <stdlib.h>
#include <malloc.h>

static void free_at_once(void) {
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_MMAP_MAX, 1 << 16);
#endif
}

static void trim(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // mallinfo2 is not everywhere yet, and pieces are few

static int keeps(void) {
#ifdef __GLIBC__
	int before = mallinfo().hblks;
	void *volatile large = malloc(40 << 20); // too large for the size to be learned, and not too large for the arena of a thread
	int after = mallinfo().hblks;
	free(large);
	return after == before;
#else
	return 0;
#endif
}
*/
import "C"

import "os"

// FreeAtOnce makes this process return every large piece of memory as soon as it is freed, so that its peak is the
// memory in use at once. Call it before an engine is opened. When package engine opens XLA, it makes the C library keep
// such pieces, for speed; the gaps between them change the peak by a hundred MiB.
func FreeAtOnce() {
	os.Setenv("PUCL_MALLOC", "off") // fails on names and values that this is not
	C.free_at_once()
}

// trim makes the C library return all unused pages.
func trim() { C.trim() }

// Keeps reports whether the C library takes large pieces from memory that it keeps, as package engine configures it,
// and not from the system one by one.
func Keeps() bool { return C.keeps() != 0 }
