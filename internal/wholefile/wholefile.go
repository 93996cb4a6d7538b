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
)

// Write makes the file at path of what write writes, or leaves things as they were: it writes into a temporary file beside
// it, which then takes its name. The folder must exist. Everybody may read the file (mode 0644). Errors of the system name
// the temporary file.
func Write(path string, write func(io.Writer) error) error { return writeMode(path, 0o644, write) }

// Keep makes sure that the file at path holds data, making its folder where that is missing. A file that holds data already
// is left alone, whatever its mode.
func Keep(path string, data []byte, mode fs.FileMode) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return writeMode(path, mode, Bytes(data))
}

// Bytes returns what has [Write] write data.
func Bytes[B ~[]byte | ~string](data B) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write([]byte(data))
		return err
	}
}

func writeMode(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
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
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
