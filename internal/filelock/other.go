//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package filelock

import "os"

// Try returns ErrNone: flock is not supported here.
func Try(string, bool) (*os.File, error) { return nil, ErrNone }

// Holds is never called, since there are no locks.
func Holds(*os.File, string) (bool, error) { return false, nil }
