//go:build !(cgo && linux)

package engine

// keepMemory does nothing: only glibc has known settings.
func keepMemory() {}
