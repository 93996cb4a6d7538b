package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// recordSuffix ends the name of the file beside a download that keeps its SHA-256. Its one line is what sha256sum writes
// and checks.
const recordSuffix = ".sha256"

// readRecord returns the SHA-256 that was recorded for the file at path, or "" where none was.
func readRecord(path string) (string, error) {
	text, err := os.ReadFile(path + recordSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	sum, name, _ := strings.Cut(strings.TrimSpace(string(text)), "  ")
	if decoded, err := hex.DecodeString(sum); err != nil || len(decoded) != sha256.Size || name != filepath.Base(path) {
		return "", fmt.Errorf("%s does not hold the SHA-256 of %s: remove it to accept the file as it is",
			path+recordSuffix, filepath.Base(path))
	}
	return sum, nil
}

// writeRecord records the SHA-256 of the file at path, all or nothing.
func writeRecord(path, sum string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+recordSuffix)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already where all went well
	_, err = fmt.Fprintf(f, "%s  %s\n", sum, filepath.Base(path))
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path+recordSuffix)
}
