package launcher

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

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
		if value, ok := spec.Env[name]; ok {
			t.Errorf("%s is set, to %q", name, value)
		}
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
		if slices.Contains(spec.Argv, "-raw_error") != tt.headless ||
			strings.Contains(spec.Env["PATH"], labData(w.place)) == tt.headless {
			t.Errorf("%+v: %+v", tt, spec)
		}
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
