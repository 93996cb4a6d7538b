package launcher

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/internal/liveline"
)

func TestPythonVersion(t *testing.T) {
	for _, tt := range []struct {
		text         string
		major, minor int
		ok           bool
	}{
		{"3.12.1", 3, 12, true}, {"3.10.0\n", 3, 10, true}, {"3.14.0rc2", 3, 14, true}, {"3.9", 3, 9, true}, {"2.7.18", 2, 7, true},
		{"3.13.0+", 3, 13, true}, {"", 0, 0, false}, {"3", 0, 0, false}, {"Python 3.12", 0, 0, false}, {"3.x.1", 0, 0, false},
	} {
		major, minor, ok := pythonVersion(tt.text)
		expect.That(t, ok == tt.ok && (!ok || major == tt.major && minor == tt.minor),
			"%q: %d %d %v", tt.text, major, minor, ok)
	}
}

// TestFindPython puts interpreters of several kinds on the search path. Each is a script that prints the probe's
// output.
func TestFindPython(t *testing.T) {
	const good, old, bare = `3.11.2\n/usr/bin/python3.11\nyes\nyes`, `3.8.1\n/x\nyes\nyes`, `3.12.3\n/x\nyes\nno`
	for _, tt := range []struct {
		name    string
		pythons map[string]string // name to answer; "!" does not run
		chosen  string            // PUCL_PYTHON
		want    string            // name of the one found
		problem []string
	}{
		{"newest name first", map[string]string{"python3.12": good, "python3": good}, "", "python3.12", nil},
		{"a version manager's empty command", map[string]string{"python3.13": "!", "python3": good}, "", "python3", nil},
		{"old ones are passed by", map[string]string{"python3": old, "python": good}, "", "python", nil},
		{"without venv only as the last", map[string]string{"python3.12": bare, "python3": good}, "", "python3", nil},
		{"none", nil, "", "", []string{"no Python", "PUCL_PYTHON"}},
		{"only old", map[string]string{"python3": old}, "", "", []string{"3.8.1, too old"}},
		{"only without venv", map[string]string{"python3": bare}, "", "", []string{"new enough (3.12.3)", "python3.12-venv"}},
		{"chosen", map[string]string{"mine": good, "python3.14": good}, "mine", "mine", nil},
		{"chosen is old", map[string]string{"mine": old, "python3": good}, "mine", "", []string{"PUCL_PYTHON=", "too old"}},
		{"chosen is not there", map[string]string{"python3": good}, "mine", "", []string{"PUCL_PYTHON=", "does not run", "unset it"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, answer := range tt.pythons {
				script := "#!/bin/sh\nprintf '" + answer + "'\n"
				if answer == "!" {
					script = "#!/bin/sh\necho not installed >&2\nexit 127\n"
				}
				expect.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
			}
			t.Setenv("PATH", dir)
			t.Setenv("PUCL_PYTHON", "")
			if tt.chosen != "" {
				t.Setenv("PUCL_PYTHON", filepath.Join(dir, tt.chosen))
			}
			p, err := findPython(context.Background())
			if tt.problem != nil {
				expect.Require(t, err != nil, "found %+v", p)
				contains(t, err.Error(), tt.problem...)
				return
			}
			expect.NoError(t, err)
			expect.That(t, p.command == filepath.Join(dir, tt.want) && p.version == "3.11.2",
				"found %+v, want %s", p, tt.want)
		})
	}
}

func TestPythonEnvKeepsOthersOut(t *testing.T) {
	for name, value := range map[string]string{"PYTHONPATH": "/evil", "PYTHONHOME": "/evil", "PIP_TARGET": "/evil", "PIP_USER": "1",
		"PIP_INDEX_URL": "https://mirror.example/simple"} {
		t.Setenv(name, value)
	}
	env := "\n" + strings.Join(pythonEnv(place{"/lab"}), "\n") + "\n"
	for _, gone := range []string{"\nPYTHONPATH=", "\nPYTHONHOME=", "\nPIP_TARGET=", "\nPIP_USER=1"} {
		expect.That(t, !strings.Contains(env, gone), "%q is still there", strings.TrimSpace(gone))
	}
	contains(t, env, "\nPIP_INDEX_URL=https://mirror.example/simple\n", "\nPATH=/lab/notebooks/.venv/bin", "\nPIP_USER=0\n")
}

