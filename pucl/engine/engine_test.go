package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/expect"
)

func TestTheVariableDecidesAlone(t *testing.T) {
	t.Setenv(compute.ConfigEnvVar, "go")
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if e.Kind != "go" || e.Plugin != "" || !strings.Contains(e.String(), "pure Go (GOMLX_BACKEND asks for it)") {
		t.Errorf("%+v: %s", e, e)
	}
	out, err := CallOnce(e.Backend, func(x *Node) *Node { return AddScalar(x, 1.0) }, 41.0)
	if err != nil || out.Value().(float64) != 42 {
		t.Errorf("41 + 1 = %v, %v", out, err)
	}
	for _, config := range []string{"nosuch", "xla:/no/such/plugin.so"} {
		t.Setenv(compute.ConfigEnvVar, config)
		if _, err := Open(); err == nil || !strings.Contains(err.Error(), config) || !strings.Contains(err.Error(), "unset it") {
			t.Errorf("GOMLX_BACKEND=%s gave %v", config, err)
		}
	}
}

// Eight products that can all run at once made the pure-Go engine wait for ever in its default mode.
func TestPureGoDoesNotHang(t *testing.T) {
	expect.Slow(t)
	t.Setenv(compute.ConfigEnvVar, "go")
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	exec, err := NewExec(e.Backend, func(x *Node) *Node {
		var products []*Node
		for i := range 8 {
			y := AddScalar(x, float64(i))
			products = append(products, EinsumAxes(y, y, [][2]int{{2, 2}}, [][2]int{{0, 0}}))
		}
		return ReduceAllSum(Stack(products, 0))
	})
	if err != nil {
		t.Fatal(err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(5 * time.Minute):
		t.Fatal("the pure-Go engine hangs")
	}
}

// nowhere is the source of a program that knows of no copy.
func nowhere() (string, bool) { return "", false }

// A plugin that cannot be loaded is told of and passed over; the pure-Go engine remains.
func TestABrokenPluginIsPassedOver(t *testing.T) {
	if !hasXLA {
		t.Log("built without XLA: plugins are not looked for")
	}
	home := t.TempDir()
	t.Setenv("PUCL_HOME", home)
	t.Setenv("VIRTUAL_ENV", "")
	t.Chdir(home) // away from this module's own environment, and from the copy that was compiled
	compiled := source
	source = nowhere
	defer func() { source = compiled }()
	t.Setenv(compute.ConfigEnvVar, "")
	plugin := filepath.Join(home, "notebooks", ".venv", "lib", "python3.99", "site-packages", "xla_plugins", "xla_cpu_pjrt", "xla_cpu_pjrt.so")
	if err := os.MkdirAll(filepath.Dir(plugin), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(plugin, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if hasXLA && (len(e.Notes) == 0 || !strings.Contains(e.String(), "xla_cpu_pjrt.so did not open")) {
		t.Errorf("the broken plugin is not told of: %s", e)
	}
	if !hasXLA && (e.Kind != "go" || !strings.Contains(e.String(), "without cgo")) {
		t.Errorf("%s", e)
	}
}

func TestCandidatesComeInOrder(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PUCL_HOME", home)
	for _, file := range []string{"jax_plugins/xla_cuda13/xla_cuda_plugin.so", "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"} {
		path := filepath.Join(home, "notebooks", ".venv", "lib", "python3.99", "site-packages", filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
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
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "go") {
		t.Errorf("candidates %q do not begin with %q and end with the pure-Go engine", got, want)
	}
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
