//go:build !(amd64 && goexperiment.simd)

package encoder

// quickProducts tells whether the pure-Go engine multiplies matrices with vector instructions, some ten times as fast as without.
const quickProducts = false
