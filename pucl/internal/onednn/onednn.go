// Package onednn has XLA's CPU plugin do convolutions and larger matrix products by oneDNN, Intel's library of such operations for
// x86-64 processors of every make. It computes the same numbers to rounding, two to five times as fast.
//
// Nothing changes in how graphs are written. XLA gets to see a program as text; before it does, statements that oneDNN has
// machine code for are put as custom calls, and everything else is XLA's as before. So gradients that gomlx derives, layers of
// gomlx's own and encoders of the user's are served alike.
//
// What is handed over:
//   - two-dimensional convolutions of float32, their gradients for the input and for the kernel, with any strides, padding and
//     dilation, in any order of axes, as long as nothing is grouped;
//   - products of float32, in batches or not, whose axes lie so that they can be taken together as those of a matrix, from two
//     million multiplications on.
//
// What stays with XLA: other types, programs that XLA deals out among several devices (it could not deal out the calls), and
// what oneDNN would do by its reference code.
//
// Programs that are not well formed stay as they are too: XLA tells what is wrong with them.
//
// Calls are made one at a time, each on all processors, from a thread of their own. The number of threads is OpenMP's:
// $OMP_NUM_THREADS sets it. What was made ready for a size, and the largest working memory that was needed, is kept as long as the
// program runs.
//
// The number of threads changes no bit of a result. The library itself divides its work by that number, and with it the order in which
// gradients of kernels and long products are added up; so it is given parts of the work, each for one thread, whose sizes
// depend on those of the operation alone, and what they give is added up in their order. Results do depend on the kind of processor: on its vector
// instructions and the sizes of its caches.
//
// A library of version 3 that was built with OpenMP will do.
package onednn

import "sync/atomic"

var attached atomic.Bool

// Detach leaves the programs that are compiled from now on to XLA alone; those compiled before keep their calls.
func Detach() { attached.Store(false) }

// Attached reports whether the CPU plugin of this process calls oneDNN, so that what is slow in XLA alone need not be avoided.
func Attached() bool { return attached.Load() }
