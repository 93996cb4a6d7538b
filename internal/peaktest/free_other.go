//go:build !(cgo && linux)

package peaktest

// FreeAtOnce does nothing: no C library keeps memory.
func FreeAtOnce() {}

// trim does nothing: no C library keeps memory.
func trim() {}

// Keeps reports false: there is no C library.
func Keeps() bool { return false }
