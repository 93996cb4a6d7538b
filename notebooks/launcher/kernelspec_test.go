package launcher

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestKernelSpec(t *testing.T) {
	w := newWorkshop(t)
	tool := toolchain{root: "/usr/local/go", version: "go1.26.8", arch: "amd64", os: "linux", flags: []string{"-tags=a b", "-trimpath"}}
	w.file("notebooks/.venv/lib/python3.12/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "")
	spec := newKernelSpec(w.place, tool, true, false)
	bin := filepath.Join(w.place.env(), "bin")
	if want := []string{filepath.Join(bin, "gonb"), "--kernel", "{connection_file}", "-go_work=" + w.place.root}; !slices.Equal(spec.Argv, want) {
		t.Errorf("argv %q, want %q", spec.Argv, want)
	}
	if spec.DisplayName != "Go (gonb)" || spec.Language != "go" || spec.InterruptMode != "message" {
		t.Errorf("%+v", spec)
	}
	for name, want := range map[string]string{
		"PATH":                  bin + ":" + filepath.Join(labData(w.place), "bin") + ":/usr/local/go/bin:${PATH}",
		"PUCL_HOME":             w.place.root,
		"GOFLAGS":               "-ldflags=-w '-tags=a b' -trimpath",
		"GOTOOLCHAIN":           "local",
		"GOWORK":                "",
		"GOMLX_NO_AUTO_INSTALL": "1",
	} {
		if got, ok := spec.Env[name]; !ok || got != want {
			t.Errorf("%s is %q (%v), want %q", name, got, ok, want)
		}
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
		arch, experiment, want string
	}{{"amd64", "", "simd"}, {"arm64", "", ""}, {"amd64", "mine", ""}} {
		t.Setenv("GOEXPERIMENT", tt.experiment)
		env := newKernelSpec(w.place, toolchain{root: "/go", arch: tt.arch}, false, false).Env
		if env["CGO_ENABLED"] != "0" || env["GOEXPERIMENT"] != tt.want {
			t.Errorf("%s with GOEXPERIMENT=%q: CGO_ENABLED=%q GOEXPERIMENT=%q", tt.arch, tt.experiment, env["CGO_ENABLED"], env["GOEXPERIMENT"])
		}
	}
	t.Setenv("GOEXPERIMENT", "")
	if env := newKernelSpec(w.place, toolchain{root: "/go", arch: "amd64"}, true, false).Env; env["GOEXPERIMENT"] != "simd" || env["CGO_ENABLED"] != "" {
		t.Errorf("with a compiler but no plugin: %v", env)
	}
}

func TestHeadlessKernel(t *testing.T) {
	w := newWorkshop(t)
	spec := newKernelSpec(w.place, toolchain{root: "/go"}, true, true)
	if !slices.Contains(spec.Argv, "-raw_error") || strings.Contains(spec.Env["PATH"], labData(w.place)) {
		t.Errorf("%+v", spec)
	}
}

func TestDollarsAreNotSubstituted(t *testing.T) {
	spec := newKernelSpec(place{"/home/u$er/${lab}"}, toolchain{root: "/go"}, true, false)
	if got := spec.Env["PUCL_HOME"]; got != "/home/u$$er/$${lab}" {
		t.Errorf("PUCL_HOME is %q", got)
	}
	if !strings.HasSuffix(spec.Env["PATH"], ":${PATH}") || strings.Contains(strings.TrimSuffix(spec.Env["PATH"], ":${PATH}"), "/u$er") {
		t.Errorf("PATH is %q", spec.Env["PATH"])
	}
}

func TestWriteKernelSpecs(t *testing.T) {
	w := newWorkshop(t)
	for range 2 {
		if err := writeKernelSpecs(w.place, toolchain{root: "/go"}, true); err != nil {
			t.Fatal(err)
		}
	}
	for _, data := range []string{labData(w.place), headlessData(w.place)} {
		dir := filepath.Join(data, "kernels", "gonb")
		text, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
		if err != nil {
			t.Fatal(err)
		}
		var spec kernelSpec
		if err := json.Unmarshal(text, &spec); err != nil || spec.Argv[0] != w.place.bin("gonb") {
			t.Errorf("%s: %+v, %v", dir, spec, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "logo-svg.svg")); err != nil {
			t.Error(err)
		}
	}
	for _, data := range []string{labData(w.place), headlessData(w.place)} {
		info, err := os.Stat(filepath.Join(data, "bin", "gopls"))
		if err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("the stand-in for gopls cannot be run: %v, %v", info, err)
		}
	}
}
