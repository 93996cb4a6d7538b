package launcher

import (
	"context"
	"embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/puclab/puclab/internal/wholefile"
)

//go:embed *.py
var scripts embed.FS

// keepScript writes one of the scripts to the environment and returns its path there.
func keepScript(p place, name string) (string, error) {
	text, err := scripts.ReadFile(name)
	if err != nil {
		return "", err
	}
	path := filepath.Join(p.env(), "share", name)
	return path, wholefile.Keep(path, text, 0o644)
}

// script is one of the scripts that the launcher starts; they get time for an orderly end.
type script struct {
	name string
	log  *os.File                // receives its output
	data string                  // the Jupyter data folder with the kernels to use
	set  []string                // variables of its environment, as "NAME=value"
	pipe *os.File                // its file descriptor 3, unless nil
	stop func(*os.Process) error // requests its end when ctx is done; it is killed 15 seconds later
}

// start starts the script with the environment's Python, in its own process group. Its standard input stays open as
// long as the launcher lives, so that the script detects the launcher's end.
func (s *session) start(ctx context.Context, sc script, args ...string) (*exec.Cmd, error) {
	path, err := keepScript(s.place, sc.name)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, s.place.bin("python"), append([]string{path}, args...)...)
	cmd.Dir = s.place.notebooks()
	cmd.Env = setEnv(jupyterEnv(s.place, sc.data), sc.set...)
	cmd.Stdout, cmd.Stderr = sc.log, sc.log
	if sc.pipe != nil {
		cmd.ExtraFiles = []*os.File{sc.pipe}
	}
	ownGroup(cmd)
	cmd.Cancel = func() error { return sc.stop(cmd.Process) }
	cmd.WaitDelay = 15 * time.Second
	alive, err := cmd.StdinPipe() // closed by Wait
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, alive.Close())
	}
	return cmd, nil
}

// wait waits until a started script has ended. After an interruption it kills its process group and ignores its exit
// status.
func wait(ctx context.Context, cmd *exec.Cmd) error {
	err := cmd.Wait()
	if ctx.Err() != nil {
		return signalGroup(cmd.Process.Pid, syscall.SIGKILL)
	}
	return err
}

// jupyterEnv returns the environment for Jupyter's programs: all their files are in the environment's folder, and the
// kernels of data come first.
func jupyterEnv(p place, data string) []string {
	own := filepath.Join(p.env(), "jupyter")
	return setEnv(pythonEnv(p), "JUPYTER_CONFIG_DIR="+filepath.Join(own, "config"),
		"JUPYTER_DATA_DIR="+filepath.Join(own, "data"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(own, "runtime"),
		"JUPYTERLAB_SETTINGS_DIR="+filepath.Join(own, "lab", "settings"),
		"JUPYTERLAB_WORKSPACES_DIR="+filepath.Join(own, "lab", "workspaces"),
		"IPYTHONDIR="+filepath.Join(own, "ipython"),
		"JUPYTER_PATH="+data, "JUPYTER_CONFIG_PATH", "JUPYTERLAB_DIR", "JUPYTER_PREFER_ENV_PATH=1")
}
