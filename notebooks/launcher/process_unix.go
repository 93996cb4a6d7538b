//go:build unix

package launcher

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group of its own, so that Ctrl-C reaches only the launcher, which then ends
// the group in order.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends a signal to the whole group that pid leads; that the group is gone already is no error.
func signalGroup(pid int, sig syscall.Signal) error {
	if err := syscall.Kill(-pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
