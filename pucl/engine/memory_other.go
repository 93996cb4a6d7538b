//go:build !cgo || !linux

package engine

// keepMemory does nothing where the C library has no such settings.
func keepMemory() {}
