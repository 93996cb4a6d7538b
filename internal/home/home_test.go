package home

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDir(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	t.Setenv(Env, "")
	// The working folder may be told by another name than the one it was made with, as through a link; compare the files.
	same := func(a, b string) bool {
		x, errX := os.Stat(a)
		y, errY := os.Stat(b)
		return errX == nil && errY == nil && os.SameFile(x, y)
	}
	if dir, ok := Dir(); ok {
		t.Errorf("outside any module the home is %s", dir)
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(root, "a", "go.mod"), "module example.org/other\n")
	if dir, ok := ModuleAround(); !ok || !same(dir, filepath.Join(root, "a")) {
		t.Errorf("the module around is in %s, %v; want a, whose go.mod is the nearest", dir, ok)
	}
	write(filepath.Join(root, "go.mod"), "// a comment\nmodule "+Module+"\n\ngo 1.26.5\n")
	if dir, ok := Dir(); !ok || !same(dir, root) {
		t.Errorf("home is %s, %v; want %s, past another module's go.mod", dir, ok, root)
	}
	t.Setenv(Env, "/elsewhere")
	if dir, ok := Dir(); !ok || dir != "/elsewhere" {
		t.Errorf("with %s set, home is %s, %v", Env, dir, ok)
	}
}

// This test was compiled from this copy.
func TestSource(t *testing.T) {
	here, err := filepath.Abs("../..")
	if dir, ok := Source(); err != nil || !ok || dir != here {
		t.Errorf("the source is in %s, %v; want %s, %v", dir, ok, here, err)
	}
}

func TestDeclared(t *testing.T) {
	for text, want := range map[string]string{
		"module a/b\n": "a/b", "// x\n\nmodule \"a/b\" // y\n": "a/b", "go 1.26\n": "", "": "", "modules a\n": "",
	} {
		if got := declared(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
