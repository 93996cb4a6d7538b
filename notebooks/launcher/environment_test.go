package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/home"
)

func TestSecondStartPreparesNothing(t *testing.T) {
	w := newWorkshop(t)
	calls, said, err := w.prepare(false)
	expect.NoError(t, err)
	for text, want := range map[string]int{"-m venv": 1, "-m pip install": 1, "go install": 2, "go build ./...": 1} {
		got := count(calls, text)
		expect.That(t, got == want, "the first start called %q %d times, want %d; calls: %q", text, got, want, calls)
	}
	contains(t, said, "first start", "    Python environment and packages: some 150 MB to download", "    Go kernel and tools: compiled here",
		"[1/3] Python", "[3/3]", "Prepared in")
	for _, c := range calls {
		if strings.Contains(c, "pip install") {
			contains(t, c, "--require-hashes", "--only-binary=:all:", filepath.Join(w.place.notebooks(), "requirements.txt"))
		}
	}

	calls, said, err = w.prepare(false)
	expect.That(t, err == nil && said == "", "the second start said %q, %v", said, err)
	expect.That(t, len(calls) == 1 && strings.HasPrefix(calls[0], "go env"),
		"the second start called %q, want only go env", calls)
}

// Each case damages or changes a complete environment in one way. The calls identify the steps.
func TestWhatIsDueAgain(t *testing.T) {
	expect.Slow(t)
	const python, tools, warm = "-m venv", "go install", "go build"
	w := newRun(t)
	for _, tt := range []struct {
		name   string
		change func(w *workshop)
		want   []string
		why    string
	}{
		{"requirements", func(w *workshop) { w.file("notebooks/requirements.txt", "some==1.1 --hash=sha256:00\n") },
			[]string{python, tools, warm}, "requirements.txt has changed"},
		{"package file deleted", func(w *workshop) { w.remove("notebooks/.venv/lib/python3.12/site-packages/some.py") },
			[]string{python, tools, warm}, "some.py"},
		{"package file cut short", func(w *workshop) { w.file("notebooks/.venv/lib/python3.12/site-packages/some.py", "123") },
			[]string{python, tools, warm}, "some.py"},
		{"python gone", func(w *workshop) { w.remove("notebooks/.venv/bin/python") },
			[]string{python, tools, warm}, "Python of the environment is gone"},
		{"stamp gone", func(w *workshop) { w.remove("notebooks/.venv/puclab-setup.json") },
			[]string{python, tools, warm}, "did not finish"},
		{"stamp damaged", func(w *workshop) { w.file("notebooks/.venv/puclab-setup.json", `{"version": 1, "root`) },
			[]string{python, tools, warm}, "did not finish"},
		{"go.sum", func(w *workshop) { w.file("go.sum", "x v1.0.0 h1:0\n") }, []string{tools}, "versions of the Go tools"},
		{"gopls version", func(w *workshop) { w.file("notebooks/tools/gopls/go.mod", "module gopls // newer\n") },
			[]string{tools}, "versions of the Go tools"},
		{"go version", func(w *workshop) { w.t.Setenv("GO_SAYS", "go1.27.0") }, []string{tools, warm}, "Go or the versions"},
		{"gonb deleted", func(w *workshop) { w.remove("notebooks/.venv/bin/gonb") }, []string{tools}, "bin/gonb is gone"},
		{"flags", func(w *workshop) { w.t.Setenv("GOFLAGS", "-trimpath") }, []string{warm}, "how cells are compiled"},
		{"harmless", func(w *workshop) {
			w.file("notebooks/.venv/lib/python3.12/site-packages/own.py", "a package of the user's")
			w.t.Setenv("GOFLAGS", "-mod=mod")
		}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.t = t
			expect.Must2(w.prepare(false))(t) // complete again, without the variables of the last case
			tt.change(w)
			calls, said, err := w.prepare(false)
			expect.NoError(t, err)
			for _, call := range []string{python, tools, warm} {
				want := strings.Contains(strings.Join(tt.want, ","), call)
				expect.Equal(t, count(calls, call) > 0, want, "%q was called", call)
			}
			contains(t, said, tt.why)
			if calls, said, err = w.prepare(false); err != nil || len(calls) != 1 {
				t.Errorf("the start after that called %q and said %q, %v", calls, said, err)
			}
		})
	}
}

