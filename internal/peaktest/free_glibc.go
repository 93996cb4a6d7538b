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
*/
import "C"

// FreeAtOnce has this process hand back every large piece of memory as soon as it is freed, so that its peak is what was in use
// at once. Package engine has the C library keep such pieces, for speed, and the gaps between those move the peak by a hundred MiB.
func FreeAtOnce() { C.free_at_once() }
