//go:build !unix

package launcher

import (
	"errors"
	"os/exec"
	"syscall"
)

// The Go kernel does not run here, and main says so before any of these is needed; they only let the program build.

var errNoUnix = errors.New("not supported on this system")

func ownGroup(*exec.Cmd)                    {}
func signalGroup(int, syscall.Signal) error { return errNoUnix }
func groupGone(int) bool                    { return true }
func asRoot() bool                          { return false }