func (w *workshop) remove(name string) {
	w.t.Helper()
	expect.NoError(w.t, os.Remove(filepath.Join(w.place.root, filepath.FromSlash(name))))
}

func TestMovedCheckout(t *testing.T) {
	w := newRun(t)
	moved := place{filepath.Join(filepath.Dir(w.place.root), "elsewhere")}
	expect.NoError(t, os.Rename(w.place.root, moved.root))
	old := w.place.root
	w.place = moved
	calls, said, err := w.prepare(false)
	expect.That(t, err == nil && count(calls, "-m venv") == 1, "calls %q, %v", calls, err)
	contains(t, said, "moved from "+old)
}

func TestInterruptedSetupIsTakenUp(t *testing.T) {
	w := newWorkshop(t)
	t.Setenv("PIP_SAYS", "killed")
	if _, _, err := w.prepare(false); err == nil {
		t.Fatal("a failed pip went unnoticed")
	}
	t.Setenv("PIP_SAYS", "")
	t.Setenv("INSTALL_SAYS", "boom")
	calls, said, err := w.prepare(false)
	expect.Require(t, err != nil && count(calls, "-m venv") == 1,
		"an environment in which pip failed was kept: %q, %v", calls, err)
	contains(t, said, "did not finish")
	t.Setenv("INSTALL_SAYS", "")
	calls, _, err = w.prepare(false)
	expect.That(t, err == nil && count(calls, "-m venv") == 0 && count(calls, "go install") == 2,
		"after go install had failed: %q, %v; want only the Go steps", calls, err)
}

func TestFailuresAreExplained(t *testing.T) {
	for _, tt := range []struct {
		name, variable, says string
		want                 []string
	}{
		{"pip without network", "PIP_SAYS", `Collecting jupyterlab==4.6.6 (from -r x)\nWARNING: Retrying after connection broken by 'NewConnectionError(Temporary failure in name resolution)'\nERROR: No matching distribution found for jupyterlab==4.6.6`,
			[]string{"network could not be reached", "fetching jupyterlab==4.6.6", "carries on", "setup.log"}},
		{"pip with another file", "PIP_SAYS", `Downloading some-1.0.whl\nERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.`,
			[]string{"not what this project pinned", "some-1.0.whl"}},
		{"pip without room", "PIP_SAYS", `ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device`, []string{"disk is full", "Make room"}},
		{"pip without wheel", "PIP_SAYS", `ERROR: No matching distribution found for pyzmq==27.3.0`, []string{"no ready-made package", "pyzmq==27.3.0", "PUCL_PYTHON"}},
		{"go without network", "INSTALL_SAYS", `go: downloading github.com/janpfeifer/gonb v0.11.5\ngithub.com/janpfeifer/gonb@v0.11.5: dial tcp: lookup proxy: no such host`,
			[]string{"network could not be reached", "github.com/janpfeifer/gonb", "carries on"}},
		{"go with another file", "INSTALL_SAYS", `verifying a.b/c@v1.0.0: checksum mismatch`, []string{"not what this project pinned"}},
		{"go in general", "INSTALL_SAYS", `x.go:1:1: syntax error`, []string{"Building the Go kernel and its tools failed.", "syntax error"}},
		{"no ensurepip", "VENV_SAYS", "The virtual environment was not created successfully because ensurepip is not available.",
			[]string{"cannot make virtual environments", "apt install python3.12-venv"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkshop(t)
			t.Setenv(tt.variable, tt.says)
			_, _, err := w.prepare(false)
			var p *problem
			expect.Require(t, errors.As(err, &p), "got %v, want a problem", err)
			contains(t, p.Error(), tt.want...)
		})
	}
}

