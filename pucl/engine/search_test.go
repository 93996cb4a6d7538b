package engine

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/pucl/internal/onednn"
)

// plant puts an empty CPU plugin and oneDNN's library into a virtual environment and returns the plugin.
func plant(t *testing.T, env string) string {
	t.Helper()
	plugin := filepath.Join(env, "lib", "python3.99", "site-packages", "xla_plugins", "xla_cpu_pjrt", "xla_cpu_pjrt.so")
	expect.NoError(t, os.MkdirAll(filepath.Dir(plugin), 0o755))
	for _, file := range []string{plugin, filepath.Join(env, "lib", "libdnnl.so.3")} {
		expect.NoError(t, os.WriteFile(file, nil, 0o644))
	}
	return plugin
}

// around makes a folder the module's root and the working folder.
func around(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	expect.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module "+home.Module+"\n"), 0o644))
	t.Chdir(root)
	root, err := os.Getwd() // with links resolved, as in the search
	expect.NoError(t, err)
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
		expect.That(t, slices.Equal(got, want) && len(notes) == 0,
			"with %d places: plugins %q, notes %q, want %q", len(want), got, notes, want)
		library, err := oneDNNLibrary()
		if dir := places()[0].dir; err != nil || library != filepath.Join(dir, "lib", "libdnnl.so.3") {
			t.Errorf("oneDNN is %s, %v, want the one in %s", library, err, dir)
		}
		t.Setenv([]string{home.Env, "VIRTUAL_ENV", "NONE"}[i], "")
		want = want[min(1, len(want)):]
	}
}

// TestWhatNobodyNamedMustBeTrusted checks that a plugin beside a go.mod that anybody may write to is noted and not
// loaded, unless the user names its environment.
func TestWhatNobodyNamedMustBeTrusted(t *testing.T) {
	t.Setenv(home.Env, "")
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv(oneDNNEnv, "")
	env := filepath.Join(around(t), "notebooks", ".venv")
	plugin := plant(t, env)
	expect.NoError(t, os.Chmod(filepath.Dir(filepath.Dir(env)), 0o777))
	found := func() (here bool, told string) {
		list, notes := candidates()
		return slices.ContainsFunc(list, func(c candidate) bool { return c.plugin == plugin }), strings.Join(notes, "; ")
	}
	here, told := found()
	if here || hasXLA != strings.Contains(told, "written to by everybody") || hasXLA != strings.Contains(told, "VIRTUAL_ENV="+env) {
		t.Errorf("found: %v, notes %q", here, told)
	}
	library, err := oneDNNLibrary()
	expect.That(t, !strings.HasPrefix(library, env) && (library != "" || err != nil), "oneDNN is %q, %v", library, err)
	t.Setenv("VIRTUAL_ENV", env)
	here, told = found()
	expect.That(t, here == hasXLA && told == "", "named by the user: found: %v, notes %q", here, told)
}

// TestInOnesOwnModule checks that below another module's go.mod its .venv is searched, under the same condition of
// trust, and after the environments that the user names.
func TestInOnesOwnModule(t *testing.T) {
	if !hasXLA {
		t.Skip("built without XLA: plugins are not looked for")
	}
	t.Setenv(home.Env, "")
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv(oneDNNEnv, "")
	root := t.TempDir()
	below := filepath.Join(root, "cmd", "train")
	expect.NoError(t, os.MkdirAll(below, 0o755))
	expect.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/own\n"), 0o644))
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
	expect.Equal(t, first(), plugin, "the first plugin")
	expect.Equal(t, expect.Must(oneDNNLibrary())(t), filepath.Join(root, ".venv", "lib", "libdnnl.so.3"))
	expect.NoError(t, os.Chmod(root, 0o777))
	got := first()
	expect.That(t, got != plugin, "a plugin is taken from a folder that anybody may write to")
	named := t.TempDir()
	t.Setenv("VIRTUAL_ENV", named)
	want := plant(t, named)
	expect.That(t, first() == want, "the first plugin is %s, want the named one, %s", first(), want)
}

// TestTheCopyThatWasCompiled checks that its environment is searched last; this test was compiled from this copy.
func TestTheCopyThatWasCompiled(t *testing.T) {
	here := expect.Must(filepath.Abs("../.."))(t)
	t.Setenv(home.Env, "")
	t.Setenv("VIRTUAL_ENV", "")
	t.Chdir(t.TempDir())
	want := place{dir: filepath.Join(here, "notebooks", ".venv"), root: here}
	list := places()
	expect.That(t, len(list) != 0 && list[len(list)-1] == want, "places %v do not end with %v", list, want)
}

// TestTheWayToAPlugin checks the instructions: in this module setup installs a plugin; elsewhere pip does, at the
// versions pinned here, if a package exists.
func TestTheWayToAPlugin(t *testing.T) {
	pinned := expect.Must(os.ReadFile("../../notebooks/requirements.in"))(t)
	for _, name := range []string{pluginPackage, oneDNNPackage} {
		expect.That(t, strings.Contains(string(pinned), "\n"+name+" "), "%s is not what requirements.in pins", name)
	}
	around(t)
	expect.Equal(t, wayToAPlugin("linux", "amd64"), "`go run ./notebooks setup` installs one", "in this module")
	t.Chdir(t.TempDir())
	for machine, want := range map[[2]string][]string{
		{"linux", "amd64"}:  {"pip install xla-cpu-pjrt==0.0.1 onednn-cpu-gomp==2023.2.0`", ".venv beside your go.mod", "$VIRTUAL_ENV", "$" + home.Env, home.Module},
		{"linux", "arm64"}:  {"pip install xla-cpu-pjrt==0.0.1`", "$VIRTUAL_ENV"},
		{"darwin", "arm64"}: {"no package with one for arm64 on darwin", "$PJRT_PLUGIN_LIBRARY_PATH"},
	} {
		for _, words := range want {
			expect.Contains(t, wayToAPlugin(machine[0], machine[1]), words)
		}
	}
}

// TestOneDNNIsTakenWhereItIs checks that the CPU plugin calls oneDNN if its library is installed, unless disabled, and
// that an invalid library is a note.
func TestOneDNNIsTakenWhereItIs(t *testing.T) {
	t.Setenv(oneDNNEnv, "")
	t.Setenv("VIRTUAL_ENV", "")
	e := expect.Must(Open())(t)
	root, _ := home.Dir()
	_, err := os.Stat(filepath.Join(root, "notebooks", ".venv", "lib", "libdnnl.so.3"))
	want := e.Kind == "xla-cpu" && err == nil && runtime.GOOS+runtime.GOARCH == "linuxamd64"
	expect.That(t, e.OneDNN == want && onednn.Attached() == want && strings.Contains(e.Name(), " with oneDNN") == want,
		"oneDNN: %v, attached: %v, want %v: %s", e.OneDNN, onednn.Attached(), want, e)
	for setting, note := range map[string]string{"off": "", "/no/such/libdnnl.so": "/no/such/libdnnl.so"} {
		t.Setenv(oneDNNEnv, setting)
		e := expect.Must(Open())(t)
		expect.That(t, !e.OneDNN && !onednn.Attached() && !strings.Contains(e.String(), "with oneDNN"),
			"%s=%s: oneDNN is used: %s", oneDNNEnv, setting, e)
		expect.That(t, e.Kind != "xla-cpu" || strings.Contains(strings.Join(e.Notes, " "), note),
			"%s=%s: notes %q", oneDNNEnv, setting, e.Notes)
	}
}
