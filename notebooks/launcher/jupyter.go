package launcher

import (
	"embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/puclab/puclab/internal/wholefile"
)

//go:embed *.py
var scripts embed.FS

// startPython starts one of the scripts with the environment's Python and the kernels of data, in a process group of its
// own. Its output goes to log, and pipe is its file descriptor 3, unless nil. Its standard input is held open as long as
// the launcher lives, by which the script sees that nobody is left.
func (s *session) startPython(script string, log *os.File, data string, set map[string]string, pipe *os.File, args ...string) (*exec.Cmd, error) {
	text, err := scripts.ReadFile(script)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(s.place.env(), "share", script)
	if err := wholefile.Keep(path, text, 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command(s.place.bin("python"), append([]string{path}, args...)...)
	cmd.Dir = s.place.notebooks()
	cmd.Env = setAll(jupyterEnv(s.place, data), set)
	cmd.Stdout, cmd.Stderr = log, log
	if pipe != nil {
		cmd.ExtraFiles = []*os.File{pipe}
	}
	ownGroup(cmd)
	alive, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, alive.Close())
	}
	return cmd, nil
}

// jupyterEnv returns the environment for Jupyter's programs: all that they keep lies in the environment's folder, and the
// kernels of data come first.
func jupyterEnv(p place, data string) []string {
	own := filepath.Join(p.env(), "jupyter")
	return setEnv(pythonEnv(p),
		"JUPYTER_CONFIG_DIR="+filepath.Join(own, "config"),
		"JUPYTER_DATA_DIR="+filepath.Join(own, "data"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(own, "runtime"),
		"JUPYTERLAB_SETTINGS_DIR="+filepath.Join(own, "lab", "settings"),
		"JUPYTERLAB_WORKSPACES_DIR="+filepath.Join(own, "lab", "workspaces"),
		"IPYTHONDIR="+filepath.Join(own, "ipython"),
		"JUPYTER_PATH="+data, "JUPYTER_CONFIG_PATH", "JUPYTERLAB_DIR", "JUPYTER_PREFER_ENV_PATH=1")
}
