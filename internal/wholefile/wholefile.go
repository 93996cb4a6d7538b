// Package wholefile writes files atomically: completely or not at all.
package wholefile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Write writes the file at path with the output of write, or changes nothing: it writes a temporary file beside it and
// renames that. Both the file and its name are on disk when it returns. The folder must exist. Everybody may read the
// file (mode 0644). Errors of the system name the temporary file.
func Write(path string, write func(io.Writer) error) error { return writeMode(path, "", 0o644, write) }

// Replace is [Write] that keeps the previous file at path, if it exists, under the name before in the same folder. At
// every moment one of the two names belongs to a complete file; between two renamings it is before alone.
func Replace(path, before string, write func(io.Writer) error) error {
	return writeMode(path, before, 0o644, write)
}

// Keep writes data to the file at path unless the file already has this content, regardless of its mode. It creates the
// folder if it is missing.
func Keep(path string, data []byte, mode fs.FileMode) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return writeMode(path, "", mode, Bytes(data))
}

// Bytes returns a function for [Write] that writes data.
func Bytes[B ~[]byte | ~string](data B) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write([]byte(data))
		return err
	}
}

func writeMode(path, before string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(f)
	err = write(buffered)
	// Only the first error is returned: it causes the later ones.
	for _, next := range []func() error{buffered.Flush, f.Sync, func() error { return f.Chmod(mode) }} {
		if err == nil {
			err = next()
		}
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = rename(f.Name(), path, before)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// rename gives the temporary file the name path, and the previous file of that name the name before, unless before is
// "".
func rename(temporary, path, before string) error {
	if before == "" {
		return os.Rename(temporary, path)
	}
	kept := os.Rename(path, before)
	if kept != nil && !errors.Is(kept, fs.ErrNotExist) {
		return kept
	}
	err := os.Rename(temporary, path)
	if err != nil && kept == nil {
		err = errors.Join(err, os.Rename(before, path))
	}
	return err
}

// syncFile is a variable so that tests can simulate a file system that cannot sync folders.
var syncFile = (*os.File).Sync

// SyncFolder syncs the names in a folder to disk, if the system can.
func SyncFolder(folder string) error {
	if runtime.GOOS == "windows" { // which syncs no folders
		return nil
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	err = syncFile(f)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) { // a file system without
		err = nil
	}
	return errors.Join(err, f.Close())
}
