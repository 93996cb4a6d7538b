//go:build !(cgo && linux)

package engine

// blockSignals does nothing: XLA's threads crashed on signals only on Linux.
func blockSignals() (restore func()) { return func() {} }
