// Package onednn makes XLA's CPU plugin compute convolutions and larger matrix products with oneDNN, Intel's library of
// such operations for all x86-64 processors. Results are the same to rounding, two to five times as fast.
//
// Graphs are written as before. XLA gets a program as text; before that, statements for which oneDNN has machine code
// are replaced by custom calls, and everything else stays with XLA. So it covers gradients derived by gomlx, gomlx's
// own layers and user-defined encoders.
//
// oneDNN computes:
//   - two-dimensional convolutions of float32, their gradients for the input and for the kernel, with any strides,
//     padding and dilation, in any order of axes, without groups;
//   - products of float32, in batches or not, if their axes can be merged to those of matrices, from two million
//     multiplications on.
//
// XLA computes other types, programs that it distributes among several devices (it could not distribute the calls), and
// operations for which oneDNN has only reference code.
//
// Malformed programs are unchanged too: XLA reports their errors.
//
// Calls are made one at a time, each on all processors, from a separate thread. OpenMP determines the number of
// threads: $OMP_NUM_THREADS sets it. Plans for a size, and the largest working memory so far, are kept until the
// program ends.
//
// The number of threads changes no bit of a result. The library itself divides its work by that number, and so changes
// the order of summation in gradients of kernels and long products. Therefore it gets parts of the work, each for one
// thread, whose sizes depend only on the operation, and their results are summed in order. Results do depend on the
// kind of processor: on its vector instructions and the sizes of its caches.
//
// Any library of version 3 built with OpenMP is supported.
package onednn

import "sync/atomic"

var attached atomic.Bool

// Detach makes programs compiled later use XLA alone; programs compiled before keep their calls.
func Detach() { attached.Store(false) }

// Attached reports whether the CPU plugin of this process calls oneDNN; then operations that are slow in XLA alone need
// not be avoided.
func Attached() bool { return attached.Load() }
