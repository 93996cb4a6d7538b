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

	"github.com/puclab/puclab/internal/wholefile"
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
	return wholefile.Write(path+recordSuffix, wholefile.Bytes(sum+"  "+filepath.Base(path)+"\n"))
}
