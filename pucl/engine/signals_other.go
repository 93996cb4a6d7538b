//go:build !(cgo && linux)

package engine

// blockSignals does nothing: only on Linux XLA's threads were seen to suffer from signals.
func blockSignals() (restore func()) { return func() {} }
