package launcher

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/internal/wholefile"
)

func TestSplitQuoted(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                nil,
		"  -a  -b=1\t-c ":                 {"-a", "-b=1", "-c"},
		"'-ldflags=-s -w' -v":             {"-ldflags=-s -w", "-v"},
		`"-ldflags=-X 'a=b'"`:             {"-ldflags=-X 'a=b'"},
		"'unclosed -v":                    {"'unclosed", "-v"},
		"-tags=x '-gcflags=all=-N -l' -p": {"-tags=x", "-gcflags=all=-N -l", "-p"},
	} {
		if got := splitQuoted(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	flags := []string{"-a", "-ldflags=-s -w"}
	if got := splitQuoted(joinQuoted(flags)); !slices.Equal(got, flags) {
		t.Errorf("joined and split: %q", got)
	}
}

func TestKeptFlags(t *testing.T) {
	got := keptFlags("-mod=mod -buildvcs=false '-tags=a b' -race --trimpath -o=x -modfile=y -ldflags=-s")
	if want := []string{"-buildvcs=false", "-tags=a b", "--trimpath"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFindGo(t *testing.T) {
	w := newWorkshop(t)
	t.Setenv("GOFLAGS", "-mod=mod -p=1")
	tool, err := findGo(context.Background(), w.place)
	if err != nil {
		t.Fatal(err)
	}
	if tool.version != "go1.26.8" || !tool.cgo || !slices.Equal(tool.cc, []string{"nosuchcc"}) || !slices.Equal(tool.flags, []string{"-p=1"}) {
		t.Errorf("%+v", tool)
	}
	env := strings.Join(tool.goEnv("GOBIN=/b"), "\n")
	contains(t, env, "GOFLAGS=-mod=readonly -p=1", "GOWORK=off", "GOTOOLCHAIN=local", "GOBIN=/b", "PATH="+filepath.Join(tool.root, "bin")+":")
	v, err := tryCompiler(context.Background(), tool, ccVerdict{})
	if err != nil || v.Works {
		t.Errorf("a compiler that is not there: %+v, %v", v, err)
	}
	var said strings.Builder
	(&session{console: liveline.New(&said), goTool: tool}).noteCompiler()
	contains(t, said.String(), "nosuchcc", "pure-Go engine")
}

func TestNoGoOrTooOld(t *testing.T) {
	w := newWorkshop(t)
	bin := filepath.Dir(w.place.root) + "/bin"
	script := "#!/bin/sh\necho 'go: go.mod requires go >= 1.26.5 (running go 1.22.0; GOTOOLCHAIN=local)' >&2\nexit 1\n"
	if err := wholefile.Keep(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := findGo(context.Background(), w.place)
	if err == nil {
		t.Fatal("an old go was taken")
	}
	contains(t, err.Error(), "too old", "running go 1.22.0", "go.dev/dl")
	t.Setenv("PATH", t.TempDir())
	if _, err = findGo(context.Background(), w.place); err == nil {
		t.Fatal("found a go where there is none")
	}
	contains(t, err.Error(), "no go command", "go.dev/dl")
}

func TestTryCompiler(t *testing.T) {
	w := newWorkshop(t)
	bin := filepath.Dir(w.place.root) + "/bin"
	tool := toolchain{cc: []string{"cc", "-m64"}, cgo: true}
	ctx := context.Background()
	write := func(script string) {
		t.Helper()
		if err := wholefile.Keep(filepath.Join(bin, "cc"), []byte("#!/bin/sh\necho x >> $CALLS\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("exit 1 # no headers\n")
	v, err := tryCompiler(ctx, tool, ccVerdict{})
	if err != nil || v.Works {
		t.Errorf("one that fails: %+v, %v", v, err)
	}
	write("exit 0\n")
	if v, err = tryCompiler(ctx, tool, v); err != nil || !v.Works {
		t.Errorf("one that works: %+v, %v", v, err)
	}
	write("exit 0 # an update\n")
	v2, err := tryCompiler(ctx, tool, v)
	if err != nil || v2 == v || !v2.Works {
		t.Errorf("another one: %+v, %v", v2, err)
	}
	tool.cgo = false
	if v, err = tryCompiler(ctx, tool, v2); err != nil || v.Works {
		t.Errorf("with cgo switched off: %+v, %v", v, err)
	}
}

// TestLinksNoEngine: the program in notebooks has to build and start on every machine, so nothing that needs a C compiler or a plugin may
// come in through what it imports.
func TestLinksNoEngine(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "..").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
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
