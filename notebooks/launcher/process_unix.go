//go:build unix

package launcher

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of its own process group, so that Ctrl-C reaches only the launcher, which then ends the
// group in order.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends a signal to the whole group led by pid; a group that has ended is not an error.
func signalGroup(pid int, sig syscall.Signal) error {
	if err := syscall.Kill(-pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
