package launcher

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/internal/wholefile"
)

// The tests use fakes of python and go: shell scripts that record their calls.

const fakeGoMod = "module " + home.Module + "\n\ngo 1.26.5\n"

// fakePython answers the probe, makes environments and installs packages. PIP_SAYS makes pip fail with that text.
const fakePython = `#!/bin/sh
echo "python $*" >> "$CALLS"
case "$*" in
*" -c "*)
	if [ -n "$PYTHON_SAYS" ]; then printf "$PYTHON_SAYS"; else printf '3.12.1\n%s\nyes\nyes' "$0"; fi ;;
*"-m venv"*)
	if [ -n "$VENV_SAYS" ]; then echo "$VENV_SAYS"; exit 1; fi
	for dir; do :; done
	mkdir -p "$dir/bin" "$dir/lib/python3.12/site-packages/some-1.0.dist-info"
	ln -s "$0" "$dir/bin/python" ;;
*"-m pip install"*)
	if [ -n "$PIP_SAYS" ]; then printf '%b\n' "$PIP_SAYS"; exit 1; fi
	site=$(dirname "$0")/../lib/python3.12/site-packages
	printf 12345 > "$site/some.py"
	printf 'some.py,sha256=x,5\nsome.pyc,,\n' > "$site/some-1.0.dist-info/RECORD"
	case "$*" in *gpu*) cp "$(dirname "$0")/../puclab-setup.json" "$CALLS.stamp"; mkdir -p "$site/jax_plugins/xla_cuda13" "$site/nvidia/cu13/lib"; touch "$site/jax_plugins/xla_cuda13/xla_cuda_plugin.so" ;; esac ;;
*run_notebook.py*)
	echo "PUCL_STEPS=$PUCL_STEPS" >> "$CALLS"
	printf '%b' "$EVENTS" >&3
	if [ -n "$WAIT" ]; then
		trap 'printf "{\"event\":\"interrupted\",\"cell\":1}\n{\"event\":\"done\"}\n" >&3; exit 0' INT
		while :; do sleep 0.05; done
	fi
	if [ -n "$SCRIPT_SAYS" ]; then echo "$SCRIPT_SAYS" >&2; exit 1; fi ;;
esac
exit 0
`

const fakeGo = `#!/bin/sh
echo "go $*" >> "$CALLS"
case "$1" in
env) printf '{"GOROOT":"'"$(dirname "$(dirname "$0")")"'","GOVERSION":"%s","GOFLAGS":"%s","CC":"nosuchcc","CGO_ENABLED":"1","GOARCH":"amd64","GOOS":"linux"}' "${GO_SAYS:-go1.26.8}" "$GOFLAGS" ;;
install)
	if [ -n "$INSTALL_SAYS" ]; then printf '%b\n' "$INSTALL_SAYS"; exit 1; fi
	mkdir -p "$GOBIN"; shift
	for p; do touch "$GOBIN/${p##*/}"; done ;;
run)
	echo "building" >&2
	if [ -n "$RUN_SAYS" ]; then echo "$RUN_SAYS" >&2; exit 1; fi
	printf 'id\tfails\t2\tIt does not.\n' ;;
esac
`

// workshop is a checkout in a temporary folder with the fakes first on the search path.
type workshop struct {
	t     *testing.T
	place place
	calls string
	out   *bytes.Buffer
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	dir := expect.Must(filepath.EvalSymlinks(t.TempDir()))(t)
	w := &workshop{t: t, place: place{filepath.Join(dir, "checkout")}, calls: filepath.Join(dir, "calls"), out: new(bytes.Buffer)}
	w.file("go.mod", fakeGoMod)
	w.file("go.sum", "")
	w.file("notebooks/requirements.txt", "some==1.0 --hash=sha256:00\n")
	w.file("notebooks/requirements-gpu.txt", "gpu==1.0 --hash=sha256:00\n")
	w.file("notebooks/tools/gopls/go.mod", "module gopls\n")
	w.file("notebooks/tools/gopls/go.sum", "")
	bin := filepath.Join(dir, "bin")
	w.program("python3", fakePython)
	w.program("go", fakeGo)
	// Only the programs that the fakes need.
	for _, tool := range []string{"cp", "dirname", "ln", "mkdir", "sleep", "touch"} {
		path, err := exec.LookPath(tool)
		if err == nil {
			err = os.Symlink(path, filepath.Join(bin, tool))
		}
		expect.NoError(t, err)
	}
	for _, name := range []string{"GOFLAGS", "PUCL_PYTHON", "CGO_ENABLED", "GOEXPERIMENT", "XLA_FLAGS", "LD_LIBRARY_PATH"} {
		t.Setenv(name, "")
	}
	t.Setenv("CALLS", w.calls)
	t.Setenv("PATH", bin)
	t.Setenv("HOME", dir)
	return w
}

// file writes a file of the checkout.
func (w *workshop) file(name, text string) string {
	w.t.Helper()
	return expect.File(w.t, filepath.Join(w.place.root, filepath.FromSlash(name)), []byte(text))
}

// program writes a script that replaces a program.
func (w *workshop) program(name, text string) {
	w.t.Helper()
	expect.NoError(w.t, wholefile.Keep(filepath.Join(filepath.Dir(w.place.root), "bin", name), []byte(text), 0o755))
}

func (w *workshop) session() *session {
	return &session{place: w.place, console: liveline.Sized(w.out, false, 80), stdout: w.out, stderr: w.out}
}

// prepare runs the setup as a start of the launcher does, and returns its calls and its output.
func (w *workshop) prepare(gpu bool) (calls []string, said string, err error) {
	w.t.Helper()
	w.out.Reset()
	expect.NoError(w.t, os.RemoveAll(w.calls))
	s := w.session()
	use, err := s.prepare(context.Background(), gpu)
	if err == nil {
		expect.NoError(w.t, use.Close())
	}
	data, readErr := os.ReadFile(w.calls)
	expect.Require(w.t, readErr == nil || os.IsNotExist(readErr), "%v", readErr)
	for line := range strings.Lines(string(data)) {
		calls = append(calls, strings.TrimSpace(line))
	}
	return calls, w.out.String(), err
}

// newRun returns a workshop whose environment is complete.
func newRun(t *testing.T) *workshop {
	t.Helper()
	w := newWorkshop(t)
	expect.Must2(w.prepare(false))(t)
	return w
}

// called returns the recorded calls of this workshop.
func (w *workshop) called() string {
	w.t.Helper()
	return string(expect.Must(os.ReadFile(w.calls))(w.t))
}

// count returns the number of calls that contain the text.
func count(calls []string, text string) int {
	n := 0
	for _, c := range calls {
		if strings.Contains(c, text) {
			n++
		}
	}
	return n
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		expect.That(t, strings.Contains(text, p), "%q is not in:\n%s", p, text)
	}
}