func TestGPUStaysAskedFor(t *testing.T) {
	w := newRun(t)
	t.Setenv("PIP_SAYS", "no route to host")
	if _, _, err := w.prepare(true); err == nil {
		t.Fatal("a failed pip went unnoticed")
	}
	t.Setenv("PIP_SAYS", "")
	if calls, _, err := w.prepare(false); err != nil || count(calls, "pip") != 0 {
		t.Errorf("pip failed by itself, but the environment was touched: %q, %v", calls, err)
	}
	calls, _, err := w.prepare(true)
	expect.Require(t, err == nil && count(calls, "requirements-gpu.txt") == 1 && count(calls, "-m venv") == 0,
		"%q, %v", calls, err)
	// If the launcher had been killed during pip, this stamp would have stayed.
	during := expect.Must(os.ReadFile(w.calls + ".stamp"))(t)
	contains(t, string(during), `"packages": ""`, `"gpu": "wanted"`)
	w.file("notebooks/requirements.txt", "some==1.1 --hash=sha256:00\n")
	if calls, _, err = w.prepare(false); err != nil || count(calls, "requirements-gpu.txt") != 1 {
		t.Errorf("the new environment lacks the CUDA plugin: %q, %v", calls, err)
	}
	spec := newKernelSpec(w.place, toolchain{root: "/go", arch: "amd64"}, true, false)
	expect.Equal(t, spec.Env["LD_LIBRARY_PATH"],
		filepath.Join(sitePackages(w.place), "nvidia", "cu13", "lib"), "LD_LIBRARY_PATH")
	contains(t, spec.Env["XLA_FLAGS"], "nvidia/cu13")
}

func TestRemoveTreeRefuses(t *testing.T) {
	w := newWorkshop(t)
	outside := filepath.Join(filepath.Dir(w.place.root), "precious")
	kept := filepath.Join(outside, "file")
	expect.File(t, kept, []byte("x"))
	expect.NoError(t, os.Symlink(outside, w.place.env()))
	for _, dir := range []string{outside, w.place.root, w.place.notebooks(), w.place.env(), filepath.Join(w.place.env(), "lib")} {
		expect.That(t, removeTree(w.place, dir) != nil, "removed %s", dir)
	}
	expect.Must(os.Stat(kept))(t)
	expect.NoError(t, removeTree(w.place, w.place.out()))
}

func TestClean(t *testing.T) {
	w := newRun(t)
	w.file("notebooks/out/quickstart/headline.txt", "12345")
	w.file("notebooks/quickstart.ipynb", "{}")
	size, files, err := sizeOf(filepath.Join(w.place.out(), "quickstart"))
	expect.That(t, size == 5 && files == 1 && err == nil, "%d bytes in %d files, %v", size, files, err)
	s := w.session()
	use := expect.Must(lock(environmentLock(w.place), true))(t)
	expect.Error(t, s.clean(), "uses the environment")
	expect.NoError(t, use.Close())
	record := w.file("notebooks/out/grid/paper/slurm/jobs.json", "{}")
	expect.Error(t, s.clean(), "remove notebooks/out/grid/paper/slurm/jobs.json")
	w.file("notebooks/out/results/smoke/a/b/seed-1.json", "{}") // may be deleted
	loose := w.file("notebooks/out/results/laptop/a/b/seed-1.json", "{}")
	expect.Error(t, s.clean(), "grid -size laptop -pack")
	expect.NoError(t, errors.Join(os.Remove(record), os.Remove(loose)))
	w.out.Reset()
	expect.NoError(t, s.clean())
	contains(t, w.out.String(), "Removed notebooks/.venv", "Removed notebooks/out", "files, ")
	for _, dir := range []string{w.place.env(), w.place.out()} {
		_, err := os.Stat(dir)
		expect.That(t, os.IsNotExist(err), "%s: %v", dir, err)
	}
	expect.Must(os.Stat(filepath.Join(w.place.notebooks(), "quickstart.ipynb")))(t)
}

func TestFindRoot(t *testing.T) {
	dir := expect.Must(filepath.EvalSymlinks(t.TempDir()))(t)
	root := filepath.Join(dir, "checkout")
	deep := filepath.Join(root, "notebooks", "tools", "gopls")
	for path, text := range map[string]string{
		filepath.Join(dir, "go.mod"):  "module example.org/around\n",
		filepath.Join(root, "go.mod"): "// a comment\nmodule " + home.Module + " // ours\n\ngo 1.26.5\n",
		filepath.Join(deep, "go.mod"): "module " + home.Module + "/notebooks/tools/gopls\n",
	} {
		expect.File(t, path, []byte(text))
	}
	for _, from := range []string{root, filepath.Join(root, "notebooks"), deep} {
		expect.Equal(t, expect.Must(findRoot(from))(t).root, root, "from %s", from)
	}
	p, err := findRoot(dir)
	expect.That(t, err != nil, "outside of the checkout: %q", p.root)
	link := filepath.Join(dir, "link")
	expect.NoError(t, os.Symlink(root, link))
	expect.Equal(t, expect.Must(findRoot(link))(t).root, root, "through a link")
}
