//go:build !(cgo && linux)

package peaktest

// FreeAtOnce does nothing where no C library keeps memory.
func FreeAtOnce() {}

// trim does nothing where no C library keeps memory.
func trim() {}

// Keeps reports false: there is no C library.
func Keeps() bool { return false }
