//go:build !(cgo && linux)

package engine

// keepMemory does nothing: only glibc's ways are known.
func keepMemory() {}
