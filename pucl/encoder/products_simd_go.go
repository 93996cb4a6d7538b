//go:build amd64 && goexperiment.simd

package encoder

// quickProducts is true if the pure-Go engine multiplies matrices with vector instructions, about ten times as fast.
const quickProducts = true
