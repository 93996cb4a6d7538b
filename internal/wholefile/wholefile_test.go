package wholefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := Write(path, Bytes("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error { return errors.Join(Bytes("half")(w), broken) })
	if data, readErr := os.ReadFile(path); !errors.Is(err, broken) || readErr != nil || string(data) != "old" {
		t.Errorf("after half a write: %q, %v, %v", data, err, readErr)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := Write(filepath.Join(filepath.Dir(path), "none", "a"), Bytes("")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
}

func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "script")
	stat := func() os.FileInfo {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	for range 2 {
		if err := Keep(path, []byte("one"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	first := stat()
	if err := Keep(path, []byte("one"), 0o755); err != nil || !os.SameFile(first, stat()) || first.Mode().Perm() != 0o755 {
		t.Errorf("the same content: %v, mode %v", err, first.Mode())
	}
	if err := Keep(path, []byte("two"), 0o644); err != nil || os.SameFile(first, stat()) {
		t.Errorf("another content: %v", err)
	}
}
