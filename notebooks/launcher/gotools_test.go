package launcher

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/internal/liveline"
)

func TestSplitQuoted(t *testing.T) {
	expect.Each(t, splitQuoted, map[string][]string{
		"":                                nil,
		"  -a  -b=1\t-c ":                 {"-a", "-b=1", "-c"},
		"'-ldflags=-s -w' -v":             {"-ldflags=-s -w", "-v"},
		`"-ldflags=-X 'a=b'"`:             {"-ldflags=-X 'a=b'"},
		"'unclosed -v":                    {"'unclosed", "-v"},
		"-tags=x '-gcflags=all=-N -l' -p": {"-tags=x", "-gcflags=all=-N -l", "-p"},
	})
	flags := []string{"-a", "-ldflags=-s -w"}
	expect.Equal(t, splitQuoted(joinQuoted(flags)), flags, "joined and split")
}

func TestKeptFlags(t *testing.T) {
	got := keptFlags("-mod=mod -buildvcs=false '-tags=a b' -race --trimpath -o=x -modfile=y -ldflags=-s")
	expect.Equal(t, got, []string{"-buildvcs=false", "-tags=a b", "--trimpath"})
}

func TestFindGo(t *testing.T) {
	w := newWorkshop(t)
	t.Setenv("GOFLAGS", "-mod=mod -p=1")
	tool := expect.Must(findGo(context.Background(), w.place))(t)
	expect.That(t, tool.version == "go1.26.8" && tool.cgo && slices.Equal(tool.cc, []string{"nosuchcc"}) &&
		slices.Equal(tool.flags, []string{"-p=1"}), "%+v", tool)
	env := strings.Join(tool.goEnv("GOBIN=/b"), "\n")
	contains(t, env, "GOFLAGS=-mod=readonly -p=1", "GOWORK=off", "GOTOOLCHAIN=local", "GOBIN=/b", "PATH="+filepath.Join(tool.root, "bin")+":")
	v, err := tryCompiler(context.Background(), tool, ccVerdict{})
	expect.That(t, err == nil && !v.Works, "a compiler that is not there: %+v, %v", v, err)
	var said strings.Builder
	(&session{console: liveline.New(&said), goTool: tool}).noteCompiler()
	contains(t, said.String(), "nosuchcc", "pure-Go engine")
}

func TestNoGoOrTooOld(t *testing.T) {
	w := newWorkshop(t)
	w.program("go",
		"#!/bin/sh\necho 'go: go.mod requires go >= 1.26.5 (running go 1.22.0; GOTOOLCHAIN=local)' >&2\nexit 1\n")
	expect.Error(t, expect.Err(findGo(context.Background(), w.place)), "too old", "running go 1.22.0", "go.dev/dl")
	t.Setenv("PATH", t.TempDir())
	expect.Error(t, expect.Err(findGo(context.Background(), w.place)), "no go command", "go.dev/dl")
}

func TestTryCompiler(t *testing.T) {
	w := newWorkshop(t)
	tool := toolchain{cc: []string{"cc", "-m64"}, cgo: true}
	var v ccVerdict
	for _, tt := range []struct {
		script     string
		cgo, works bool
	}{
		{"exit 1 # no headers\n", true, false}, {"exit 0\n", true, true}, {"exit 0 # an update\n", true, true},
		{"exit 0 # an update\n", false, false},
	} {
		w.program("cc", "#!/bin/sh\necho x >> $CALLS\n"+tt.script)
		tool.cgo = tt.cgo
		next := expect.Must(tryCompiler(context.Background(), tool, v))(t)
		expect.That(t, next.Works == tt.works && next != v, "%q, cgo %v: %+v after %+v", tt.script, tt.cgo, next, v)
		v = next
	}
}

// TestLinksNoEngine: the program in notebooks has to build and start on every machine, so nothing that needs a C compiler or a plugin may
// come in through what it imports.
func TestLinksNoEngine(t *testing.T) {
	out := expect.Must(exec.Command("go", "list", "-deps", "..").CombinedOutput())(t)
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") || strings.HasPrefix(path, home.Module) {
			continue // the standard library, and this module
		}
		if path == "golang.org/x/term" || strings.HasPrefix(path, "golang.org/x/sys/") {
			continue // the width of a terminal, in Go alone
		}
		t.Errorf("imports %s", path)
	}
}

