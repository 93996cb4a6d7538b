// Package wholefile writes files whole or not at all.
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

// Write makes the file at path of what write writes, or leaves things as they were: it writes into a temporary file beside
// it, which then takes its name. Both the file and its name are on disk when it returns. The folder must exist. Everybody may
// read the file (mode 0644). Errors of the system name the temporary file.
func Write(path string, write func(io.Writer) error) error { return writeMode(path, "", 0o644, write) }

// Replace is [Write] that keeps the file that path names until then, if there is one, under the name before, in the same
// folder. At every moment one of the two names belongs to a whole file; between two renamings it is before alone.
func Replace(path, before string, write func(io.Writer) error) error {
	return writeMode(path, before, 0o644, write)
}

// Keep makes sure that the file at path holds data, making its folder where that is missing. A file that holds data already
// is left alone, whatever its mode.
func Keep(path string, data []byte, mode fs.FileMode) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return writeMode(path, "", mode, Bytes(data))
}

// Bytes returns what has [Write] write data.
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
	// Only the first error is told: those after it come of it.
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

// rename gives the temporary file the name path, and the file that had that name the name before, unless that is "".
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

// syncFile is a variable so that tests can stand in for a file system that cannot sync folders.
var syncFile = (*os.File).Sync

// SyncFolder puts the names in a folder on disk, where the system can.
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
