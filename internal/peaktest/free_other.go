//go:build !(cgo && linux)

package peaktest

// FreeAtOnce does nothing where no C library keeps memory.
func FreeAtOnce() {}
