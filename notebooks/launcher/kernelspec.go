package launcher

import (
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/puclab/puclab/internal/wholefile"
)

// The name and the display name of the kernel, as in every notebook of this folder.
const (
	kernelName    = "gonb"
	kernelDisplay = "Go (gonb)"
)

//go:embed logo.svg
var kernelLogo []byte

// kernelSpec is a kernel.json; see jupyter-client's documentation on kernel specs.
type kernelSpec struct {
	Argv          []string          `json:"argv"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode"`
	Env           map[string]string `json:"env"`
}

// labData and headlessData are Jupyter data folders: each holds a kernel of the same name, one for use in a browser,
// one for headless runs.
func labData(p place) string      { return filepath.Join(p.env(), "share", "jupyter") }
func headlessData(p place) string { return filepath.Join(p.env(), "share", "headless") }

// kernelGoEnv returns the variables for the go command in a cell, as "NAME=value".
func kernelGoEnv(p place, t toolchain, cgo bool) []string {
	env := []string{
		// Without debug information a cell links in half the time. Stack traces do not need it.
		"GOFLAGS=" + joinQuoted(append([]string{"-ldflags=-w"}, t.flags...)),
		"GOTOOLCHAIN=local", // PATH leads to the right one
	}
	cpu, cuda := xlaPlugins(p)
	if !cgo {
		env = append(env, "CGO_ENABLED=0")
	}
	// The matrix product of the pure-Go engine is twelve times as fast with Go's SIMD package, currently only on amd64.
	if (!cgo || cpu+cuda == "") && t.arch == "amd64" && os.Getenv("GOEXPERIMENT") == "" {
		env = append(env, "GOEXPERIMENT=simd")
	}
	return env
}

// computeEnv returns the variables for a computing program, as "NAME=value": those of the go command, the paths of the
// XLA plugin and the results folder, and the path of CUDA.
func computeEnv(p place, t toolchain, cgo bool) []string {
	// gomlx would download an XLA plugin by itself if it finds none.
	env := append(kernelGoEnv(p, t, cgo), "PUCL_HOME="+p.root, "GOMLX_NO_AUTO_INSTALL=1")
	if _, cuda := xlaPlugins(p); cuda != "" {
		env = append(env, cudaEnv(sitePackages(p))...)
	}
	return env
}

// newKernelSpec describes the Go kernel. Jupyter replaces ${PATH} when it starts the kernel. GOMLX_BACKEND is
// deliberately not set: the packages select the best engine themselves, and a user's choice passes through.
func newKernelSpec(p place, t toolchain, cgo, headless bool) kernelSpec {
	// The second folder has a gopls that starts early.
	path := []string{p.bin(""), filepath.Join(labData(p), "bin"), filepath.Join(t.root, "bin")}
	argv := []string{p.bin("gonb"), "--kernel", "{connection_file}",
		"-go_work=" + p.root} // makes the packages of this module importable
	if headless {
		path[1] = filepath.Join(headlessData(p), "bin") // with a gopls that exits at once
		argv = append(argv, "-raw_error")               // errors as text, not as a page
	}
	env := map[string]string{
		"PATH":   literal(strings.Join(path, ":")) + ":${PATH}",
		"GOWORK": "", // a user's GOWORK would hide the work file that gonb makes
	}
	for _, e := range computeEnv(p, t, cgo) {
		name, value, _ := strings.Cut(e, "=")
		env[name] = literal(value)
	}
	return kernelSpec{argv, kernelDisplay, "go", "message", env}
}

// cudaEnv returns the variables that lead the CUDA plugin to the CUDA of the wheels, as "NAME=value": its libraries,
// and the compiler that XLA calls.
func cudaEnv(site string) []string {
	libs, err := fs.Glob(os.DirFS(site), "nvidia/*/lib")
	if err != nil || len(libs) == 0 { // the pattern is well-formed, so there is no error
		return nil
	}
	for i, lib := range libs {
		libs[i] = filepath.Join(site, lib)
	}
	if old := os.Getenv("LD_LIBRARY_PATH"); old != "" {
		libs = append(libs, old)
	}
	// This disables the check of go-xla, which searches another place and warns.
	env := []string{"LD_LIBRARY_PATH=" + strings.Join(libs, ":"), "GOPJRT_CUDA_CHECKS=0"}
	if os.Getenv("XLA_FLAGS") == "" {
		env = append(env, "XLA_FLAGS=--xla_gpu_cuda_data_dir="+filepath.Join(site, "nvidia", "cu13"))
	}
	return env
}

// literal protects dollar signs from Jupyter's substitution.
func literal(s string) string { return strings.ReplaceAll(s, "$", "$$") }

// writeKernelSpecs updates the kernel specifications; it writes nothing if they are current.
func writeKernelSpecs(p place, t toolchain, cgo bool) error {
	for headless, data := range map[bool]string{false: labData(p), true: headlessData(p)} {
		dir := filepath.Join(data, "kernels", kernelName)
		if err := writeJSON(filepath.Join(dir, "kernel.json"), newKernelSpec(p, t, cgo, headless)); err != nil {
			return err
		}
		if err := wholefile.Keep(filepath.Join(dir, "logo-svg.svg"), kernelLogo, 0o644); err != nil {
			return err
		}
	}
	// gonb starts any gopls that it finds, including the user's; this one prevents that.
	if err := wholefile.Keep(filepath.Join(headlessData(p), "bin", "gopls"), []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		return err
	}
	early, err := keepScript(p, "gopls_early.py")
	if err != nil {
		return err
	}
	gopls := filepath.Join(goplsDir(p), "gopls")
	command := fmt.Sprintf("#!/bin/sh\nexec %s %s %s \"$@\"\n", shellWord(p.bin("python")), shellWord(early), shellWord(gopls))
	return wholefile.Keep(filepath.Join(labData(p), "bin", "gopls"), []byte(command), 0o755)
}

// shellWord quotes a text for the shell.
func shellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
