//go:build !(cgo && linux && amd64)

package onednn

import "errors"

// Attach returns an error: oneDNN requires Linux on x86-64 and a program built with cgo.
func Attach(library, plugin string) error {
	return errors.New("oneDNN is used on Linux on x86-64, by programs built with cgo")
}

// Version returns "": there is no library.
func Version() string { return "" }

func makePlan(any) int { return -1 }
