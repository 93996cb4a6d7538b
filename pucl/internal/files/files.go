// Package files writes files whole or not at all, and names them in the errors of reading.
package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/internal/wholefile"
)

// Write writes a file whole or not at all, and makes its folder where that is missing.
func Write(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.Write(path, write)
}

// Read opens path for read, and names it in every error but that of opening, which does so itself. The reader is an
// io.ByteReader, so that a gob decoder reads no further than its own values.
func Read(path string, read func(io.Reader) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := read(bufio.NewReader(f)); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}
