package home

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

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
		if got := trusted(c.owner, c.me, c.mode); got != c.want {
			t.Errorf("a file of %d with mode %v is, to %d: %q, want %q", c.owner, c.mode, c.me, got, c.want)
		}
	}
}

// TestTrustedLooksAtEveryFolder: one bad folder on the way, a bad file, or a bad place that a link leads to is enough.
func TestTrustedLooksAtEveryFolder(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "a", "b", "plugin.so")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "plugin.so"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(root, "a", "link")); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(root, "a", "link", "plugin.so")
	if Trusted(root, file) != nil || Trusted(root, linked) != nil {
		t.Fatalf("files of one's own are not trusted: %v, %v", Trusted(root, file), Trusted(root, linked))
	}
	for _, path := range []string{filepath.Join(root, "none"), filepath.Dir(root), elsewhere} {
		if Trusted(root, path) == nil {
			t.Errorf("%s is trusted", path)
		}
	}
	if _, known := owner(stat(t, root)); !known {
		if runtime.GOOS == "linux" {
			t.Fatal("the owner of a file is not known on Linux")
		}
		return // where files have no owners, the rest does not apply
	}
	for _, spoiled := range []string{root, filepath.Join(root, "a"), filepath.Dir(file), file, elsewhere} {
		path := file
		if spoiled == elsewhere {
			path = linked
		}
		mode := stat(t, spoiled).Mode()
		spoil := map[string]func() error{
			"may be written to by everybody": func() error { return os.Chmod(spoiled, mode|0o002) },
		}
		if os.Geteuid() == 0 { // only root can give files away; what follows from an owner is TestTrusted's
			spoil["belongs to another user"] = func() error { return os.Chown(spoiled, 12345, -1) }
		}
		for want, do := range spoil {
			if err := do(); err != nil {
				t.Fatal(err)
			}
			err := Trusted(root, path)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", spoiled, err, want)
			}
			if err := os.Chmod(spoiled, mode); err != nil {
				t.Fatal(err)
			}
			if os.Geteuid() == 0 {
				if err := os.Chown(spoiled, 0, -1); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := Trusted(root, path); err != nil {
			t.Errorf("after all is mended: %v", err)
		}
	}
}

func stat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
