package launcher

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

// fakeGPUCheck is the program that the fake go builds: it records its call and prints a given text.
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

// newGPUCheckWorkshop returns a workshop whose go command builds the fake check.
func newGPUCheckWorkshop(t *testing.T) *workshop {
	w := newWorkshop(t)
	w.program("gpucheck", fakeGPUCheck)
	w.program("go", strings.Replace(fakeGo, "case \"$1\" in\n", `case "$1" in
build)
	if [ -n "$BUILD_SAYS" ]; then echo "$BUILD_SAYS" >&2; exit 1; fi
	if [ "$2" = -o ]; then mkdir -p "${3%/*}"; cp "$(dirname "$0")/gpucheck" "$3"; fi ;;
`, 1))
	t.Setenv("GOMLX_BACKEND", "")
	return w
}

// Flags, tables, folders and the environment of gpu-check and grid reach the program that they build; only its output
// goes to standard output. A folder is relative to the folder in which the launcher was started.
func TestBuiltPrograms(t *testing.T) {
	w := newGPUCheckWorkshop(t)
	below := filepath.Dir(w.file("notebooks/below/file", ""))
	for _, tt := range []struct{ line, from, calls, says, fails, building string }{
		{"gpu-check -on cpu -only step,training -steps 7 -markdown", w.place.root,
			"build -o " + w.place.out("gpu-check", "gpucheck") + " " + gpuCheckPackage +
				"\n… -markdown=true -on=cpu -only=step,training -steps=7\n",
			"Compiling the check", "Not all is well", "Compiling the check failed…syntax error"},
		{"gpu-check", w.place.root, "… \n", "", "Not all is well", "Compiling the check failed…syntax error"},
		{"gpu-check -build carry", below, "… -build=" + filepath.Join(below, "carry") + "\n", "", "", ""},
		{"grid -size laptop table-1 -workers 2 -list -results mine table-2", below,
			"build -o " + w.place.out("grid", "bin", "grid") + " " + gridPackage + "\n… -list=true -results=" +
				filepath.Join(below, "mine") + " -size=laptop -workers=2 table-1 table-2\n",
			"Compiling the runs", "Not all runs are done; why stands above.", "Compiling the runs failed…syntax error"},
		// This packs all tables.
		{"grid -pack -from theirs", below, "… -from=" + filepath.Join(below, "theirs") + " -pack=true\n", "", "", ""},
	} {
		expect.NoError(t, os.RemoveAll(w.calls))
		status, stdout, stderr := launchIn(t, tt.from, strings.Fields(tt.line)...)
		expect.That(t, status == 0 && stdout == "the table\n", "%s: status %d, %q", tt.line, status, stdout)
		contains(t, stderr, tt.says, "working")
		contains(t, w.called(), strings.Split(strings.ReplaceAll(tt.calls, "…", "…gpucheck"), "…")...)
		contains(t, w.called(), "engine none, home "+w.place.root)
		for _, failure := range []struct{ variable, value, stdout, says string }{
			{"CHECK_ENDS", "1", "the table\n", tt.fails}, {"BUILD_SAYS", "main.go:1:1: syntax error", "", tt.building},
		} {
			t.Setenv(failure.variable, failure.value)
			status, stdout, stderr = launchIn(t, tt.from, strings.Fields(tt.line)...)
			expect.That(t, status == 1 && stdout == failure.stdout,
				"%s with %s: status %d, %q", tt.line, failure.variable, status, stdout)
			contains(t, stderr, strings.Split(failure.says, "…")...)
			t.Setenv(failure.variable, "")
		}
	}
}

// If CUDA's plugin is installed, the program gets the path of its libraries, and -on cpu names the other plugin.
func TestGPUCheckFindsCUDA(t *testing.T) {
	w := newGPUCheckWorkshop(t)
	status, _, stderr := launchIn(t, w.place.root, "setup", "-gpu")
	expect.Require(t, status == 0, "status %d, %s", status, stderr)
	s := w.session()
	s.stamp.Compiler.Works = true
	w.file("notebooks/.venv/lib/python3.12/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "")
	site := sitePackages(w.place)
	cpu := "GOMLX_BACKEND=xla:" + filepath.Join(site, "xla_plugins", "xla_cpu_pjrt", "xla_cpu_pjrt.so")
	for on, named := range map[string]bool{"gpu": false, "cpu": true, "go": false} {
		env := strings.Join(s.gpuCheckEnv(on), "\n")
		contains(t, env, "LD_LIBRARY_PATH="+filepath.Join(site, "nvidia", "cu13", "lib"), "PUCL_HOME="+w.place.root, "GOMLX_NO_AUTO_INSTALL=1")
		expect.That(t, strings.Contains(env, cpu) == named,
			"-on %s: the CPU plugin is named: %v, want %v", on, !named, named)
	}
	t.Setenv("GOMLX_BACKEND", "xla:/mine.so")
	if env := strings.Join(s.gpuCheckEnv("cpu"), "\n"); strings.Contains(env, cpu) || !strings.Contains(env, "GOMLX_BACKEND=xla:/mine.so") {
		t.Errorf("a plugin of the user's choice does not stay:\n%s", env)
	}
}

// After Ctrl-C the program prints its partial results.
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
	stdout := expect.Must(os.Create(filepath.Join(t.TempDir(), "stdout")))(t)
	defer stdout.Close()
	var stderr bytes.Buffer
	expect.Equal(t, launch(ctx, []string{"gpu-check"}, stdout, &stderr), exitInterrupted, "status")
	expect.Equal(t, string(expect.Must(os.ReadFile(stdout.Name()))(t)), "the table so far\n")
	contains(t, stderr.String(), "Interrupted.")
}
