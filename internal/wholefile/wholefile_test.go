package wholefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	expect.NoError(t, Write(path, Bytes("old")))
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error { return errors.Join(Bytes("half")(w), broken) })
	if data, readErr := os.ReadFile(path); !errors.Is(err, broken) || readErr != nil || string(data) != "old" {
		t.Errorf("after half a write: %q, %v, %v", data, err, readErr)
	}
	expect.Equal(t, len(expect.Must(os.ReadDir(filepath.Dir(path)))(t)), 1, "left")
	expect.Is(t, Write(filepath.Join(filepath.Dir(path), "none", "a"), Bytes("")), os.ErrNotExist, "without a folder")
}

func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "script")
	stat := func() os.FileInfo {
		t.Helper()
		return expect.Must(os.Stat(path))(t)
	}
	for range 2 {
		expect.NoError(t, Keep(path, []byte("one"), 0o755))
	}
	first := stat()
	if err := Keep(path, []byte("one"), 0o755); err != nil || !os.SameFile(first, stat()) || first.Mode().Perm() != 0o755 {
		t.Errorf("the same content: %v, mode %v", err, first.Mode())
	}
	err := Keep(path, []byte("two"), 0o644)
	expect.That(t, err == nil && !os.SameFile(first, stat()), "another content: %v", err)
}

// The previous content of a file is kept under another name; without a previous file there is none.
func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	before := path + ".before"
	read := func(path string) string {
		data, err := os.ReadFile(path)
		expect.Require(t, err == nil || errors.Is(err, os.ErrNotExist), "%v", err)
		return string(data)
	}
	for i, text := range []string{"one", "two", "three"} {
		expect.NoError(t, Replace(path, before, Bytes(text)))
		if want := []string{"", "one", "two"}[i]; read(path) != text || read(before) != want {
			t.Errorf("%q, and before it %q, want %q and %q", read(path), read(before), text, want)
		}
	}
	broken := errors.New("broken")
	expect.Is(t, Replace(path, before, func(io.Writer) error { return broken }), broken)
	expect.That(t, read(path) == "three" && read(before) == "two",
		"after a write that failed: %q and %q", read(path), read(before))
	err := Replace(path, before, func(io.Writer) error { // the temporary file is gone, so the renaming fails
		left, err := filepath.Glob(path + ".*.part")
		return errors.Join(err, os.Remove(left[0]))
	})
	expect.That(t, errors.Is(err, os.ErrNotExist) && read(path) == "three",
		"after a renaming that failed: %q, %v", read(path), err)
}

// A folder is synced after its file got its name. A file system without that operation is not an error, but a failing
// sync is.
func TestTheFolderIsSynced(t *testing.T) {
	defer func(real func(*os.File) error) { syncFile = real }(syncFile)
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	for _, tt := range []struct{ sync, want error }{{nil, nil}, {syscall.EINVAL, nil}, {syscall.ENOTSUP, nil}, {syscall.EIO, syscall.EIO}} {
		synced := ""
		syncFile = func(f *os.File) error {
			if _, err := os.Stat(path); err == nil {
				synced = f.Name()
			}
			return tt.sync
		}
		if err := Write(path, Bytes("x")); !errors.Is(err, tt.want) || synced != folder {
			t.Errorf("syncing with %v gave %v, of %q", tt.sync, err, synced)
		}
		expect.NoError(t, os.Remove(path))
	}
}
