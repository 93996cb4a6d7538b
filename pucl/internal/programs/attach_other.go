//go:build !(cgo && linux)

package programs

// Attach does nothing here: programs are kept only on Linux, in programs built with cgo.
func Attach(string) error { return nil }
