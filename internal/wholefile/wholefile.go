// Package wholefile writes files whole or not at all.
package wholefile

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write makes the file at path of what write writes, or leaves things as they were: it writes into a temporary file beside
// it, which then takes its name. The folder must exist. Everybody may read the file (mode 0644). Errors of the system name
// the temporary file.
func Write(path string, write func(io.Writer) error) (err error) {
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
	for _, next := range []func() error{buffered.Flush, f.Sync, func() error { return f.Chmod(0o644) }} {
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
