package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/wholefile"
)

func TestSecondStartPreparesNothing(t *testing.T) {
	w := newWorkshop(t)
	calls, said, err := w.prepare(false)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"-m venv": 1, "-m pip install": 1, "go install": 2, "go build ./...": 1} {
		if got := count(calls, text); got != want {
			t.Errorf("the first start called %q %d times, want %d; calls: %q", text, got, want, calls)
		}
	}
	contains(t, said, "first start", "    Python environment and packages: some 150 MB to download", "    Go kernel and tools: compiled here",
		"[1/3] Python", "[3/3]", "Prepared in")

	calls, said, err = w.prepare(false)
	if err != nil || said != "" {
		t.Errorf("the second start said %q, %v", said, err)
	}
	if len(calls) != 1 || !strings.HasPrefix(calls[0], "go env") {
		t.Errorf("the second start called %q, want only go env", calls)
	}
}

func TestPipIsHeldToTheHashes(t *testing.T) {
	w := newWorkshop(t)
	calls, _, err := w.prepare(false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		if strings.Contains(c, "pip install") {
			contains(t, c, "--require-hashes", "--only-binary=:all:", filepath.Join(w.place.notebooks(), "requirements.txt"))
			return
		}
	}
	t.Error("pip was not called")
}

// Each case damages or changes a complete environment in one way. Steps are told by the calls they make.
func TestWhatIsDueAgain(t *testing.T) {
	const python, tools, warm = "-m venv", "go install", "go build"
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
			w := newWorkshop(t)
			if _, _, err := w.prepare(false); err != nil {
				t.Fatal(err)
			}
			tt.change(w)
			calls, said, err := w.prepare(false)
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range []string{python, tools, warm} {
				want := strings.Contains(strings.Join(tt.want, ","), call)
				if got := count(calls, call) > 0; got != want {
					t.Errorf("%q was called: %v, want %v", call, got, want)
				}
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
	if err := os.Remove(filepath.Join(w.place.root, filepath.FromSlash(name))); err != nil {
		w.t.Fatal(err)
	}
}

func TestMovedCheckout(t *testing.T) {
	w := newWorkshop(t)
	if _, _, err := w.prepare(false); err != nil {
		t.Fatal(err)
	}
	moved := place{filepath.Join(filepath.Dir(w.place.root), "elsewhere")}
	if err := os.Rename(w.place.root, moved.root); err != nil {
		t.Fatal(err)
	}
	old := w.place.root
	w.place = moved
	calls, said, err := w.prepare(false)
	if err != nil || count(calls, "-m venv") != 1 {
		t.Errorf("calls %q, %v", calls, err)
	}
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
	if err == nil || count(calls, "-m venv") != 1 {
		t.Fatalf("an environment in which pip failed was kept: %q, %v", calls, err)
	}
	contains(t, said, "did not finish")
	t.Setenv("INSTALL_SAYS", "")
	calls, _, err = w.prepare(false)
	if err != nil || count(calls, "-m venv") != 0 || count(calls, "go install") != 2 {
		t.Errorf("after go install had failed: %q, %v; want only the Go steps", calls, err)
	}
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
			if !errors.As(err, &p) {
				t.Fatalf("got %v, want a problem", err)
			}
			contains(t, p.Error(), tt.want...)
		})
	}
}

func TestGPUStaysAskedFor(t *testing.T) {
	w := newWorkshop(t)
	if _, _, err := w.prepare(false); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PIP_SAYS", "no route to host")
	if _, _, err := w.prepare(true); err == nil {
		t.Fatal("a failed pip went unnoticed")
	}
	t.Setenv("PIP_SAYS", "")
	if calls, _, err := w.prepare(false); err != nil || count(calls, "pip") != 0 {
		t.Errorf("pip failed by itself, but the environment was touched: %q, %v", calls, err)
	}
	calls, _, err := w.prepare(true)
	if err != nil || count(calls, "requirements-gpu.txt") != 1 || count(calls, "-m venv") != 0 {
		t.Fatalf("%q, %v", calls, err)
	}
	// Had the launcher been killed while pip was at work, this stamp would have stayed.
	during, err := os.ReadFile(w.calls + ".stamp")
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(during), `"packages": ""`, `"gpu": "wanted"`)
	w.file("notebooks/requirements.txt", "some==1.1 --hash=sha256:00\n")
	if calls, _, err = w.prepare(false); err != nil || count(calls, "requirements-gpu.txt") != 1 {
		t.Errorf("the new environment lacks the CUDA plugin: %q, %v", calls, err)
	}
	spec := newKernelSpec(w.place, toolchain{root: "/go", arch: "amd64"}, true, false)
	if want := filepath.Join(sitePackages(w.place), "nvidia", "cu13", "lib"); spec.Env["LD_LIBRARY_PATH"] != want {
		t.Errorf("LD_LIBRARY_PATH is %q, want %q", spec.Env["LD_LIBRARY_PATH"], want)
	}
	contains(t, spec.Env["XLA_FLAGS"], "nvidia/cu13")
}

func TestRemoveTreeRefuses(t *testing.T) {
	w := newWorkshop(t)
	outside := filepath.Join(filepath.Dir(w.place.root), "precious")
	kept := filepath.Join(outside, "file")
	if err := wholefile.Keep(kept, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, w.place.env()); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{outside, w.place.root, w.place.notebooks(), w.place.env(), filepath.Join(w.place.env(), "lib")} {
		if err := removeTree(w.place, dir); err == nil {
			t.Errorf("removed %s", dir)
		}
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
	if err := removeTree(w.place, w.place.out()); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestClean(t *testing.T) {
	w := newWorkshop(t)
	if _, _, err := w.prepare(false); err != nil {
		t.Fatal(err)
	}
	w.file("notebooks/out/quickstart/headline.txt", "12345")
	w.file("notebooks/quickstart.ipynb", "{}")
	s := w.session()
	use, err := lock(environmentLock(w.place), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.clean(); err == nil || !strings.Contains(err.Error(), "uses the environment") {
		t.Errorf("cleaned under the feet of a run: %v", err)
	}
	if err := use.Close(); err != nil {
		t.Fatal(err)
	}
	record := w.file("notebooks/out/grid/paper/slurm/jobs.json", "{}")
	if err := s.clean(); err == nil || !strings.Contains(err.Error(), "remove notebooks/out/grid/paper/slurm/jobs.json") {
		t.Errorf("cleaned under the feet of jobs: %v", err)
	}
	w.file("notebooks/out/results/smoke/a/b/seed-1.json", "{}") // may go
	loose := w.file("notebooks/out/results/laptop/a/b/seed-1.json", "{}")
	if err := s.clean(); err == nil || !strings.Contains(err.Error(), "grid -size laptop -pack") {
		t.Errorf("cleaned with results that are not packed: %v", err)
	}
	if err := errors.Join(os.Remove(record), os.Remove(loose)); err != nil {
		t.Fatal(err)
	}
	w.out.Reset()
	if err := s.clean(); err != nil {
		t.Fatal(err)
	}
	contains(t, w.out.String(), "Removed notebooks/.venv", "Removed notebooks/out", "files, ")
	for _, dir := range []string{w.place.env(), w.place.out()} {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if _, err := os.Stat(filepath.Join(w.place.notebooks(), "quickstart.ipynb")); err != nil {
		t.Error(err)
	}
}
