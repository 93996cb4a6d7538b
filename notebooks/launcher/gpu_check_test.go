package launcher

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/wholefile"
)

// fakeGPUCheck is what the stand-in for go builds: a program that writes down how it was called and says what it is told to.
const fakeGPUCheck = `#!/bin/sh
echo "gpucheck $*" >> "$CALLS"
echo "engine ${GOMLX_BACKEND:-none}, home $PUCL_HOME, libraries $LD_LIBRARY_PATH" >> "$CALLS"
echo "working" >&2
if [ -n "$CHECK_WAITS" ]; then
	trap 'echo "the table so far"; exit 130' TERM
	touch "$CALLS.waits"
	while :; do sleep 0.05; done
fi
echo "the table"
exit ${CHECK_ENDS:-0}
`

// newGPUCheckWorkshop returns a workshop whose go command builds the stand-in for the check.
func newGPUCheckWorkshop(t *testing.T) *workshop {
	w := newWorkshop(t)
	bin := os.Getenv("PATH")
	for name, text := range map[string]string{
		"gpucheck": fakeGPUCheck,
		"go": strings.Replace(fakeGo, "case \"$1\" in\n", `case "$1" in
build)
	if [ -n "$BUILD_SAYS" ]; then echo "$BUILD_SAYS" >&2; exit 1; fi
	if [ "$2" = -o ]; then mkdir -p "${3%/*}"; cp "$(dirname "$0")/gpucheck" "$3"; fi ;;
`, 1),
	} {
		if err := wholefile.Keep(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOMLX_BACKEND", "")
	return w
}

// called returns what was called in this workshop.
func (w *workshop) called() string {
	w.t.Helper()
	calls, err := os.ReadFile(w.calls)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(calls)
}

// The table comes alone on the standard output, and the flags and the environment reach the program.
func TestGPUCheck(t *testing.T) {
	w := newGPUCheckWorkshop(t)
	status, stdout, stderr := launchIn(t, w.place.root, "gpu-check", "-on", "cpu", "-only", "step,training", "-steps", "7", "-markdown")
	if status != 0 || stdout != "the table\n" {
		t.Errorf("status %d, %q", status, stdout)
	}
	contains(t, stderr, "Compiling the check", "working")
	contains(t, w.called(), "build -o "+filepath.Join(w.place.out(), "gpu-check", "gpucheck")+" "+gpuCheckPackage+"\n",
		"gpucheck -markdown=true -on=cpu -only=step,training -steps=7\n", "engine none, home "+w.place.root)

	if status, _, stderr := launchIn(t, w.place.root, "gpu-check"); status != 0 {
		t.Errorf("without flags: status %d, %s", status, stderr)
	}
	contains(t, w.called(), "gpucheck \n")
}

// Where CUDA's plugin is installed, the program learns where its libraries are, and -on cpu names the other plugin.
func TestGPUCheckFindsCUDA(t *testing.T) {
	w := newGPUCheckWorkshop(t)
	if status, _, stderr := launchIn(t, w.place.root, "setup", "-gpu"); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	s := w.session()
	s.stamp.Compiler.Works = true
	w.file("notebooks/.venv/lib/python3.12/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "")
	site := sitePackages(w.place)
	cpu := "GOMLX_BACKEND=xla:" + filepath.Join(site, "xla_plugins", "xla_cpu_pjrt", "xla_cpu_pjrt.so")
	for on, named := range map[string]bool{"gpu": false, "cpu": true, "go": false} {
		env := strings.Join(s.gpuCheckEnv(on), "\n")
		contains(t, env, "LD_LIBRARY_PATH="+filepath.Join(site, "nvidia", "cu13", "lib"), "PUCL_HOME="+w.place.root, "GOMLX_NO_AUTO_INSTALL=1")
		if strings.Contains(env, cpu) != named {
			t.Errorf("-on %s: the CPU plugin is named: %v, want %v", on, !named, named)
		}
	}
	t.Setenv("GOMLX_BACKEND", "xla:/mine.so")
	if env := strings.Join(s.gpuCheckEnv("cpu"), "\n"); strings.Contains(env, cpu) || !strings.Contains(env, "GOMLX_BACKEND=xla:/mine.so") {
		t.Errorf("a plugin of the user's choice does not stay:\n%s", env)
	}
}

func TestGPUCheckThatFails(t *testing.T) {
	w := newGPUCheckWorkshop(t)
	t.Setenv("CHECK_ENDS", "1")
	status, stdout, stderr := launchIn(t, w.place.root, "gpu-check")
	if status != 1 || stdout != "the table\n" || !strings.Contains(stderr, "Not all is well") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	t.Setenv("BUILD_SAYS", "notebooks/gpucheck/main.go:1:1: syntax error")
	status, stdout, stderr = launchIn(t, w.place.root, "gpu-check")
	if status != 1 || stdout != "" || !strings.Contains(stderr, "Compiling the check failed") || !strings.Contains(stderr, "syntax error") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

// A folder is the user's, relative to where the launcher was started, not to the checkout.
func TestGPUCheckBuilds(t *testing.T) {
	w := newGPUCheckWorkshop(t)
	below := filepath.Dir(w.file("notebooks/below/file", ""))
	if status, _, stderr := launchIn(t, below, "gpu-check", "-build", "carry"); status != 0 {
		t.Errorf("status %d, %s", status, stderr)
	}
	contains(t, w.called(), "gpucheck -build="+filepath.Join(below, "carry")+"\n")
}

// Ctrl-C lets the program print what it has.
func TestGPUCheckInterrupted(t *testing.T) {
	w := newGPUCheckWorkshop(t)
	t.Setenv("CHECK_WAITS", "1")
	t.Chdir(w.place.root)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for {
			if _, err := os.Stat(w.calls + ".waits"); err == nil {
				cancel()
				return
			}
			if ctx.Err() != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	stdout, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	var stderr bytes.Buffer
	if status := launch(ctx, []string{"gpu-check"}, stdout, &stderr); status != exitInterrupted {
		t.Errorf("status %d", status)
	}
	said, err := os.ReadFile(stdout.Name())
	if err != nil || string(said) != "the table so far\n" {
		t.Errorf("%q, %v", said, err)
	}
	contains(t, stderr.String(), "Interrupted.")
}
