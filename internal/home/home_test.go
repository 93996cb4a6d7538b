package home

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestDir(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	expect.NoError(t, os.MkdirAll(deep, 0o755))
	t.Chdir(deep)
	t.Setenv(Env, "")
	// The working folder may have another name than at its creation, as through a link; compare the files.
	same := func(a, b string) bool {
		x, errX := os.Stat(a)
		y, errY := os.Stat(b)
		return errX == nil && errY == nil && os.SameFile(x, y)
	}
	if dir, ok := Dir(); ok {
		t.Errorf("outside any module the home is %s", dir)
	}
	expect.File(t, filepath.Join(root, "a", "go.mod"), []byte("module example.org/other\n"))
	if dir, ok := ModuleAround(); !ok || !same(dir, filepath.Join(root, "a")) {
		t.Errorf("the module around is in %s, %v; want a, whose go.mod is the nearest", dir, ok)
	}
	expect.File(t, filepath.Join(root, "go.mod"), []byte("// a comment\nmodule "+Module+"\n\ngo 1.26.5\n"))
	dir, ok := Dir()
	expect.That(t, ok && same(dir, root), "home is %s, %v; want %s, past another module's go.mod", dir, ok, root)
	t.Setenv(Env, "/elsewhere")
	if dir, ok := Dir(); !ok || dir != "/elsewhere" {
		t.Errorf("with %s set, home is %s, %v", Env, dir, ok)
	}
}

// This test was compiled from this copy.
func TestSource(t *testing.T) {
	here, err := filepath.Abs("../..")
	dir, ok := Source()
	expect.That(t, err == nil && ok && dir == here, "the source is in %s, %v; want %s, %v", dir, ok, here, err)
}

func TestDeclared(t *testing.T) {
	expect.Each(t, declared, map[string]string{
		"module a/b\n": "a/b", "// x\n\nmodule \"a/b\" // y\n": "a/b", "go 1.26\n": "", "": "", "modules a\n": "",
	})
}

func TestTrusted(t *testing.T) {
	const me, other = 1000, 1001
	for _, c := range []struct {
		owner, me int
		mode      fs.FileMode
		want      string
	}{
		{me, me, 0o755, ""}, {me, me, 0o775, ""}, {0, me, 0o755, ""}, {0, 0, 0o700, ""}, {me, me, fs.ModeDir | 0o755, ""},
		{other, me, 0o755, "belongs to another user"}, {me, 0, 0o755, "belongs to another user"}, {other, me, 0o700, "belongs to another user"},
		{me, me, 0o757, "may be written to by everybody"}, {0, me, 0o666, "may be written to by everybody"},
		{0, me, fs.ModeDir | fs.ModeSticky | 0o777, "may be written to by everybody"},
	} {
		expect.Equal(t, trusted(c.owner, c.me, c.mode),
			c.want, "a file of %d with mode %v is, to %d", c.owner, c.mode, c.me)
	}
}

// TestTrustedLooksAtEveryFolder checks that one bad folder on the way, a bad file, or a link to a bad place is enough.
func TestTrustedLooksAtEveryFolder(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "a", "b", "plugin.so")
	expect.File(t, file, nil)
	elsewhere := t.TempDir()
	expect.File(t, filepath.Join(elsewhere, "plugin.so"), nil)
	expect.NoError(t, os.Symlink(elsewhere, filepath.Join(root, "a", "link")))
	linked := filepath.Join(root, "a", "link", "plugin.so")
	expect.Require(t, Trusted(root, file) == nil && Trusted(root, linked) == nil,
		"files of one's own are not trusted: %v, %v", Trusted(root, file), Trusted(root, linked))
	for _, path := range []string{filepath.Join(root, "none"), filepath.Dir(root), elsewhere} {
		expect.That(t, Trusted(root, path) != nil, "%s is trusted", path)
	}
	if _, known := owner(expect.Must(os.Stat(root))(t)); !known {
		expect.Require(t, runtime.GOOS != "linux", "the owner of a file is not known on Linux")
		return // the rest requires file owners
	}
	for _, spoiled := range []string{root, filepath.Join(root, "a"), filepath.Dir(file), file, elsewhere} {
		path := file
		if spoiled == elsewhere {
			path = linked
		}
		mode := expect.Must(os.Stat(spoiled))(t).Mode()
		spoil := map[string]func() error{
			"may be written to by everybody": func() error { return os.Chmod(spoiled, mode|0o002) },
		}
		if os.Geteuid() == 0 { // only root can change the owner; TestTrusted covers the rules for owners
			spoil["belongs to another user"] = func() error { return os.Chown(spoiled, 12345, -1) }
		}
		for want, do := range spoil {
			expect.NoError(t, do())
			err := Trusted(root, path)
			expect.That(t, err != nil && strings.Contains(err.Error(), want), "%s: %v, want %q", spoiled, err, want)
			expect.NoError(t, os.Chmod(spoiled, mode))
			if os.Geteuid() == 0 {
				expect.NoError(t, os.Chown(spoiled, 0, -1))
			}
		}
		expect.NoError(t, Trusted(root, path))
	}
}
