//go:build !unix

package launcher

import (
	"errors"
	"os/exec"
	"syscall"
)

// The Go kernel does not run here, and main reports this before any of these is used; they only let the program build.

func ownGroup(*exec.Cmd)                    {}
func signalGroup(int, syscall.Signal) error { return errors.ErrUnsupported }
