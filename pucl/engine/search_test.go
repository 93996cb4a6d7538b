package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/home"
)

// plant puts an empty CPU plugin and oneDNN's library into a virtual environment and returns the plugin.
func plant(t *testing.T, env string) string {
	t.Helper()
	plugin := filepath.Join(env, "lib", "python3.99", "site-packages", "xla_plugins", "xla_cpu_pjrt", "xla_cpu_pjrt.so")
	if err := os.MkdirAll(filepath.Dir(plugin), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{plugin, filepath.Join(env, "lib", "libdnnl.so.3")} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return plugin
}

// around makes a folder the module's root and goes there.
func around(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module "+home.Module+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	root, err := os.Getwd() // with links followed, as the search has it
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestPlacesComeInOrder(t *testing.T) {
	told, env := t.TempDir(), t.TempDir()
	t.Setenv(home.Env, told)
	t.Setenv("VIRTUAL_ENV", env)
	t.Setenv(oneDNNEnv, "")
	root := around(t)
	want := []string{plant(t, filepath.Join(told, "notebooks", ".venv")), plant(t, env), plant(t, filepath.Join(root, "notebooks", ".venv"))}
	for i := range want {
		list, notes := candidates()
		var got []string
		for _, c := range list {
			if c.kind == "xla-cpu" && strings.Contains(c.plugin, "python3.99") {
				got = append(got, c.plugin)
			}
		}
		if !hasXLA {
			want = nil
		}
		if !slices.Equal(got, want) || len(notes) > 0 {
			t.Errorf("with %d places: plugins %q, notes %q, want %q", len(want), got, notes, want)
		}
		library, err := oneDNNLibrary()
		if dir := places()[0].dir; err != nil || library != filepath.Join(dir, "lib", "libdnnl.so.3") {
			t.Errorf("oneDNN is %s, %v, want the one in %s", library, err, dir)
		}
		t.Setenv([]string{home.Env, "VIRTUAL_ENV", "NONE"}[i], "")
		want = want[min(1, len(want)):]
	}
}

// TestWhatNobodyNamedMustBeTrusted: a plugin beside a go.mod that anybody may write to is told of and not loaded, unless the user names
// the place.
func TestWhatNobodyNamedMustBeTrusted(t *testing.T) {
	t.Setenv(home.Env, "")
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv(oneDNNEnv, "")
	env := filepath.Join(around(t), "notebooks", ".venv")
	plugin := plant(t, env)
	if err := os.Chmod(filepath.Dir(filepath.Dir(env)), 0o777); err != nil {
		t.Fatal(err)
	}
	found := func() (here bool, told string) {
		list, notes := candidates()
		return slices.ContainsFunc(list, func(c candidate) bool { return c.plugin == plugin }), strings.Join(notes, "; ")
	}
	here, told := found()
	if here || hasXLA != strings.Contains(told, "written to by everybody") || hasXLA != strings.Contains(told, "VIRTUAL_ENV="+env) {
		t.Errorf("found: %v, notes %q", here, told)
	}
	if library, err := oneDNNLibrary(); library != "" || err == nil {
		t.Errorf("oneDNN is %q, %v", library, err)
	}
	t.Setenv("VIRTUAL_ENV", env)
	if here, told = found(); here != hasXLA || told != "" {
		t.Errorf("named by the user: found: %v, notes %q", here, told)
	}
}

// TestTheWayToAPlugin: in this module setup installs one here; elsewhere a copy of this module is needed.
func TestTheWayToAPlugin(t *testing.T) {
	if !hasXLA {
		t.Skip("built without XLA: there is no way to a plugin")
	}
	reason := func() string {
		list, _ := candidates()
		return list[len(list)-1].reason
	}
	around(t)
	if got := reason(); !strings.Contains(got, "go run ./notebooks setup") || strings.Contains(got, home.Env) {
		t.Errorf("in this module: %q", got)
	}
	t.Chdir(t.TempDir())
	if got := reason(); !strings.Contains(got, "in a copy of "+home.Module) || !strings.Contains(got, home.Env) || !strings.Contains(got, "VIRTUAL_ENV") {
		t.Errorf("elsewhere: %q", got)
	}
}
