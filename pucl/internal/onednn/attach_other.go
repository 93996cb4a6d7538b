//go:build !(cgo && linux && amd64)

package onednn

import "errors"

// Attach fails here: oneDNN is used on Linux on x86-64 alone, in programs built with cgo.
func Attach(library, plugin string) error {
	return errors.New("oneDNN is used on Linux on x86-64, by programs built with cgo")
}

// Version returns "": there is no library.
func Version() string { return "" }

func makePlan(any) int { return -1 }
