package engine

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gomlx/compute"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/internal/peaktest"
	"github.com/puclab/puclab/pucl/engine/onednn"
)

// openEnv has a child process open an engine and tell about it.
const openEnv = "PUCL_TEST_OPEN"

// TestOpenInAProcess opens engines in processes of their own, since a plugin, oneDNN and the ways of the C library stay for good.
func TestOpenInAProcess(t *testing.T) {
	expect.Slow(t)
	if how := os.Getenv(openEnv); how != "" {
		if how == "1elsewhere" {
			source = nowhere
		}
		before := peaktest.Keeps()
		e := expect.Must(Config{KeepAllocator: how == "1keep"}.Open())(t)
		fmt.Printf("\ntold: %s; file %s; oneDNN %q; threads %d; keeps %v, then %v\n",
			e, e.Plugin, e.Environment().Versions["oneDNN"], e.Environment().Threads, before, peaktest.Keeps())
		syscall.Exit(0) // os.Exit under the race detector ends libraries as well, which a plugin that is a copy does not survive
	}
	here := expect.Must(Open())(t)
	if here.Kind != "xla-cpu" {
		t.Skip("there is no CPU plugin to open in other ways: ", here)
	}
	installed := filepath.Join(t.TempDir(), "pjrt_c_api_cpu_plugin.so")
	expect.NoError(t, os.Symlink(here.Plugin, installed))
	env := filepath.Dir(here.Plugin)
	for filepath.Base(env) != "lib" {
		if env == filepath.Dir(env) {
			t.Skip("the plugin does not lie in a virtual environment: ", here.Plugin)
		}
		env = filepath.Dir(env)
	}
	env = filepath.Dir(env)
	oneDNN := ` oneDNN "";`
	if here.OneDNN {
		oneDNN = fmt.Sprintf(" oneDNN %q;", onednn.Version())
		expect.That(t, strings.HasPrefix(onednn.Version(), "3."), "oneDNN's version is %q", onednn.Version())
	}
	incomplete := filepath.Join(t.TempDir(), "libdnnl.so.3") // needs a libgomp that nobody has
	if here.OneDNN {
		library := expect.Must(oneDNNLibrary())(t)
		data, err := os.ReadFile(library)
		expect.Require(t, err == nil && bytes.Contains(data, []byte("libgomp.so.1\x00")),
			"%s needs no libgomp.so.1: %v", library, err)
		data = bytes.ReplaceAll(data, []byte("libgomp.so.1\x00"), []byte("libgomp.so.9\x00"))
		expect.NoError(t, os.WriteFile(incomplete, data, 0o644))
	}
	for name, c := range map[string]struct{ how, variables, want string }{
		"no libgomp":                       {"", "PUCL_ONEDNN=" + incomplete + " VIRTUAL_ENV=" + env, "libgomp.so.9, which is not installed: install the package libgomp1"},
		"found in the virtual environment": {"", "VIRTUAL_ENV=" + env, "file " + here.Plugin + ";" + oneDNN},
		"an installed plugin by its name":  {"", "GOMLX_BACKEND=xla:cpu VIRTUAL_ENV=" + env + " PJRT_PLUGIN_LIBRARY_PATH=" + filepath.Dir(installed), "file " + installed + ";" + oneDNN},
		"an installed plugin":              {"elsewhere", "PJRT_PLUGIN_LIBRARY_PATH=" + filepath.Dir(installed), "where gomlx installs plugins"},
		"the copy that was compiled":       {"", "PJRT_PLUGIN_LIBRARY_PATH=" + filepath.Dir(installed), "file " + here.Plugin + ";" + oneDNN},
		"a library that is none":           {"", "PUCL_ONEDNN=libm.so.6 VIRTUAL_ENV=" + env, "it is not oneDNN"},
		"the allocator is told":            {"", "VIRTUAL_ENV=" + env, "keeps false, then true"},
		"the allocator is left alone":      {"", "PUCL_MALLOC=off VIRTUAL_ENV=" + env, "keeps false, then false"},
		"and so by the configuration":      {"keep", "VIRTUAL_ENV=" + env, "keeps false, then false"},
		"and by pure Go":                   {"", "GOMLX_BACKEND=go", "keeps false, then false"},
		"as many threads everywhere":       {"", "PUCL_REPRODUCIBLE=1 NPROC=3 VIRTUAL_ENV=" + env, "threads 8;"},
		"as many threads as asked for":     {"", "NPROC=5 VIRTUAL_ENV=" + env, "threads 5;"},
		"never fewer than devices":         {"", "NPROC=1 VIRTUAL_ENV=" + env, "threads 4;"},
		"pure Go needs no number":          {"", "GOMLX_BACKEND=go", "threads 0;"},
	} {
		t.Run(name, func(t *testing.T) {
			if (name == "no libgomp" || c.want == "it is not oneDNN") && oneDNN == ` oneDNN "";` {
				t.Skip("not on this system")
			}
			child := exec.Command(os.Args[0], "-test.run=^TestOpenInAProcess$", "-test.v")
			child.Dir = t.TempDir() // outside of this module
			child.Env = append(os.Environ(), home.Env+"=", "VIRTUAL_ENV=", compute.ConfigEnvVar+"=", openEnv+"=1"+c.how)
			child.Env = append(child.Env, strings.Fields(c.variables)...)
			out, err := child.CombinedOutput()
			_, told, found := strings.Cut(string(out), "\ntold: ")
			expect.That(t, err == nil && found && strings.Contains(told, c.want),
				"%s: %v: want %q in\n%s", c.variables, err, c.want, out)
		})
	}
}

func TestReproducibleIsYesOrNo(t *testing.T) {
	t.Setenv(reproducibleEnv, "maybe")
	expect.Error(t, expect.Err(Open()), reproducibleEnv, "neither 0 nor 1")
	t.Setenv(reproducibleEnv, "")
	t.Setenv(mallocEnv, "no")
	expect.Error(t, expect.Err(Open()), mallocEnv)
}