// TestRequirementsArePinned checks that every package has one version and hashes, and that no file names an index.
func TestRequirementsArePinned(t *testing.T) {
	pin := regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*==\S+( ; .+)? \\$`)
	hash := regexp.MustCompile(`^    --hash=sha256:[0-9a-f]{64}( \\)?$`)
	for file, packages := range map[string]int{ // at least this many
		"requirements.txt": 10, "requirements-gpu.txt": 10, "tools/browser/requirements.txt": 2, "tools/pip-audit/requirements.txt": 10,
		"tools/onnx/requirements.txt": 5, "tools/tensorboard/requirements.txt": 10,
	} {
		data := expect.Must(os.ReadFile(filepath.Join("..", file)))(t)
		pins, hashes := 0, 0
		for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			switch {
			case strings.HasPrefix(strings.TrimSpace(line), "#"):
			case pin.MatchString(line):
				pins++
			case hash.MatchString(line):
				hashes++
			default:
				t.Errorf("%s:%d: %q is neither a pinned package nor a hash", file, i+1, line)
			}
			expect.That(t, !strings.Contains(line, "://"), "%s:%d: holds an address", file, i+1)
		}
		expect.That(t, pins >= packages && hashes >= pins, "%s: %d packages with %d hashes", file, pins, hashes)
	}
}

// TestXLAWheels checks the hashes of these two wheels, since only their metadata identify their authors.
func TestXLAWheels(t *testing.T) {
	data := expect.Must(os.ReadFile(filepath.Join("..", "requirements.txt")))(t)
	_, rest, _ := strings.Cut(string(data), "xla-cpu-pjrt==0.0.1 ; ")
	entry, _, _ := strings.Cut(rest, "# via")
	contains(t, entry, "sys_platform == 'linux'", "platform_machine == 'aarch64'", "platform_machine == 'x86_64'",
		"55837b6b7b47daa717f2d9a5a03563ea0ceaa338d06a81a1e2d3f060d960decc", "8f613be6e891858f40d64f9799319502fff42689661944fc18a6ffd8210b30c9")
	expect.Equal(t, strings.Count(entry, "--hash="), 2, "hashes")
}

func TestSplitQuoted(t *testing.T) {
	expect.Each(t, splitQuoted, map[string][]string{
		"":                                nil,
		"  -a  -b=1\t-c ":                 {"-a", "-b=1", "-c"},
		"'-ldflags=-s -w' -v":             {"-ldflags=-s -w", "-v"},
		`"-ldflags=-X 'a=b'"`:             {"-ldflags=-X 'a=b'"},
		"'unclosed -v":                    {"'unclosed", "-v"},
		"-tags=x '-gcflags=all=-N -l' -p": {"-tags=x", "-gcflags=all=-N -l", "-p"},
	})
	flags := []string{"-a", "-ldflags=-s -w"}
	expect.Equal(t, splitQuoted(joinQuoted(flags)), flags, "joined and split")
}

func TestKeptFlags(t *testing.T) {
	got := keptFlags("-mod=mod -buildvcs=false '-tags=a b' -race --trimpath -o=x -modfile=y -ldflags=-s")
	expect.Equal(t, got, []string{"-buildvcs=false", "-tags=a b", "--trimpath"})
}

func TestFindGo(t *testing.T) {
	w := newWorkshop(t)
	t.Setenv("GOFLAGS", "-mod=mod -p=1")
	tool := expect.Must(findGo(context.Background(), w.place))(t)
	expect.That(t, tool.version == "go1.26.8" && tool.cgo && slices.Equal(tool.cc, []string{"nosuchcc"}) &&
		slices.Equal(tool.flags, []string{"-p=1"}), "%+v", tool)
	env := strings.Join(tool.goEnv("GOBIN=/b"), "\n")
	contains(t, env, "GOFLAGS=-mod=readonly -p=1", "GOWORK=off", "GOTOOLCHAIN=local", "GOBIN=/b", "PATH="+filepath.Join(tool.root, "bin")+":")
	v, err := tryCompiler(context.Background(), tool, ccVerdict{})
	expect.That(t, err == nil && !v.Works, "a compiler that is not there: %+v, %v", v, err)
	var said strings.Builder
	(&session{console: liveline.New(&said), goTool: tool}).noteCompiler()
	contains(t, said.String(), "nosuchcc", "pure-Go engine")
}

func TestNoGoOrTooOld(t *testing.T) {
	w := newWorkshop(t)
	w.program("go",
		"#!/bin/sh\necho 'go: go.mod requires go >= 1.26.5 (running go 1.22.0; GOTOOLCHAIN=local)' >&2\nexit 1\n")
	expect.Error(t, expect.Err(findGo(context.Background(), w.place)), "too old", "running go 1.22.0", "go.dev/dl")
	t.Setenv("PATH", t.TempDir())
	expect.Error(t, expect.Err(findGo(context.Background(), w.place)), "no go command", "go.dev/dl")
}

func TestTryCompiler(t *testing.T) {
	w := newWorkshop(t)
	tool := toolchain{cc: []string{"cc", "-m64"}, cgo: true}
	var v ccVerdict
	for _, tt := range []struct {
		script     string
		cgo, works bool
	}{
		{"exit 1 # no headers\n", true, false}, {"exit 0\n", true, true}, {"exit 0 # an update\n", true, true},
		{"exit 0 # an update\n", false, false},
	} {
		w.program("cc", "#!/bin/sh\necho x >> $CALLS\n"+tt.script)
		tool.cgo = tt.cgo
		next := expect.Must(tryCompiler(context.Background(), tool, v))(t)
		expect.That(t, next.Works == tt.works && next != v, "%q, cgo %v: %+v after %+v", tt.script, tt.cgo, next, v)
		v = next
	}
}

// TestLinksNoEngine checks that the program in notebooks imports nothing that needs a C compiler or a plugin.
func TestLinksNoEngine(t *testing.T) {
	out := expect.Must(exec.Command("go", "list", "-deps", "..").CombinedOutput())(t)
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") || strings.HasPrefix(path, home.Module) {
			continue // the standard library, and this module
		}
		if path == "golang.org/x/term" || strings.HasPrefix(path, "golang.org/x/sys/") {
			continue // the width of a terminal, in Go alone
		}
		t.Errorf("imports %s", path)
	}
}

func TestKernelSpec(t *testing.T) {
	w := newWorkshop(t)
	tool := toolchain{root: "/usr/local/go", version: "go1.26.8", arch: "amd64", os: "linux", flags: []string{"-tags=a b", "-trimpath"}}
	w.file("notebooks/.venv/lib/python3.12/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "")
	spec := newKernelSpec(w.place, tool, true, false)
	bin := filepath.Join(w.place.env(), "bin")
	expect.Equal(t, spec.Argv,
		[]string{filepath.Join(bin, "gonb"), "--kernel", "{connection_file}", "-go_work=" + w.place.root}, "argv")
	expect.That(t, spec.DisplayName == "Go (gonb)" && spec.Language == "go" && spec.InterruptMode == "message",
		"%+v", spec)
	for name, want := range map[string]string{
		"PATH":                  bin + ":" + filepath.Join(labData(w.place), "bin") + ":/usr/local/go/bin:${PATH}",
		"PUCL_HOME":             w.place.root,
		"GOFLAGS":               "-ldflags=-w '-tags=a b' -trimpath",
		"GOTOOLCHAIN":           "local",
		"GOWORK":                "",
		"GOMLX_NO_AUTO_INSTALL": "1",
	} {
		got, ok := spec.Env[name]
		expect.That(t, ok && got == want, "%s is %q (%v), want %q", name, got, ok, want)
	}
	for _, name := range []string{"GOMLX_BACKEND", "CGO_ENABLED", "GOEXPERIMENT", "XLA_FLAGS", "LD_LIBRARY_PATH"} {
		value, ok := spec.Env[name]
		expect.That(t, !ok, "%s is set, to %q", name, value)
	}
}

func TestKernelSpecWithoutCompiler(t *testing.T) {
	w := newWorkshop(t)
	for _, tt := range []struct {
		arch, experiment   string
		compiler, headless bool
		cgo, simd          string // in the environment
	}{
		{"amd64", "", false, false, "0", "simd"}, {"arm64", "", false, false, "0", ""},
		{"amd64", "mine", false, false, "0", ""},
		{"amd64", "", true, true, "", "simd"}, // but no plugin
	} {
		t.Setenv("GOEXPERIMENT", tt.experiment)
		spec := newKernelSpec(w.place, toolchain{root: "/go", arch: tt.arch}, tt.compiler, tt.headless)
		expect.That(t, spec.Env["CGO_ENABLED"] == tt.cgo && spec.Env["GOEXPERIMENT"] == tt.simd,
			"%+v: CGO_ENABLED=%q GOEXPERIMENT=%q", tt, spec.Env["CGO_ENABLED"], spec.Env["GOEXPERIMENT"])
		expect.That(t, slices.Contains(spec.Argv, "-raw_error") == tt.headless &&
			strings.Contains(spec.Env["PATH"], labData(w.place)) != tt.headless, "%+v: %+v", tt, spec)
	}
	dollars := newKernelSpec(place{"/home/u$er/${lab}"}, toolchain{root: "/go"}, true, false).Env
	expect.Equal(t, dollars["PUCL_HOME"], "/home/u$$er/$${lab}")
	path, ok := strings.CutSuffix(dollars["PATH"], ":${PATH}")
	expect.That(t, ok && !strings.Contains(path, "/u$er"), "PATH is %q", dollars["PATH"])
}

func TestWriteKernelSpecs(t *testing.T) {
	w := newWorkshop(t)
	for range 2 {
		expect.NoError(t, writeKernelSpecs(w.place, toolchain{root: "/go"}, true))
	}
	for _, data := range []string{labData(w.place), headlessData(w.place)} {
		dir := filepath.Join(data, "kernels", "gonb")
		text := expect.Must(os.ReadFile(filepath.Join(dir, "kernel.json")))(t)
		var spec kernelSpec
		if err := json.Unmarshal(text, &spec); err != nil || spec.Argv[0] != w.place.bin("gonb") {
			t.Errorf("%s: %+v, %v", dir, spec, err)
		}
		expect.Must(os.Stat(filepath.Join(dir, "logo-svg.svg")))(t)
		info, err := os.Stat(filepath.Join(data, "bin", "gopls"))
		expect.That(t, err == nil && info.Mode()&0o111 != 0, "the stand-in for gopls cannot be run: %v, %v", info, err)
	}
}