func TestKernelSpec(t *testing.T) {
	w := newWorkshop(t)
	tool := toolchain{root: "/usr/local/go", version: "go1.26.8", arch: "amd64", os: "linux", flags: []string{"-tags=a b", "-trimpath"}}
	w.file("notebooks/.venv/lib/python3.12/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "")
	spec := newKernelSpec(w.place, tool, true, false)
	bin := filepath.Join(w.place.env(), "bin")
	expect.Equal(t, spec.Argv,
		[]string{filepath.Join(bin, "gonb"), "--kernel", "{connection_file}", "-go_work=" + w.place.root}, "argv")
	expect.That(t, spec.DisplayName == "Go (gonb)" && spec.Language == "go" && spec.InterruptMode == "message",
		"%+v", spec)
	for name, want := range map[string]string{
		"PATH":                  bin + ":" + filepath.Join(labData(w.place), "bin") + ":/usr/local/go/bin:${PATH}",
		"PUCL_HOME":             w.place.root,
		"GOFLAGS":               "-ldflags=-w '-tags=a b' -trimpath",
		"GOTOOLCHAIN":           "local",
		"GOWORK":                "",
		"GOMLX_NO_AUTO_INSTALL": "1",
	} {
		got, ok := spec.Env[name]
		expect.That(t, ok && got == want, "%s is %q (%v), want %q", name, got, ok, want)
	}
	for _, name := range []string{"GOMLX_BACKEND", "CGO_ENABLED", "GOEXPERIMENT", "XLA_FLAGS", "LD_LIBRARY_PATH"} {
		value, ok := spec.Env[name]
		expect.That(t, !ok, "%s is set, to %q", name, value)
	}
}

func TestKernelSpecWithoutCompiler(t *testing.T) {
	w := newWorkshop(t)
	for _, tt := range []struct {
		arch, experiment   string
		compiler, headless bool
		cgo, simd          string // in the environment
	}{
		{"amd64", "", false, false, "0", "simd"}, {"arm64", "", false, false, "0", ""},
		{"amd64", "mine", false, false, "0", ""},
		{"amd64", "", true, true, "", "simd"}, // but no plugin
	} {
		t.Setenv("GOEXPERIMENT", tt.experiment)
		spec := newKernelSpec(w.place, toolchain{root: "/go", arch: tt.arch}, tt.compiler, tt.headless)
		expect.That(t, spec.Env["CGO_ENABLED"] == tt.cgo && spec.Env["GOEXPERIMENT"] == tt.simd,
			"%+v: CGO_ENABLED=%q GOEXPERIMENT=%q", tt, spec.Env["CGO_ENABLED"], spec.Env["GOEXPERIMENT"])
		expect.That(t, slices.Contains(spec.Argv, "-raw_error") == tt.headless &&
			strings.Contains(spec.Env["PATH"], labData(w.place)) != tt.headless, "%+v: %+v", tt, spec)
	}
	dollars := newKernelSpec(place{"/home/u$er/${lab}"}, toolchain{root: "/go"}, true, false).Env
	expect.Equal(t, dollars["PUCL_HOME"], "/home/u$$er/$${lab}")
	path, ok := strings.CutSuffix(dollars["PATH"], ":${PATH}")
	expect.That(t, ok && !strings.Contains(path, "/u$er"), "PATH is %q", dollars["PATH"])
}

func TestWriteKernelSpecs(t *testing.T) {
	w := newWorkshop(t)
	for range 2 {
		expect.NoError(t, writeKernelSpecs(w.place, toolchain{root: "/go"}, true))
	}
	for _, data := range []string{labData(w.place), headlessData(w.place)} {
		dir := filepath.Join(data, "kernels", "gonb")
		text := expect.Must(os.ReadFile(filepath.Join(dir, "kernel.json")))(t)
		var spec kernelSpec
		if err := json.Unmarshal(text, &spec); err != nil || spec.Argv[0] != w.place.bin("gonb") {
			t.Errorf("%s: %+v, %v", dir, spec, err)
		}
		expect.Must(os.Stat(filepath.Join(dir, "logo-svg.svg")))(t)
		info, err := os.Stat(filepath.Join(data, "bin", "gopls"))
		expect.That(t, err == nil && info.Mode()&0o111 != 0, "the stand-in for gopls cannot be run: %v, %v", info, err)
	}
}
