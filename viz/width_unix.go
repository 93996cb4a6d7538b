//go:build linux || darwin

package viz

import (
	"os"
	"syscall"
	"unsafe"
)

// columns is how many letters a line of the terminal holds; ok is false where it does not tell.
func columns(f *os.File) (n int, ok bool) {
	var size struct{ Rows, Columns, X, Y uint16 }
	_, _, code := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	return int(size.Columns), code == 0 && size.Columns > 0
}
