//go:build !(cgo && linux)

package peaktest

// FreeAtOnce does nothing: no C library keeps memory.
func FreeAtOnce() {}

// trim does nothing: no C library keeps memory.
func trim() {}

// Keeps returns false: no C library keeps memory here.
func Keeps() bool { return false }
