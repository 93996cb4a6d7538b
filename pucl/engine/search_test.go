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
	if library, err := oneDNNLibrary(); strings.HasPrefix(library, env) || library == "" && err == nil {
		t.Errorf("oneDNN is %q, %v", library, err)
	}
	t.Setenv("VIRTUAL_ENV", env)
	if here, told = found(); here != hasXLA || told != "" {
		t.Errorf("named by the user: found: %v, notes %q", here, told)
	}
}

// TestInOnesOwnModule: below another module's go.mod its .venv is looked in, under the same condition of trust, and after what is named.
func TestInOnesOwnModule(t *testing.T) {
	if !hasXLA {
		t.Skip("built without XLA: plugins are not looked for")
	}
	t.Setenv(home.Env, "")
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv(oneDNNEnv, "")
	root := t.TempDir()
	below := filepath.Join(root, "cmd", "train")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/own\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	plugin := plant(t, filepath.Join(root, ".venv"))
	first := func() string {
		list, _ := candidates()
		for _, c := range list {
			if c.kind == "xla-cpu" {
				return c.plugin
			}
		}
		return ""
	}
	if got := first(); got != plugin {
		t.Errorf("the first plugin is %q, want %s", got, plugin)
	}
	if library, err := oneDNNLibrary(); err != nil || library != filepath.Join(root, ".venv", "lib", "libdnnl.so.3") {
		t.Errorf("oneDNN is %q, %v", library, err)
	}
	if err := os.Chmod(root, 0o777); err != nil {
		t.Fatal(err)
	}
	if got := first(); got == plugin {
		t.Error("a plugin is taken from a folder that anybody may write to")
	}
	named := t.TempDir()
	t.Setenv("VIRTUAL_ENV", named)
	if want := plant(t, named); first() != want {
		t.Errorf("the first plugin is %s, want the named one, %s", first(), want)
	}
}

// TestTheCopyThatWasCompiled: its environment is the last to be looked in; this test was compiled from this copy.
func TestTheCopyThatWasCompiled(t *testing.T) {
	here, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(home.Env, "")
	t.Setenv("VIRTUAL_ENV", "")
	t.Chdir(t.TempDir())
	want := place{dir: filepath.Join(here, "notebooks", ".venv"), root: here}
	if list := places(); len(list) == 0 || list[len(list)-1] != want {
		t.Errorf("places %v do not end with %v", list, want)
	}
}

// TestTheWayToAPlugin: in this module setup installs one; elsewhere pip does, at the versions that are pinned here, where there is a package.
func TestTheWayToAPlugin(t *testing.T) {
	pinned, err := os.ReadFile("../../notebooks/requirements.in")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pluginPackage, oneDNNPackage} {
		if !strings.Contains(string(pinned), "\n"+name+" ") {
			t.Errorf("%s is not what requirements.in pins", name)
		}
	}
	around(t)
	if got := wayToAPlugin("linux", "amd64"); got != "`go run ./notebooks setup` installs one" {
		t.Errorf("in this module: %q", got)
	}
	t.Chdir(t.TempDir())
	for machine, want := range map[[2]string][]string{
		{"linux", "amd64"}:  {"pip install xla-cpu-pjrt==0.0.1 onednn-cpu-gomp==2023.2.0`", ".venv beside your go.mod", "$VIRTUAL_ENV", "$" + home.Env, home.Module},
		{"linux", "arm64"}:  {"pip install xla-cpu-pjrt==0.0.1`", "$VIRTUAL_ENV"},
		{"darwin", "arm64"}: {"no package with one for arm64 on darwin", "$PJRT_PLUGIN_LIBRARY_PATH"},
	} {
		for _, words := range want {
			if got := wayToAPlugin(machine[0], machine[1]); !strings.Contains(got, words) {
				t.Errorf("on %v: %q lacks %q", machine, got, words)
			}
		}
	}
}
