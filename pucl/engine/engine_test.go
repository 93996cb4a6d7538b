package engine

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/internal/peaktest"
	"github.com/puclab/puclab/pucl/internal/onednn"
)

func TestTheVariableDecidesAlone(t *testing.T) {
	t.Setenv(compute.ConfigEnvVar, "go")
	e := expect.Must(Open())(t)
	if e.Kind != "go" || e.Plugin != "" || !strings.Contains(e.String(), "pure Go (GOMLX_BACKEND asks for it)") {
		t.Errorf("%+v: %s", e, e)
	}
	out, err := CallOnce(e.Backend, func(x *Node) *Node { return AddScalar(x, 1.0) }, 41.0)
	expect.That(t, err == nil && out.Value().(float64) == 42, "41 + 1 = %v, %v", out, err)
	for _, config := range []string{"nosuch", "xla:/no/such/plugin.so"} {
		t.Setenv(compute.ConfigEnvVar, config)
		expect.Error(t, expect.Err(Open()), config, "unset it")
	}
}

// Eight products that can all run at once made the pure-Go engine deadlock in its default mode.
func TestPureGoDoesNotHang(t *testing.T) {
	expect.Slow(t)
	t.Setenv(compute.ConfigEnvVar, "go")
	e := expect.Must(Open())(t)
	exec := expect.Must(NewExec(e.Backend, func(x *Node) *Node {
		var products []*Node
		for i := range 8 {
			y := AddScalar(x, float64(i))
			products = append(products, EinsumAxes(y, y, [][2]int{{2, 2}}, [][2]int{{0, 0}}))
		}
		return ReduceAllSum(Stack(products, 0))
	}))(t)
	x := make([][][]float64, 64)
	for i := range x {
		x[i] = make([][]float64, 16)
		for j := range x[i] {
			x[i][j] = make([]float64, 16)
		}
	}
	done := make(chan error, 1)
	go func() {
		for range 200 {
			if _, err := exec.Call(x); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		expect.NoError(t, err)
	case <-time.After(5 * time.Minute):
		t.Fatal("the pure-Go engine hangs")
	}
}

// nowhere is the source of a program without a known copy of the module.
func nowhere() (string, bool) { return "", false }

// A plugin that cannot be loaded is noted and skipped; the pure-Go engine remains.
func TestABrokenPluginIsPassedOver(t *testing.T) {
	if !hasXLA {
		t.Log("built without XLA: plugins are not looked for")
	}
	home := t.TempDir()
	t.Setenv("PUCL_HOME", home)
	t.Setenv("VIRTUAL_ENV", "")
	t.Chdir(home) // away from this module's own environment, and from the compiled copy
	compiled := source
	source = nowhere
	defer func() { source = compiled }()
	t.Setenv(compute.ConfigEnvVar, "")
	plugin := filepath.Join(home, "notebooks", ".venv", "lib", "python3.99", "site-packages", "xla_plugins", "xla_cpu_pjrt", "xla_cpu_pjrt.so")
	expect.NoError(t, os.MkdirAll(filepath.Dir(plugin), 0o755))
	expect.NoError(t, os.WriteFile(plugin, []byte("no library"), 0o644))
	e := expect.Must(Open())(t)
	expect.That(t, !hasXLA || len(e.Notes) != 0 && strings.Contains(e.String(), "xla_cpu_pjrt.so did not open"),
		"the broken plugin is not told of: %s", e)
	expect.That(t, hasXLA || e.Kind == "go" && strings.Contains(e.String(), "without cgo"), "%s", e)
}

func TestCandidatesComeInOrder(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PUCL_HOME", home)
	for _, file := range []string{"jax_plugins/xla_cuda13/xla_cuda_plugin.so", "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"} {
		path := filepath.Join(home, "notebooks", ".venv", "lib", "python3.99", "site-packages", filepath.FromSlash(file))
		expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		expect.NoError(t, os.WriteFile(path, nil, 0o644))
	}
	var kinds []string
	list, _ := candidates()
	for _, c := range list {
		kinds = append(kinds, c.kind)
	}
	got := strings.Join(kinds, " ")
	want := "go"
	if hasXLA {
		want = "xla-cpu"
		if gpuPresent() {
			want = "xla-cuda xla-cpu"
		}
	}
	expect.That(t, strings.HasPrefix(got, want) && strings.HasSuffix(got, "go"),
		"candidates %q do not begin with %q and end with the pure-Go engine", got, want)
}

func TestChosenTellsKindFromThePlugin(t *testing.T) {
	for config, kind := range map[string]string{
		"go": "go", "xla": "xla", "xla:cpu": "xla-cpu", "xla:/a/cuda/xla_cpu_pjrt.so": "xla-cpu",
		"xla:/x/xla_cuda_plugin.so,preallocate=false": "xla-cuda",
	} {
		if got := chosen(config); got.kind != kind || strings.Contains(got.plugin, ",") {
			t.Errorf("%s: kind %s, plugin %q, want kind %s", config, got.kind, got.plugin, kind)
		}
	}
}

func TestEnvironmentDifferences(t *testing.T) {
	there := Environment{Engine: "pure Go", Threads: 2, Instructions: "amd64 AVX2", Versions: map[string]string{"go": "go1", "gomlx": "v1"}}
	list := there.Differences(there)
	expect.That(t, len(list) == 0, "an environment differs from itself: %q", list)
	here := there
	here.Threads, here.Versions = 3, maps.Clone(there.Versions)
	here.Versions["gomlx"], here.Versions["gonum"] = "v2", "v3"
	want := []string{"threads: 2 there, 3 here", "version of gomlx: v1 there, v2 here", "version of gonum:  there, v3 here"}
	expect.Equal(t, there.Differences(here), want)
}

// TestEnvironmentIsOfTheEngine checks that oneDNN's version is present if it computes, and that pure Go has no number
// of threads.
func TestEnvironmentIsOfTheEngine(t *testing.T) {
	e := expect.Must(Open())(t)
	env := e.Environment()
	version, ok := env.Versions["oneDNN"]
	expect.That(t, ok == e.OneDNN && (!ok || version != ""), "oneDNN %v, its version %q", e.OneDNN, version)
	expect.That(t, (env.Threads > 0) == (e.Kind == "xla-cpu" || e.Kind == "xla"), "%s has %d threads", e, env.Threads)
	expect.That(t, env.Engine == e.Name() && env.Versions["go"] != "" && env.Instructions != "", "%+v", env)
}

// openEnv makes a child process open an engine and print it.
const openEnv = "PUCL_TEST_OPEN"

// TestOpenInAProcess opens engines in separate processes, since a plugin, oneDNN and the allocator's settings stay
// until a process ends.
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
		syscall.Exit(0) // os.Exit under the race detector ends libraries as well, which crashes a copied plugin
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
	incomplete := filepath.Join(t.TempDir(), "libdnnl.so.3") // needs a libgomp that does not exist
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
